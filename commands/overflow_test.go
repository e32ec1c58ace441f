package commands

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/memstore"
)

// nasty are the numbers that every argument must bear: an error, or an exact
// answer (R19).
var nasty = []string{
	"0", "-1", "1", "2147483648", "9007199254740992", "9223372036854775807", "-9223372036854775808",
	"9223372036854775808", "abc", "", " 1", "1.5", "1e9", "+1", "0x10",
}

// samples are arguments that are right, by their names in the usage.
var samples = map[string]string{
	"key": "k", "max_burst": "9", "count": "2", "period": "60", "quantity": "1", "tokens_per_period": "5",
	"capacity": "10", "refill_per_second": "1.5", "leak_per_second": "2", "cost": "2", "ms": "3000",
	"limit": "10", "window": "60", "lease": "30", "token": "mine",
	"command": "TB.TAKE 10 1 2", "subject": "s", "policy": "p",
}

// everyArgument is a call that gives every argument of a usage, optional ones too.
// Names that have no sample get one that is no number; it tells which.
func everyArgument(args []argument) (words, unknown []string) {
	add := func(args []argument) {
		w, u := everyArgument(args)
		words, unknown = append(words, w...), append(unknown, u...)
	}
	for _, a := range args {
		if a.token != "" {
			words = append(words, a.token)
		}
		switch {
		case a.kind == pureToken:
		case a.kind == oneOf:
			add(a.parts[:1])
		case a.kind == block:
			add(a.parts)
		case samples[a.name] == "":
			unknown = append(unknown, a.name)
			words = append(words, "x")
		default:
			words = append(words, strings.Fields(samples[a.name])...)
		}
	}
	return words, unknown
}

// limitingCalls are right calls of a limiting command: with all it can be told,
// and with the least.
func limitingCalls(t *testing.T, c *Command) [][]string {
	args := parseUsage(c.Usage)
	needed := slices.DeleteFunc(slices.Clone(args), func(a argument) bool { return a.optional })
	all, unknown := everyArgument(args)
	least, _ := everyArgument(needed)
	if len(unknown) > 0 {
		t.Fatalf("no samples for the arguments %q: add some", unknown)
	}
	full := append([]string{c.Name}, all...)
	if first := slices.Index(full, "k"); first >= 0 {
		for i := range full[first+1:] { // no two keys alike
			if full[first+1+i] == "k" {
				full[first+1+i] = fmt.Sprintf("k%d", i)
			}
		}
	}
	return [][]string{full, append([]string{c.Name}, least...)}
}

func eachLimiting(t *testing.T, f func(t *testing.T, c *Command, call []string)) {
	eachCommand(t, func(t *testing.T, c *Command) {
		if c.Group != RateLimit || len(c.Subcommands) > 0 {
			return
		}
		for i, call := range limitingCalls(t, c) {
			if i == 1 && slices.Equal(call, limitingCalls(t, c)[0]) {
				continue
			}
			t.Run(strings.Join(call[1:], "_"), func(t *testing.T) { f(t, c, call) })
		}
	})
}

// A bearing holds one right call, and knows what it changed.
type bearing struct {
	t       *testing.T
	call    []string
	session *Session
	store   *memstore.Store
}

func newBearing(t *testing.T, call []string) *bearing {
	store := memstore.New()
	t.Cleanup(store.Close)
	store.StopClock(conversationStart * engine.Instant(time.Millisecond))
	return &bearing{t, call, testSession(t, store), store}
}

// contents is the states of the keys that any of the words may name, and how many
// keys there are in all.
func (b *bearing) contents(words []string) (keys map[string]engine.State, n int64) {
	keys = map[string]engine.State{}
	for _, word := range slices.Concat(b.call, words) {
		state, err := b.store.Get(b.t.Context(), engine.Key{Name: []byte(word)})
		if err != nil {
			b.t.Fatal(err)
		}
		if state.Kind != 0 {
			keys[word] = state
		}
	}
	for db := range engine.MaxDatabases {
		inDB, err := b.store.Len(b.t.Context(), db)
		if err != nil {
			b.t.Fatal(err)
		}
		n += inDB
	}
	return keys, n
}

