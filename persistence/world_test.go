package persistence

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"sluice/engine"
)

// A world is a store that is kept on a disk in memory, and the history of all its
// keys: so what is found after a crash can be told right or wrong.
type world struct {
	t      testing.TB
	rand   *rand.Rand
	disk   *memDisk
	policy Policy
	option func(*Options)

	f       *fixture
	n       int               // of the last state
	now     engine.Instant    // the store's clock
	before  uint64            // appends of earlier lives
	seq     uint64            // appends in all
	acked   uint64            // of them that were committed
	history map[string][]past // by key
	depth   int
}

// A past is what a key was from an append on.
type past struct {
	seq   uint64
	state string
}

func newWorld(t testing.TB, seed uint64, policy Policy) *world {
	return &world{t: t, rand: rand.New(rand.NewPCG(seed, 42)), disk: newMemDisk(), policy: policy,
		now: newMapStore().clock, history: map[string][]past{}}
}

// start opens the disk; false if the power goes meanwhile.
func (w *world) start() bool {
	err := w.tryStart()
	if err != nil && !w.disk.down {
		w.fatalf("recovery refuses: %v", err)
	}
	return err == nil
}

func (w *world) tryStart() error {
	f, err := openAt(w.t, w.disk, w.now, func(o *Options) {
		o.Policy = w.policy
		if w.option != nil {
			w.option(o)
		}
	})
	if err != nil {
		return err
	}
	w.f = f
	w.before = w.seq
	return nil
}

func (w *world) fatalf(format string, args ...any) {
	w.t.Helper()
	for _, name := range slices.Sorted(maps.Keys(w.disk.names)) {
		w.t.Logf("%s: %d bytes", name, len(w.disk.names[name].data))
	}
	w.t.Fatalf(format, args...)
}

// fixed is a state for one key.
func fixed(name string) map[string]engine.State { return map[string]engine.State{name: gcra(0)} }

// fingerprint is a key's state in bytes.
func fingerprint(s *mapStore, name string) string {
	h := s.keys[name]
	if h == nil || h.state.Kind == 0 {
		return ""
	}
	r := h.put()
	return string(appendRecord(nil, &r))
}

// note adds what the store is now to the history.
func (w *world) note() {
	s := w.f.store
	seq := w.before + w.f.dir.pending.appended.Load()
	if w.f.dir.pending.drop {
		seq++ // it is kept only with what will be appended next
	}
	w.seq = seq
	for name := range s.keys {
		if _, known := w.history[name]; !known {
			w.history[name] = []past{{0, ""}}
		}
	}
	for name, all := range w.history {
		if state := fingerprint(s, name); state != all[len(all)-1].state {
			w.history[name] = append(all, past{seq, state})
		}
	}
}

// step does something at random.
func (w *world) step() {
	s, r := w.f.store, w.rand
	w.now += engine.Instant(r.IntN(200_000_000))
	s.clock = w.now
	w.n++
	name := fmt.Sprint("key", r.IntN(6))
	switch r.IntN(20) {
	case 0, 1, 2, 3, 4, 5:
		s.set(map[string]engine.State{name: gcra(w.n)})
	case 6:
		s.set(map[string]engine.State{name: {}})
	case 7, 8:
		s.set(map[string]engine.State{"p": gcra(w.n), "q": gcra(w.n), name: gcra(w.n)})
	case 9, 10, 11:
		s.take("log", int64(r.IntN(8)-2))
	case 12, 13:
		s.lease("leases", fmt.Sprint(r.IntN(4)), engine.LeaseOp(r.IntN(3)))
	case 14:
		if r.IntN(4) == 0 {
			s.flush(0)
		}
	case 15:
		w.save()
	case 16:
		w.f.dir.everySecond()
	default:
		w.commit()
	}
	w.note()
}

func (w *world) commit() {
	w.note()
	if w.f.dir.Commit() == nil && w.f.dir.broken() == nil {
		w.acked = w.seq
	}
}

// save writes a snapshot, and does other things while it is written.
func (w *world) save() {
	if w.depth > 0 {
		return
	}
	w.depth++
	w.f.store.chunk = 1
	w.f.store.between = func(int) {
		for range w.rand.IntN(3) {
			w.step()
		}
	}
	w.note()
	w.f.dir.Save()
	w.f.store.between = nil
	w.depth--
}

// crash lets the process end, and the power go with it or not. What was kept is
// what may not be missing from then on.
func (w *world) crash(power bool) {
	kept := w.before
	if w.f != nil {
		kept += w.f.dir.writer.synced.Load()
		if !power {
			kept = w.before + w.f.dir.writer.written.Load()
		}
	}
	if w.policy == Always || !power {
		kept = max(kept, w.acked)
	}
	w.disk.down = true
	if power {
		w.disk = w.disk.powerLoss(w.rand)
	} else {
		w.disk = w.disk.killed()
	}
	for name, all := range w.history {
		w.history[name] = since(all, kept)
	}
	w.f = nil
}

// since is what of a past is still possible after an append is kept.
func since(all []past, kept uint64) []past {
	for len(all) > 1 && all[1].seq <= kept {
		all = all[1:]
	}
	return all
}

// judge fails the test if the store is one that there never was.
func (w *world) judge() {
	w.t.Helper()
	s := w.f.store
	for name := range s.keys {
		if w.history[name] == nil {
			w.fatalf("%s was never there", name)
		}
	}
	for name, all := range w.history {
		got := fingerprint(s, name)
		i := slices.IndexFunc(all, func(p past) bool { return p.state == got })
		if i < 0 {
			w.fatalf("%s is %x\nwhich it can't be; it was %x", name, got, all)
		}
		w.history[name] = []past{{0, got}}
	}
	p, q := s.keys["0/p"], s.keys["0/q"]
	if (p == nil) != (q == nil) || p != nil && p.state != q.state {
		w.fatalf("of what was done as one, a half was done")
	}
}

// downAfter has the power go at the n-th operation from now on.
func (w *world) downAfter(n int) {
	disk := w.disk
	disk.before = func(string, string) error {
		if n--; n < 0 {
			disk.down = true
			return errDown
		}
		return nil
	}
}
