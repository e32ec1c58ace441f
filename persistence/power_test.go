package persistence

import (
	"fmt"
	"testing"
)

// R2: the power goes at any time, and takes any part of what was not synced.
func TestPowerLoss(t *testing.T) {
	seeds := 10_000
	if testing.Short() {
		seeds = 300
	}
	for policy := range policies {
		t.Run(Policy(policy).String(), func(t *testing.T) {
			t.Parallel()
			for seed := range seeds {
				lives(t, uint64(seed), Policy(policy), true)
			}
		})
	}
}

// A killed process loses nothing that was committed, whatever the policy.
func TestKilled(t *testing.T) {
	for policy := range policies {
		t.Run(Policy(policy).String(), func(t *testing.T) {
			t.Parallel()
			for seed := range 1000 {
				lives(t, uint64(seed), Policy(policy), false)
			}
		})
	}
}

// lives is some lives of a server on one disk, each ended by a crash.
func lives(t *testing.T, seed uint64, policy Policy, power bool) {
	w := newWorld(t, seed, policy)
	defer func() {
		if t.Failed() {
			fmt.Printf("seed %d, %s\n", seed, policy)
		}
	}()
	for range 3 {
		w.downAfter(w.rand.IntN(120))
		if w.start() {
			w.judge()
			for i := 0; i < 40 && !w.disk.down; i++ {
				w.step()
			}
		}
		w.crash(power)
	}
	if w.start() {
		w.judge()
	}
}