// forget makes all keys untouched.
func (b *bearing) forget(words []string) {
	keys, _ := b.contents(words)
	for name := range keys {
		if _, err := b.store.Delete(b.t.Context(), engine.Key{Name: []byte(name)}); err != nil {
			b.t.Fatal(err)
		}
	}
	if _, n := b.contents(words); n != 0 {
		b.t.Fatalf("%q left %d keys that it does not name", words, n)
	}
}

// tries says a call after the right one, and holds what must hold of the answer.
func (b *bearing) tries(words []string) {
	defer b.forget(words)
	b.session.do(b.call...) // something is used
	before, n := b.contents(words)
	reply := b.session.do(words...)
	if reply.Kind == Failure {
		if word, _, _ := strings.Cut(reply.Text, " "); word != "ERR" && word != "WRONGTYPE" || reply.Text == string(errInternal) {
			b.t.Errorf("%q: %s", words, reply.Text)
		}
		if after, m := b.contents(words); m != n || !reflect.DeepEqual(after, before) {
			b.t.Errorf("%q errs (%s) and changed %d keys\nfrom %v\nto %d, %v", words, reply.Text, n, before, m, after)
		}
	}
	for _, five := range fives(reply) {
		if err := checkFive(five); err != nil {
			b.t.Errorf("%q: %v", words, err)
		}
	}
}

// fives are the replies of limiting commands in a reply: itself, or among its items.
func fives(r Reply) (all [][5]int64) {
	if r.Kind == Limiting || r.Kind == Leasing {
		return [][5]int64{r.Five}
	}
	if r.Kind != Array {
		return nil
	}
	var five [5]int64
	for i, item := range r.Items {
		all = append(all, fives(item)...)
		if item.Kind != Integer || i >= len(five) {
			continue
		}
		if five[i] = item.Number; i == len(five)-1 {
			all = append(all, five)
		}
	}
	return all
}

// checkFive holds what every reply of a limiting command keeps to.
func checkFive(f [5]int64) error {
	limited, limit, remaining, retry, reset := f[0], f[1], f[2], f[3], f[4]
	switch {
	case limited != 0 && limited != 1:
		return fmt.Errorf("limited is %d", limited)
	case remaining < 0 || remaining > limit:
		return fmt.Errorf("remaining is not within 0 … %d: %v", limit, f)
	case retry < -1 || reset < 0:
		return fmt.Errorf("a time is below zero: %v", f)
	case limited == 1 && retry > reset:
		return fmt.Errorf("waiting for untouched is shorter than the wait: %v", f)
	case limited == 1 && retry == 0:
		return fmt.Errorf("refused, and to be tried again at once: %v", f)
	}
	return nil
}

func TestEveryArgumentBearsEveryNumber(t *testing.T) {
	eachLimiting(t, func(t *testing.T, c *Command, call []string) {
		b := newBearing(t, call)
		for position := 1; position < len(call); position++ {
			for _, number := range nasty {
				words := slices.Clone(call)
				words[position] = number
				b.tries(words)
			}
		}
	})
}

// TestEveryPairOfArgumentsBearsEveryNumber puts nasty numbers in two places at once.
func TestEveryPairOfArgumentsBearsEveryNumber(t *testing.T) {
	eachLimiting(t, func(t *testing.T, c *Command, call []string) {
		b := newBearing(t, call)
		for i := range len(nasty) * len(nasty) * len(call) {
			words := slices.Clone(call)
			words[1+i%(len(call)-1)] = nasty[i/len(call)%len(nasty)]
			words[1+(i*7+3)%(len(call)-1)] = nasty[i/len(call)/len(nasty)]
			b.tries(words)
		}
	})
}
