package bench

import (
	"math"
	"testing"
)

// count draws calls keys out of n.
func count(spread Spread, n, calls int) []int {
	keys := NewKeys(spread, n, 7)
	counts := make([]int, n)
	for range calls {
		counts[keys.Next()]++ // out of range panics
	}
	return counts
}

// TestUniform: with 10000 calls a key the deviation is 100; no key is off by five.
func TestUniform(t *testing.T) {
	const calls = 10_000
	for key, n := range count(Uniform, 50, 50*calls) {
		if math.Abs(float64(n-calls)) > 500 {
			t.Errorf("key %d was called %d times, want about %d", key, n, calls)
		}
	}
}

// TestZipf: the k-th key is called in proportion to 1/k^s.
func TestZipf(t *testing.T) {
	const keys, calls = 1000, zipfDraws
	sum := 0.0
	for k := 1; k <= keys; k++ {
		sum += math.Pow(float64(k), -zipfExponent)
	}
	counts := count(Zipf, keys, calls)
	for k := 1; k <= 20; k++ {
		want := calls * math.Pow(float64(k), -zipfExponent) / sum
		if got := float64(counts[k-1]); math.Abs(got-want) > 5*math.Sqrt(want) {
			t.Errorf("key %d was called %.0f times, want about %.0f", k, got, want)
		}
	}
}

func TestOne(t *testing.T) {
	if counts := count(One, 3, 100); counts[0] != 100 {
		t.Errorf("calls went to other keys too: %v", counts)
	}
}

func TestEach(t *testing.T) {
	for key, n := range count(each, 1000, 1000) {
		if n != 1 {
			t.Errorf("key %d was called %d times", key, n)
		}
	}
}

func TestSmallestSpreads(t *testing.T) {
	for _, spread := range []Spread{Uniform, Zipf, One, each} {
		if counts := count(spread, 1, 10); counts[0] != 10 {
			t.Errorf("%s: %v", spread, counts)
		}
	}
}

// TestSeeds: the same seed draws the same keys, another one others.
func TestSeeds(t *testing.T) {
	draw := func(seed uint64) (keys [8]uint64) {
		k := NewKeys(Uniform, 1_000_000, seed)
		for i := range keys {
			keys[i] = k.Next()
		}
		return keys
	}
	if first, again := draw(1), draw(1); first != again || first == draw(2) {
		t.Error("a seed does not say what is drawn")
	}
}

func TestParseSpread(t *testing.T) {
	for _, name := range []string{"uniform", "zipf", "one"} {
		if s, err := ParseSpread(name); string(s) != name || err != nil {
			t.Errorf("%s: %s, %v", name, s, err)
		}
	}
	for _, name := range []string{"", "each", "Zipf"} {
		if _, err := ParseSpread(name); err == nil {
			t.Errorf("%q is a spread", name)
		}
	}
}
