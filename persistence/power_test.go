package persistence

import (
	"fmt"
	"testing"
)

// R2: the power goes at any time, and takes any part of what was not synced.
func TestPowerLoss(t *testing.T) { eachPolicy(t, 10_000, true) }

// A killed process loses nothing that was committed, whatever the policy.
func TestKilled(t *testing.T) { eachPolicy(t, 1_000, false) }

// eachPolicy runs seeds: each with every policy, or with one of them if time is short.
func eachPolicy(t *testing.T, seeds int, power bool) {
	step := 1
	if raceEnabled || testing.Short() {
		step = len(policies)
	}
	for policy := range policies {
		t.Run(Policy(policy).String(), func(t *testing.T) {
			t.Parallel()
			for seed := policy; seed < seeds; seed += step {
				lives(t, uint64(seed), Policy(policy), power)
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
