package engine

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func (a wide) big() *big.Int {
	n := new(big.Int).SetUint64(a.hi)
	return n.Add(n.Lsh(n, 64), new(big.Int).SetUint64(a.lo))
}

// word is any number, often one at an end.
func word(t *rapid.T) uint64 {
	ends := rapid.SampledFrom([]uint64{0, 1, 2, 1<<63 - 1, 1 << 63, math.MaxUint64 - 1, math.MaxUint64})
	return rapid.OneOf(ends, rapid.Uint64()).Draw(t, "word")
}

// saturated is n, or the largest word where n is more.
func saturated(n *big.Int) uint64 {
	if n.IsUint64() {
		return n.Uint64()
	}
	return math.MaxUint64
}

// Every operation is that of whole numbers, and saturates where its comment says
// so: never a remainder of what went over.
func TestArithmetic(t *testing.T) {
	t.Run("mul", rapid.MakeCheck(func(t *rapid.T) {
		a, b := word(t), word(t)
		want := new(big.Int).Mul(wide{0, a}.big(), wide{0, b}.big())
		if got := mul(a, b).big(); got.Cmp(want) != 0 {
			t.Fatalf("%d·%d = %d, not %d", a, b, want, got)
		}
	}))
	t.Run("div and ceil", rapid.MakeCheck(func(t *rapid.T) {
		d := max(1, word(t))
		a := wide{word(t), word(t)}
		if rapid.Bool().Draw(t, "just below") { // the next multiple of d
			a = mul(word(t), d).plus(wide{0, d - 1})
		}
		quo, rem := new(big.Int).QuoRem(a.big(), wide{0, d}.big(), new(big.Int))
		gotQuo, gotRem := a.div(d)
		if gotQuo != saturated(quo) || quo.IsUint64() && gotRem != rem.Uint64() {
			t.Fatalf("%v/%d = %d rest %d, not %d rest %d", a.big(), d, quo, rem, gotQuo, gotRem)
		}
		if rem.Sign() > 0 {
			quo.Add(quo, big.NewInt(1))
		}
		if got := a.ceil(d); got != saturated(quo) {
			t.Fatalf("⌈%v/%d⌉ = %d, not %d", a.big(), d, quo, got)
		}
	}))
	t.Run("plus, minus and more", rapid.MakeCheck(func(t *rapid.T) {
		a, b := wide{word(t) >> 1, word(t)}, wide{word(t) >> 1, word(t)}
		if got, want := a.plus(b).big(), new(big.Int).Add(a.big(), b.big()); got.Cmp(want) != 0 {
			t.Fatalf("%v + %v = %v, not %v", a.big(), b.big(), want, got)
		}
		want := new(big.Int).Sub(a.big(), b.big())
		if a.more(b) != (want.Sign() > 0) {
			t.Fatalf("%v > %v is %v", a.big(), b.big(), a.more(b))
		}
		if want.Sign() < 0 {
			want.SetInt64(0)
		}
		if got := a.minus(b).big(); got.Cmp(want) != 0 {
			t.Fatalf("%v − %v = %v, not %v", a.big(), b.big(), want, got)
		}
	}))
	t.Run("gcd", rapid.MakeCheck(func(t *rapid.T) {
		a, b := word(t), word(t)
		want := new(big.Int).GCD(nil, nil, wide{0, a}.big(), wide{0, b}.big())
		if got := gcd(a, b); got != want.Uint64() {
			t.Fatalf("gcd(%d, %d) = %d, not %d", a, b, want, got)
		}
	}))
}
