package engine

import (
	"math/bits"
	"math/rand/v2"
	"sort"

	"pgregory.net/rapid"
)

// A dice throws the numbers of a random test. The rules throw rapid's, which
// shrink; the oracle throws fast ones; the fuzzer's come from its input; and
// edges throws nothing but the ends of each range.
type dice interface {
	between(low, high int64) int64 // both included
}

type rapidDice struct{ *rapid.T }

func (d rapidDice) between(low, high int64) int64 {
	return rapid.Int64Range(low, high).Draw(d.T, "n")
}

type fastDice struct{ *rand.Rand }

func (d fastDice) between(low, high int64) int64 { return low + d.Int64N(high-low+1) }

// byteDice throws what its bytes say, and the low end when they are used up.
type byteDice struct{ bytes []byte }

func (d *byteDice) between(low, high int64) int64 {
	n, span := uint64(0), uint64(high-low)
	for width := bits.Len64(span); width > 0 && len(d.bytes) > 0; width -= 8 {
		n, d.bytes = n<<8|uint64(d.bytes[0]), d.bytes[1:]
	}
	if span+1 != 0 {
		n %= span + 1
	}
	return low + int64(n)
}

// edges throws the low or the high end of each range, as its bits say.
type edges struct{ bits uint64 }

func (d *edges) between(low, high int64) int64 {
	bit := d.bits & 1
	d.bits >>= 1
	if bit == 0 {
		return low
	}
	return high
}

// spread is a number whose length in bits is random first: as likely one of
// three digits as one of twelve.
func spread(d dice, low, high int64) int64 {
	width := d.between(int64(bits.Len64(uint64(low))), int64(bits.Len64(uint64(high))))
	if width == 0 {
		return low
	}
	return d.between(max(low, 1<<(width-1)), min(high, 1<<width-1))
}

func oneOf[T any](d dice, items ...T) T { return items[d.between(0, int64(len(items)-1))] }

// fitting is a number low … high of units that makes a limit, the most that
// does among them. low always makes one.
func fitting(d dice, low, high int64, limit func(n int64) (Limit, error)) Limit {
	n := sort.Search(int(high-low), func(i int) bool {
		_, err := limit(low + 1 + int64(i))
		return err != nil
	})
	most := low + int64(n)
	l, err := limit(oneOf(d, spread(d, low, most), most, min(most, spread(d, low, 50))))
	if err != nil {
		panic(err)
	}
	return l
}
