#include "textflag.h"

// func prefetch(lines []uintptr)
TEXT ·prefetch(SB), NOSPLIT, $0-24
	MOVD lines_base+0(FP), R0
	MOVD lines_len+8(FP), R1
	B    more

next:
	MOVD.P 8(R0), R2
	PRFM   (R2), PLDL1KEEP
	SUB    $1, R1

more:
	CBNZ R1, next
	RET
