package memstore

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"sluice/engine"
)

// Nobody touches the keys; the real clock runs (in a bubble, where it is quick).
func TestExpiredIsGoneInTwoSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New()
		defer s.Close()
		const each = 1000
		deadlines := map[string]time.Duration{}
		for _, a := range engine.Algorithms {
			for i := range each {
				call := callOf(t, a, fmt.Appendf(nil, "%s:%d", a.Name, i), int64(i%10)+1)
				s.mustTake(t, call)
			}
			st := must[engine.State](t)(s.Get(t.Context(), engine.Key{Name: fmt.Appendf(nil, "%s:9", a.Name)}))
			deadlines[a.Name] = time.Duration(st.Deadline - s.Now())
		}
		longest := time.Duration(0)
		for _, d := range deadlines {
			longest = max(longest, d)
		}
		time.Sleep(longest)
		time.Sleep(2 * time.Second)
		if n, b := s.mustLen(t), s.Usage().Bytes; n != 0 || b != 0 {
			t.Errorf("%d keys and %d bytes are left", n, b)
		}
		if got, want := s.Usage().Expired, int64(each*len(engine.Algorithms)); got != want {
			t.Errorf("%d keys have expired, not %d", got, want)
		}
	})
}

// A key that is used again and again is not taken, and goes two seconds after.
func TestSweepFollowsTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New()
		defer s.Close()
		hot := callOf(t, engine.TokenBucket, []byte("hot"), 1)
		idle := callOf(t, engine.TokenBucket, []byte("idle"), 1) // over in six seconds
		s.mustTake(t, idle)
		for range 20 {
			s.mustTake(t, hot)
			time.Sleep(5 * time.Second)
			if n := s.mustLen(t); n < 1 {
				t.Fatalf("a key that is used was taken")
			}
		}
		if n := s.mustLen(t); n != 1 {
			t.Errorf("%d keys, not the hot one alone", n)
		}
		st := must[engine.State](t)(s.Get(t.Context(), hot.Key))
		time.Sleep(time.Duration(st.Deadline-s.Now()) + 2*time.Second)
		if n := s.mustLen(t); n != 0 {
			t.Errorf("%d keys after the last was over", n)
		}
	})
}

// Keys come and go while the sweeper works: what it notes as due stays right.
func TestSweepAmongOthers(t *testing.T) {
	s := open(t)
	s.StopClock(noon)
	names := crowd(s, 2000, 17)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			call := callOf(t, engine.GCRA, nil, 1)
			for i := range 6000 {
				call.Key.Name = names[(g*500+i)%len(names)]
				s.mustTake(t, call)
				if i%3 == 0 {
					s.mustDelete(t, names[(g*700+i*7)%len(names)])
				}
			}
		})
	}
	wg.Go(func() {
		for range 60 {
			s.AdvanceClock(time.Second)
			s.sweep()
		}
	})
	wg.Wait()
	verify(t, s)
	s.AdvanceClock(time.Hour)
	if n, b := s.mustLen(t), s.Usage().Bytes; n != 0 || b != 0 {
		t.Errorf("%d keys and %d bytes are left", n, b)
	}
}

func TestClose(t *testing.T) {
	before := goleak.IgnoreCurrent()
	s := New()
	s.mustTake(t, callOf(t, engine.GCRA, []byte("a"), 1))
	s.Close()
	goleak.VerifyNone(t, before)
}

func name17(i int) []byte {
	return binary.BigEndian.AppendUint64([]byte("user:acct"), uint64(i))
}

// fill uses n keys of 17 bytes once each.
func fill(t testing.TB, s *Store, a *engine.Algorithm, n int) { fillFrom(t, s, a, 0, n) }

func fillFrom(t testing.TB, s *Store, a *engine.Algorithm, from, to int) {
	call := callOf(t, a, nil, 1)
	for i := from; i < to; i++ {
		call.Key.Name = name17(i)
		s.mustTake(t, call)
	}
}

// mostBytes is what was promised of a key of 17 bytes among many.
var mostBytes = map[*engine.Algorithm]float64{engine.GCRA: 48, engine.SlidingWindow: 56}

// The memory of a key is counted, not timed, so it is a fact: not only when the tables
// happen to be full.
func TestBytesPerKey(t *testing.T) {
	keys := scaled(1_000_000, 50_000)
	for _, a := range engine.Algorithms {
		t.Run(a.Name, func(t *testing.T) {
			s := open(t)
			s.StopClock(noon)
			least, most := math.Inf(1), 0.0
			for n := 0; n < keys; n += keys / 25 {
				fillFrom(t, s, a, n, n+keys/25)
				if n < keys/2 {
					continue
				}
				each := float64(s.Usage().Bytes) / float64(n+keys/25)
				least, most = min(least, each), max(most, each)
			}
			t.Logf("%.1f to %.1f bytes a key among %d to %d", least, most, keys/2, keys)
			if promised := mostBytes[a]; promised > 0 && most > promised && !raced {
				t.Errorf("%.1f bytes a key", most)
			}
			s.AdvanceClock(time.Hour)
			if n, b := s.mustLen(t), s.Usage().Bytes; n != 0 || b != 0 {
				t.Errorf("when all are over %d keys and %d bytes are left", n, b)
			}
		})
	}
}
