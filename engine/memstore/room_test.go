package memstore

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sluice/engine"
)

// bounded is a store with a bound that the test can move.
func bounded(t testing.TB, most int64, evict bool) (*Store, *atomic.Int64) {
	bound := new(atomic.Int64)
	bound.Store(most)
	s := NewWith(Options{MaxBytes: bound.Load, Evict: func() bool { return evict }})
	t.Cleanup(s.Close)
	s.StopClock(noon)
	return s, bound
}

func TestFullRefusesNewKeys(t *testing.T) {
	const most, total = 4 << 20, 150_000
	s, bound := bounded(t, most, false)
	call := callOf(t, engine.GCRA, nil, 1)
	refused := 0
	for i := range total {
		call.Key.Name = name17(i)
		if _, err := s.Take(t.Context(), call); errors.Is(err, engine.ErrFull) {
			refused++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	keys := s.mustLen(t)
	if s.Usage().Bytes > most+pageBytes || keys+int64(refused) != total || keys < 50_000 {
		t.Errorf("%d keys in %d bytes, %d refused", keys, s.Usage().Bytes, refused)
	}
	call.Key.Name = name17(0)
	if d := s.mustTake(t, call); d.Remaining != 8 {
		t.Errorf("a key that exists: %+v", d)
	}
	call.Limit = thirds(t)
	s.mustTake(t, call) // its words grow: still no new key
	call.Key.Name = []byte("a new key of cost 0")
	call.Cost = 0
	s.mustTake(t, call)
	call.Cost = 1
	if _, err := s.Take(t.Context(), call); !errors.Is(err, engine.ErrFull) {
		t.Errorf("a new key: error %v", err)
	}
	if s.Usage().Evicted != 0 {
		t.Errorf("%d evicted", s.Usage().Evicted)
	}
	bound.Store(0)
	s.mustTake(t, call)
	bound.Store(most)
	s.AdvanceClock(time.Hour)
	s.mustTake(t, call)
	verify(t, s)
}

// A flood of keys leaves those that matter longest, and takes no more than it may.
func TestFullEvictsWhatIsNearlyOver(t *testing.T) {
	keys := scaled(600_000, 240_000)
	most := int64(14 * keys)
	s, _ := bounded(t, most, true)
	near, far := callOf(t, engine.GCRA, nil, 1), callOf(t, engine.GCRA, nil, 9)
	for i := range keys {
		call := near
		if i%4 == 0 {
			call = far
		}
		call.Key.Name = name17(i)
		s.mustTake(t, call)
	}
	n := s.mustLen(t)
	if s.Usage().Bytes > most+most/16 || n < most/60 || n+s.Usage().Evicted != int64(keys) {
		t.Errorf("%d keys in %d bytes of %d, %d evicted", n, s.Usage().Bytes, most, s.Usage().Evicted)
	}
	left := 0
	_, _ = s.Scan(t.Context(), 0, 0, keys, func(e engine.Entry) {
		if e.State.Deadline-s.Now() > engine.Instant(30*time.Second) {
			left++
		}
	})
	// There is room for all the far ones, and a few more.
	if share := float64(left) / float64(keys/4); share < 0.75 {
		t.Errorf("of the keys far from their deadline only %.0f %% are left", share*100)
	}
	verify(t, s)
}

// Whatever sizes come, and however many at once.
func TestFullWithKeysOfAllSizes(t *testing.T) {
	const most = 16 << 20
	s, bound := bounded(t, most, true)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 12_000 {
				size := 8 + i*7919%90
				if i%10 == 0 {
					size = 4096 - i%2000
				}
				name := append(fmt.Appendf(nil, "%d:%d:", g, i), make([]byte, size)...)
				a := engine.Algorithms[i%len(engine.Algorithms)]
				s.mustTake(t, callOf(t, a, name[:size], int64(i%10)+1))
			}
		})
	}
	wg.Wait()
	verify(t, s)
	if s.Usage().Bytes > most*5/4 || s.Usage().Evicted == 0 {
		t.Errorf("%d bytes of %d, %d evicted", s.Usage().Bytes, most, s.Usage().Evicted)
	}
	bound.Store(most / 4)
	s.sweep()
	verify(t, s)
	if s.Usage().Bytes > most/4+most/16 {
		t.Errorf("the bound was set to %d, the store has %d", most/4, s.Usage().Bytes)
	}
}

// The smallest bounds refuse or evict nearly everything, and nothing breaks.
func TestFullAtOnce(t *testing.T) {
	for _, most := range []int64{1, 1000, 100_000} {
		s, _ := bounded(t, most, true)
		fill(t, s, engine.TokenBucket, 20_000)
		verify(t, s)
		if n := s.mustLen(t); n < 1 {
			t.Errorf("at %d bytes no key is left", most)
		}
	}
}

// What is over makes room first, and was not evicted.
func TestFullOfWhatIsOver(t *testing.T) {
	const most = 2 << 20
	s, _ := bounded(t, most, true)
	fill(t, s, engine.GCRA, 10_000)
	s.sweeping.Lock() // so that it lies there until the new keys come
	s.clock.Advance(time.Hour)
	for i := range 100_000 {
		s.mustTake(t, callOf(t, engine.GCRA, name17(-1-i), 1))
	}
	if n := s.mustLen(t) + s.Usage().Evicted + s.Usage().Expired; n != 110_000 || s.Usage().Expired < 5000 {
		t.Errorf("%d keys, %d evicted, %d expired", s.mustLen(t), s.Usage().Evicted, s.Usage().Expired)
	}
	s.sweeping.Unlock()
	verify(t, s)
}

// Logs grow after their keys were let in.
func TestFullOfGrowingLogs(t *testing.T) {
	const most = 16 << 20
	s, _ := bounded(t, most, true)
	call := callOf(t, engine.SlidingLog, nil, 1)
	call.Limit = must[engine.Limit](t)(engine.LogLimit(1000, 60_000))
	for i := range 40_000 {
		call.Key.Name = name17(i)
		call.Cost = int64(1 + i%400)
		s.mustTake(t, call)
		call.Key.Name = name17(i * 7 / 8)
		s.mustTake(t, call)
	}
	verify(t, s)
	if s.Usage().Bytes > most*5/4 || s.Usage().Evicted == 0 {
		t.Errorf("%d bytes of %d, %d evicted", s.Usage().Bytes, most, s.Usage().Evicted)
	}
}
