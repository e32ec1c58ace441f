package engine

import (
	"math"
	"math/bits"
)

// A wide is an unsigned number of 128 bits. The bounds of the numbers callers
// send keep every product of two of them below 2^112, so sums never overflow.
type wide struct{ hi, lo uint64 }

func mul(a, b uint64) wide {
	hi, lo := bits.Mul64(a, b)
	return wide{hi, lo}
}

func (a wide) plus(b wide) wide {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(a.hi, b.hi, carry)
	return wide{hi, lo}
}

// minus is a-b, or 0 where b is more.
func (a wide) minus(b wide) wide {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, borrow := bits.Sub64(a.hi, b.hi, borrow)
	if borrow != 0 {
		return wide{}
	}
	return wide{hi, lo}
}

func (a wide) more(b wide) bool { return a.hi > b.hi || a.hi == b.hi && a.lo > b.lo }

func (a wide) isZero() bool { return a.hi|a.lo == 0 }

// div is a/d rounded down with its remainder. A quotient over 64 bits is
// answered as the largest there is.
func (a wide) div(d uint64) (quo, rem uint64) {
	switch {
	case a.hi == 0:
		return a.lo / d, a.lo % d
	case a.hi >= d:
		return math.MaxUint64, 0
	}
	return bits.Div64(a.hi, a.lo, d)
}

// ceil is a/d rounded up, or the largest quotient there is.
func (a wide) ceil(d uint64) uint64 {
	quo, rem := a.div(d)
	if rem > 0 && quo < math.MaxUint64 {
		quo++
	}
	return quo
}

// saturate is n as a signed number, the largest there is where n is more.
func saturate(n uint64) int64 { return int64(min(n, math.MaxInt64)) }

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
