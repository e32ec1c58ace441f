package commands

import (
	"math"
	"strconv"

	"sluice/engine"
)

// is says whether an argument is a word, in any case. The word is in capitals.
func is(arg []byte, word string) bool { return string(arg) == word || folds(arg, word) }

func folds(arg []byte, word string) bool {
	if len(arg) != len(word) {
		return false
	}
	for i, b := range arg {
		if 'a' <= b && b <= 'z' {
			b -= 'a' - 'A'
		}
		if b != word[i] {
			return false
		}
	}
	return true
}

// parseInt reads an integer as Redis does: no plus sign, no spaces, no zeros in
// front, nothing behind.
func parseInt(arg []byte) (int64, error) {
	if len(arg) == 0 || len(arg) > 20 {
		return 0, errInteger
	}
	digits := arg
	if digits[0] == '-' {
		digits = digits[1:]
	}
	if len(digits) == 0 || digits[0] < '0' || digits[0] > '9' || digits[0] == '0' && len(arg) > 1 {
		return 0, errInteger
	}
	if len(digits) > 18 { // it may not fit
		n, err := strconv.ParseInt(string(arg), 10, 64)
		if err != nil {
			return 0, errInteger
		}
		return n, nil
	}
	n := int64(0)
	for _, d := range digits {
		if d < '0' || d > '9' {
			return 0, errInteger
		}
		n = n*10 + int64(d-'0')
	}
	if len(digits) < len(arg) {
		n = -n
	}
	return n, nil
}

// parseIntIn reads an integer between bounds.
func parseIntIn(arg []byte, name string, low, high int64) (int64, error) {
	n, err := parseInt(arg)
	if err != nil {
		return 0, err
	}
	if n < low || n > high {
		return 0, errorf("ERR %s must be between %d and %d", name, low, high)
	}
	return n, nil
}

// parseCost reads the cost that may end a limiting command, 1 if it does not.
func parseCost(args [][]byte, name string) (int64, error) {
	switch len(args) {
	case 0:
		return 1, nil
	case 1:
		return parseIntIn(args[0], name, -engine.MaxUnits, engine.MaxUnits)
	}
	return 0, errSyntax
}

// parseRate reads a rate in units a second. A number that is no such decimal (too
// many places, an exponent, a sign) is told what one is.
func parseRate(arg []byte, name string) (engine.Micros, error) {
	rate, ok := engine.ParseMicros(arg)
	if ok {
		return rate, nil
	}
	if n, err := strconv.ParseFloat(string(arg), 64); err != nil || math.IsNaN(n) {
		return 0, errFloat
	}
	return 0, errorf("ERR %s must be between 0.000001 and 1000000000, a decimal with at most 6 places", name)
}

const (
	errDuration    Error = "ERR value is not a duration: write seconds (60, 0.5) or use a suffix (500ms, 90s, 1m, 1h, 1d)"
	errFixedWindow Error = errDuration + "; or a calendar window: day, week, month, year"
)
