package memstore

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"sluice/engine"
)

// A batch is what BenchmarkBatch makes together: a call for each of some random keys.
type batch struct {
	b      *testing.B
	among  int // keys
	keys   []engine.Key
	call   engine.Call
	lease  engine.LeaseCall
	token  engine.OwnToken
	leases uint64 // that were acquired
	digits [32]byte
	parts  [3]engine.Call
	told   [3]engine.Decision
	do     func(*batch, engine.Store, int)
}

// digits appends the name of a key. (A table of names would be another cache miss.)
func digits(name []byte, n int) []byte {
	name = append(name, "key:0000000000000"...)
	for i := len(name) - 1; n > 0; i-- {
		name[i] += byte(n % 10)
		n /= 10
	}
	return name
}

func (t *batch) take(s engine.Store, i int) {
	t.call.Key = t.keys[i]
	if _, err := s.Take(t.b.Context(), &t.call); err != nil {
		t.b.Fatal(err)
	}
}

func (t *batch) acquire(s engine.Store, i int) {
	t.lease.Key = t.keys[i]
	if _, _, err := s.Lease(t.b.Context(), &t.lease); err != nil {
		t.b.Fatal(err)
	}
}

// acquireAnother is acquire of one more lease.
func (t *batch) acquireAnother(s engine.Store, i int) {
	t.leases++
	binary.BigEndian.PutUint64(t.token[8:], t.leases)
	t.lease.Token = string(t.token.AppendDigits(t.digits[:0]))
	t.acquire(s, i)
}

// all takes from three keys, whose number i is the first.
func (t *batch) all(s engine.Store, i int) {
	for j := range t.parts {
		t.parts[j].Key = t.keys[i+j]
	}
	if err := s.TakeAll(t.b.Context(), t.parts[:], t.told[:]); err != nil {
		t.b.Fatal(err)
	}
}

// BenchmarkBatch is calls of a kind for random keys out of a million, one by one (0)
// and together.
func BenchmarkBatch(b *testing.B) {
	const million = 1_000_000
	gcra := *callOf(b, engine.GCRA, nil, 1)
	gcra.Limit = must[engine.Limit](b)(engine.GCRALimit(1_000_000, 1, 100*time.Second))
	log := *callOf(b, engine.SlidingLog, nil, 1)
	log.Limit = must[engine.Limit](b)(engine.LogLimit(100_000, 86_400_000))
	long := log
	long.Cost = mostShortLog + 4
	pool := engine.LeaseCall{Limit: 100, Lease: 24 * time.Hour, Token: holders(1)[0]}
	for _, kind := range []struct {
		name  string
		keys  int
		calls int // keys of a call
		batch batch
	}{
		{"gcra", million, 1, batch{call: gcra, do: (*batch).take}},
		{"sliding-log", million, 1, batch{call: log, do: (*batch).take}},
		{"long-log", million / 5, 1, batch{call: long, do: (*batch).take}},
		{"lease", million, 1, batch{lease: pool, do: (*batch).acquire}},
		{"another-lease", million, 1, batch{lease: pool, do: (*batch).acquireAnother}},
		{"all-of-three", million, 3, batch{parts: [3]engine.Call{gcra, gcra, gcra}, do: (*batch).all}},
	} {
		for _, at := range []int{0, 4, 8, 16} {
			b.Run(fmt.Sprintf("%s/together=%d", kind.name, at), func(b *testing.B) {
				t, s := kind.batch, open(b)
				t.b = b
				t.fill(s, kind.keys, kind.calls)
				t.call.Cost = 1
				t.run(b, s, at, kind.calls)
			})
		}
	}
}

// fill calls once for each key.
func (t *batch) fill(s *Store, keys, step int) {
	t.among = keys
	t.keys = make([]engine.Key, step)
	for n := 0; n+step <= keys; n += step {
		for j := range step {
			t.keys[j].Name = digits(nil, n+j)
		}
		t.do(t, s, 0)
	}
}

func (t *batch) run(b *testing.B, s *Store, at, step int) {
	t.b = b
	t.keys = make([]engine.Key, max(1, at/step)*step)
	for i := range t.keys {
		t.keys[i].Name = make([]byte, 0, 24)
	}
	calls := func(inner engine.Store) {
		for i := 0; i < len(t.keys); i += step {
			t.do(t, inner, i)
		}
	}
	next := rand.New(rand.NewPCG(1, 2))
	b.ReportAllocs()
	for b.Loop() {
		for i := range t.keys {
			t.keys[i].Name = digits(t.keys[i].Name[:0], next.IntN(t.among))
		}
		if at == 0 {
			calls(s)
		} else {
			s.Together(t.keys, calls)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(t.keys)), "ns/key")
}
