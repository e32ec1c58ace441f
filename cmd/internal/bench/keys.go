package bench

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
)

// A Spread is how calls are spread over the keys.
type Spread string

// The spreads.
const (
	Uniform Spread = "uniform" // each key as often as any other
	Zipf    Spread = "zipf"    // few keys get most calls, as in life
	One     Spread = "one"     // all calls meet in one key
	each    Spread = "each"    // every key once, in order: to fill a server
)

// ParseSpread knows the spreads by name.
func ParseSpread(name string) (Spread, error) {
	switch s := Spread(name); s {
	case Uniform, Zipf, One:
		return s, nil
	}
	return "", fmt.Errorf("spread %q is none of uniform, zipf, one", name)
}

// zipfExponent: the most used key gets a tenth or so of the calls, as the busiest
// users of a public service do.
const zipfExponent = 1.1

// zipfDraws is how many draws are made in advance. A draw costs a hundred
// nanoseconds, which is more than a call may cost; going through a list costs one.
const zipfDraws = 1 << 20

// Keys chooses the key of each call. One goroutine may use it.
type Keys struct {
	spread Spread
	n      uint64
	random *rand.PCG
	draws  []uint32 // of zipf
	next   uint64
}

// NewKeys chooses among n keys, the same for the same seed.
func NewKeys(spread Spread, n int, seed uint64) *Keys {
	k := &Keys{spread: spread, n: uint64(n), random: rand.NewPCG(seed, 0)}
	if spread == Zipf {
		zipf := rand.NewZipf(rand.New(k.random), zipfExponent, 1, k.n-1)
		k.draws = make([]uint32, zipfDraws)
		for i := range k.draws {
			k.draws[i] = uint32(zipf.Uint64())
		}
	}
	return k
}

// Next is the key of the next call, in [0, n).
func (k *Keys) Next() uint64 {
	switch k.spread {
	case Uniform:
		high, _ := bits.Mul64(k.random.Uint64(), k.n)
		return high
	case Zipf:
		k.next++
		return uint64(k.draws[k.next%zipfDraws])
	case each:
		k.next++
		return (k.next - 1) % k.n
	default:
		return 0
	}
}
