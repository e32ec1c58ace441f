package memstore

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"sluice/engine"
)

// A churner uses keys of every length at random, all in one shard, and keeps a
// model of what must come of it.
type churner struct {
	*rand.Rand
	t      *testing.T
	store  *Store
	names  [][]byte
	limits [2]engine.Limit
	model  map[string]engine.State
}

func newChurner(t *testing.T, seed uint64) *churner {
	c := &churner{Rand: rand.New(rand.NewPCG(seed, 0)), t: t, store: open(t), model: map[string]engine.State{}}
	c.store.StopClock(noon)
	for _, kind := range []struct{ n, length int }{{600, 3}, {600, 17}, {200, 127}, {200, 128}, {100, 1000}, {10, 2800}, {20, 4096}} {
		c.names = append(c.names, crowd(c.store, kind.n, kind.length)...)
	}
	c.limits = [2]engine.Limit{gcra(t), thirds(t)}
	return c
}

func (c *churner) take() {
	name := c.names[c.IntN(len(c.names))]
	now := c.store.Now()
	old := c.model[string(name)].At(now)
	a := engine.Algorithms[c.IntN(len(engine.Algorithms))]
	if old.Kind != 0 {
		a = old.Kind.Algorithm()
	}
	call := callOf(c.t, a, name, c.Int64N(8)-2)
	if a == engine.GCRA {
		call.Limit = c.limits[c.IntN(2)] // words come and go
	}
	r := call.Request
	r.Now = now
	next, want := call.Algorithm.Decide(old, &r)
	c.model[string(name)] = next
	if got := c.store.mustTake(c.t, call); got != want {
		c.t.Fatalf("%+v, not %+v", got, want)
	}
}

func (c *churner) delete(share int) {
	for _, name := range c.names {
		if c.IntN(share) == 0 {
			c.store.mustDelete(c.t, name)
			delete(c.model, string(name))
		}
	}
}

// check compares everything.
func (c *churner) check() {
	c.t.Helper()
	now := c.store.Now()
	for _, name := range c.names {
		got := must[engine.State](c.t)(c.store.Get(c.t.Context(), engine.Key{Name: name}))
		if want := c.model[string(name)].At(now); plain(got) != plain(want) {
			c.t.Fatalf("%.10q…: %+v, not %+v", name, got, want)
		}
	}
	verify(c.t, c.store)
}

func TestChurn(t *testing.T) {
	for seed := range uint64(scaled(4, 1)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			c := newChurner(t, seed)
			for range 60 {
				for range c.IntN(1000) {
					c.take()
				}
				switch c.IntN(5) {
				case 0:
					c.delete(1 + c.IntN(4))
				case 1:
					c.store.AdvanceClock(time.Duration(c.IntN(int(90 * time.Second))))
				case 2:
					c.store.sweep()
				}
				c.check()
			}
			if moved := len(c.store.shards[crowded].pages); moved < 10 {
				t.Errorf("only %d pages were ever used", moved)
			}
			c.store.AdvanceClock(time.Hour)
			c.check()
			if n, b := c.store.mustLen(t), c.store.Usage().Bytes; n != 0 || b != 0 {
				t.Errorf("when all is over, %d keys and %d bytes are left", n, b)
			}
		})
	}
}

// Keys come and go one at a time: no memory may stay behind.
func TestComeAndGo(t *testing.T) {
	s := open(t)
	s.StopClock(noon)
	names := crowd(s, 3000, 17)
	most := int64(0)
	for round := range scaled(40, 4) {
		for _, name := range names {
			s.mustTake(t, callOf(t, engine.GCRA, name, 1))
			if !s.mustDelete(t, name) {
				t.Fatal("a key got lost")
			}
		}
		if most = max(most, s.Usage().Bytes); round == 0 {
			verify(t, s)
		}
	}
	verify(t, s)
	if most > pageBytes*2 {
		t.Errorf("one key at a time took %d bytes", most)
	}
	s.sweep()
	if s.Usage().Bytes != 0 {
		t.Errorf("%d bytes are left", s.Usage().Bytes)
	}
}

// When most of the keys are gone, what is left is moved together.
func TestPagesAreEmptied(t *testing.T) {
	s := open(t)
	s.StopClock(noon)
	names := crowd(s, 4000, 17)
	for _, name := range names {
		s.mustTake(t, callOf(t, engine.GCRA, name, 1))
	}
	full := s.Usage().Bytes
	for i, name := range names {
		if i%10 != 0 {
			s.mustDelete(t, name)
		}
	}
	s.sweep()
	verify(t, s)
	if s.Usage().Bytes > full/6 {
		t.Errorf("a tenth of the keys takes %d bytes of %d", s.Usage().Bytes, full)
	}
	for i, name := range names {
		if d := s.mustTake(t, callOf(t, engine.GCRA, name, 1)); (d.Remaining == 8) != (i%10 == 0) {
			t.Fatalf("key %d: %+v", i, d)
		}
	}
	verify(t, s)
}

// An index that grew comes back, and graves do not make it grow.
func TestIndexGrowsAndShrinks(t *testing.T) {
	s := open(t)
	s.StopClock(noon)
	sh := &s.shards[crowded]
	names := crowd(s, 4000, 9)
	for i, name := range names {
		s.mustTake(t, callOf(t, engine.GCRA, name, 1))
		if n := len(sh.index); i > 100 && n > 4*(i+1) {
			t.Fatalf("%d slots for %d keys", n, i+1)
		}
	}
	grown := len(sh.index)
	for i := range scaled(40_000, 8000) { // always 4000 keys, the oldest goes
		s.mustDelete(t, names[i%len(names)])
		s.mustTake(t, callOf(t, engine.TokenBucket, names[i%len(names)], 1))
	}
	verify(t, s)
	if len(sh.index) > 2*grown {
		t.Errorf("graves made the index grow from %d to %d", grown, len(sh.index))
	}
	for _, name := range names[10:] {
		s.mustDelete(t, name)
	}
	s.sweep()
	verify(t, s)
	if len(sh.index) > 64 {
		t.Errorf("%d slots for 10 keys", len(sh.index))
	}
}

// Keys whose slots have one tag, in one shard, are told apart by their names.
func TestSameTag(t *testing.T) {
	s := open(t)
	s.StopClock(noon)
	const keys = 16
	var names [][]byte
	name := make([]byte, 8)
	for i := uint64(0); len(names) < keys; i++ {
		binary.LittleEndian.PutUint64(name, i)
		if h := s.hash(engine.Key{Name: name}); h>>(64-shardBits) == crowded && h&255 == 0 {
			names = append(names, bytes.Clone(name))
		}
	}
	for i, name := range names {
		s.mustTake(t, callOf(t, engine.TokenBucket, name, int64(i%9)+1))
	}
	verify(t, s)
	for i, name := range names {
		if d := s.mustTake(t, callOf(t, engine.TokenBucket, name, 0)); d.Remaining != uint64(9-i%9) {
			t.Errorf("key %d: %+v", i, d)
		}
		s.mustDelete(t, name)
		verify(t, s)
	}
}

// plain is a state without the place where a sliding log keeps its instants: what
// is in it shows in later decisions.
func plain(s engine.State) engine.State {
	if s.Kind == engine.KindSlidingLog {
		s.Words = [3]uint64{s.Words[0], s.Words[2] - s.Words[1]}
		s.Log = nil
	}
	return s
}
