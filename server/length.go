package server

import "math"

// A counted is something whose number the client announces, with Redis's names for
// it in errors and the least number it may have.
type counted struct {
	mark        byte
	name, short string
	least       int64
}

var (
	arguments = counted{'*', "multibulk", "mbulk", math.MinInt64} // below one there is no command, as in Redis
	bulkBytes = counted{'$', "bulk", "bulk", 0}
)

// length reads *n\r\n or $n\r\n.
func (f *frameReader) length(what *counted, most int, limits *Limits) (n int, done bool, err error) {
	line, done, tooLong := f.line('\r')
	switch {
	case tooLong:
		return 0, false, ProtocolError("too big " + what.short + " count string")
	case !done:
		return 0, false, nil
	case len(line) == 0:
		return 0, false, ProtocolError("expected '$', got ' '")
	case line[0] != what.mark:
		return 0, false, ProtocolError("expected '$', got '" + string(line[:1]) + "'")
	}
	long, ok := parseLength(line[1:])
	switch {
	case !ok || long < what.least || long > math.MaxInt32:
		return 0, false, ProtocolError("invalid " + what.name + " length")
	case long <= int64(most):
		return int(max(long, -1)), true, nil
	case limits == &strangers:
		return 0, false, ProtocolError("unauthenticated " + what.name + " length")
	}
	return 0, false, ProtocolError("invalid " + what.name + " length")
}

// shortLength reads a length of one or two digits at the head of some bytes, as nearly
// every one is, and says how many bytes it takes: none if there is no such length.
func shortLength(b []byte, mark byte) (n, taken int) {
	if len(b) < 5 || b[0] != mark || !isDigit(b[1]) {
		return 0, 0
	}
	n = int(b[1] - '0')
	taken = len("$1\r\n")
	if n > 0 && isDigit(b[2]) {
		n = n*10 + int(b[2]-'0')
		taken++
	}
	if b[taken-2] != '\r' {
		return 0, 0
	}
	return n, taken
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// parseLength reads a number as Redis reads lengths. What does not fit is as
// wrong as what is no number.
func parseLength(digits []byte) (int64, bool) {
	negative := len(digits) > 0 && digits[0] == '-'
	if negative {
		digits = digits[1:]
	}
	if len(digits) == 0 || len(digits) > 19 || digits[0] == '0' && (len(digits) > 1 || negative) {
		return 0, false
	}
	n := uint64(0) // 19 digits fit
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	if negative {
		return -int64(n), n <= 1<<63
	}
	return int64(n), n <= math.MaxInt64
}
