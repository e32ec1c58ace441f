#include "textflag.h"

// func prefetch(lines []uintptr)
TEXT ·prefetch(SB), NOSPLIT, $0-24
	MOVQ lines_base+0(FP), SI
	MOVQ lines_len+8(FP), CX
	JMP  more

next:
	MOVQ       (SI), AX
	PREFETCHT0 (AX)
	ADDQ       $8, SI
	DECQ       CX

more:
	TESTQ CX, CX
	JNE   next
	RET
