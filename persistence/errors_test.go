package persistence

import (
	"fmt"
	"syscall"
	"testing"
	"time"
)

// faults is how a call can fail. A write can also end early.
var faults = []struct {
	name  string
	err   error
	times int // calls that fail in a row
}{
	{"EIO", syscall.EIO, 1},
	{"ENOSPC", syscall.ENOSPC, 1},
	{"short", shortWrite{syscall.ENOSPC}, 1},
	{"ENOSPC for a while", syscall.ENOSPC, 12},
	{"short for a while", shortWrite{syscall.ENOSPC}, 12},
}

// R5: the n-th call fails, for every n. Afterwards changes are kept again without a
// restart, and nothing that was committed is gone, whether the process is killed
// or the power goes.
func TestCallFails(t *testing.T) {
	for policy := range policies {
		for onError := range onErrors {
			for _, fault := range faults {
				t.Run(fmt.Sprintf("%s/%s/%s", Policy(policy), OnError(onError), fault.name), func(t *testing.T) {
					t.Parallel()
					for seed := uint64(0); seed < 6; seed += uint64(sparsely(6)) {
						for n := 0; failing(t, seed, Policy(policy), OnError(onError), n, fault.times, fault.err); n++ {
						}
					}
				})
			}
		}
	}
}

// failing runs a world whose n-th call fails, and says whether it came to it.
func failing(t *testing.T, seed uint64, policy Policy, onError OnError, n, times int, fault error) bool {
	w := newWorld(t, seed, policy)
	w.option = func(o *Options) { o.OnError = onError }
	left := n
	w.disk.before = func(op, name string) error {
		left--
		if left >= 0 || left < -times {
			return nil
		}
		if short, ok := fault.(shortWrite); ok && op != "write" {
			return short.err
		}
		return fault
	}
	defer func() {
		if t.Failed() {
			fmt.Printf("seed %d, call %d\n", seed, n)
		}
	}()
	for range 2 * times {
		if w.tryStart() == nil {
			break
		}
	}
	for range 60 {
		w.step()
		w.f.time = w.f.time.Add(50 * time.Millisecond)
		w.f.dir.housekeep()
		w.note()
	}
	for range 40 {
		w.f.time = w.f.time.Add(time.Second)
		w.f.dir.housekeep()
	}
	w.note()
	w.disk.before = nil
	if err := w.f.dir.Refuses(); err != nil {
		t.Fatalf("still failing: %v", err)
	}
	w.f.store.set(fixed("end"))
	w.commit()
	if w.acked != w.seq {
		t.Fatal("what comes afterwards is not kept")
	}
	w.crash(n%2 == 0)
	w.start()
	w.judge()
	return left < 0
}
