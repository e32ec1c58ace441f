package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// A writer uses up keys of its own, one of each algorithm, and knows how many units
// it was told that it got. Nothing comes back while the test runs.
type writer struct {
	name   string
	seed   uint64
	acked  map[string]int64 // by the command
	leases int64            // tokens that were granted, 0 … leases-1
}

// hugeLimits are calls whose last word is the cost. The limits are all 90,000, and a
// unit comes back in hours at the soonest.
var hugeLimits = []string{
	"CL.THROTTLE %s:cl 89999 1 30000",
	"TB.TAKE %s:tb 90000 0.00003",
	"FW.INCR %s:fw 90000 year",
	"SW.HIT %s:sw 90000 31622400",
	"SL.HIT %s:sl 90000 31622400",
	"LB.ADD %s:lb 89999 0.00003",
}

func (w *writer) args(command string, cost int64) (args []any) {
	for _, word := range strings.Fields(fmt.Sprintf(command, w.name)) {
		args = append(args, word)
	}
	return append(args, cost)
}

// write takes units, one or several calls in a pipeline, until the server is gone.
func (w *writer) write(addr string) {
	client := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: -1, PoolSize: 1, DialerRetries: 1})
	defer client.Close()
	ctx := context.Background()
	dice := rand.New(rand.NewPCG(w.seed, 0))
	w.seed++
	for {
		pipe := client.Pipeline()
		if dice.IntN(4) == 0 {
			pipe = client.TxPipeline()
		}
		var commands []string
		for range 1 + dice.IntN(8) {
			c := hugeLimits[dice.IntN(len(hugeLimits))]
			commands = append(commands, c)
			pipe.Do(ctx, w.args(c, 1)...)
		}
		lease := pipe.Do(ctx, "CC.ACQUIRE", w.name+":cc", 1_000_000, 600, "TOKEN", fmt.Sprint(w.leases))
		answers, err := pipe.Exec(ctx)
		for i, c := range commands {
			if answers[i].Err() == nil {
				w.acked[c]++
			}
		}
		if lease.Err() == nil {
			w.leases++
		}
		if err != nil {
			return
		}
	}
}

// check compares what the server says was used with what the writer was told. The
// one pipeline under way at the kill may count or not: from then on it counts.
func (w *writer) check(t *testing.T, client *redis.Client) {
	t.Helper()
	ctx := context.Background()
	for _, c := range hugeLimits {
		five, err := client.Do(ctx, w.args(c, 0)...).Int64Slice()
		if err != nil {
			t.Fatal(err)
		}
		used := five[1] - five[2]
		if acked := w.acked[c]; used < acked || used > acked+8 {
			t.Errorf("%s: %d were granted, the server knows of %d", fmt.Sprintf(c, w.name), acked, used)
		}
		w.acked[c] = used
	}
	for n := max(0, w.leases-50); n < w.leases; n++ {
		held, err := client.Do(ctx, "CC.RENEW", w.name+":cc", fmt.Sprint(n), 600).Int64()
		if err != nil || held != 1 {
			t.Errorf("lease %d of %s is lost: %d %v", n, w.name, held, err)
		}
	}
}

// R1: a server that is killed at any moment, also while it writes snapshots, has lost
// nothing that it answered, under every policy.
func TestKillLosesNothing(t *testing.T) {
	rounds := 200
	if testing.Short() {
		rounds = 20
	}
	dir := filepath.Join(t.TempDir(), "data")
	writers := make([]*writer, 8)
	for i := range writers {
		writers[i] = &writer{name: fmt.Sprintf("w%d", i), seed: uint64(i) << 32, acked: map[string]int64{}}
	}
	dice := rand.New(rand.NewPCG(1, 2))
	for round := range rounds {
		policy := []string{"everysec", "always", "no"}[round%3]
		server := start(t, "--dir", dir, "--appendfsync", policy, "--save", "1 1", "--auto-aof-rewrite-min-size", "20kb")
		client := server.client(t, 3)
		for _, w := range writers {
			w.check(t, client)
		}
		var busy sync.WaitGroup
		for _, w := range writers {
			busy.Go(func() { w.write(server.addr) })
		}
		saver := redis.NewClient(&redis.Options{Addr: server.addr, MaxRetries: -1, DialerRetries: 1})
		busy.Go(func() {
			for saver.Ping(context.Background()).Err() == nil {
				saver.BgRewriteAOF(context.Background()) // it fails while one runs
			}
			saver.Close()
		})
		time.Sleep(time.Duration(dice.IntN(60)) * time.Millisecond)
		server.Kill()
		busy.Wait()
		if t.Failed() {
			t.Fatalf("in round %d, under %s\n%s", round, policy, server.Log)
		}
	}
	total := int64(0)
	for _, w := range writers {
		for _, n := range w.acked {
			total += n
		}
	}
	t.Logf("%d kills, %d grants", rounds, total)
	if total < int64(rounds) {
		t.Errorf("only %d calls were granted in all", total)
	}
}
