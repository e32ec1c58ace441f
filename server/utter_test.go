package server

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// An utterance is what a client says at once: a command or a transaction, behind the
// choice of its database.
type utterance struct {
	db      int
	stream  string
	replies int
}

func (u utterance) String() string { return strings.NewReplacer("\r\n", " ").Replace(u.stream) }

// A room is a database of few keys, in which a history is told.
type room struct {
	*rand.Rand
	db  int
	own [3]string // the algorithm that is mostly used on each of its keys
}

var (
	roomKeys   = [3]string{"a", "b", "c"}
	roomTokens = [3]string{"x", "y", "z"}
)

// limiters are the commands that RL.ALL can hold, with numbers that leave whole
// milliseconds, so that RL.INSPECT shows all of a state.
var limiters = map[string][]string{
	"CL.THROTTLE": {"3 4 4", "1 2 2"},
	"GCRA":        {"3 4 4", "2 1 1"},
	"TB.TAKE":     {"4 1", "2 10"},
	"FW.INCR":     {"4 60", "3 1d"},
	"SW.HIT":      {"4 60", "3 60"},
	"SL.HIT":      {"4 60", "12 30"},
	"LB.ADD":      {"3 1", "2 10"},
}

var limiterNames = []string{"CL.THROTTLE", "GCRA", "TB.TAKE", "FW.INCR", "SW.HIT", "SL.HIT", "LB.ADD"}

func pick[T any](r *rand.Rand, items ...T) T { return items[r.IntN(len(items))] }

// limiter is a call of a limiting command, without its key.
func (r room) limiter(key int) (words []string) {
	name := r.own[key]
	if name == "CC" || r.IntN(8) == 0 {
		name = pick(r.Rand, limiterNames...)
	}
	words = append([]string{name}, strings.Fields(pick(r.Rand, limiters[name]...))...)
	switch cost := strconv.Itoa(r.IntN(6) - 2); {
	case name == "GCRA":
		words = append(words, "TOKENS", pick(r.Rand, "1", "2"))
	case name == "TB.TAKE" && r.IntN(4) == 0:
		words = append(words, cost, "MAXWAIT", "5000")
	case r.IntN(2) == 0:
		words = append(words, cost)
	}
	return words
}

func (r room) lease(key string) []string {
	token := pick(r.Rand, roomTokens[:]...)
	switch r.IntN(6) {
	case 0:
		return []string{"CC.RENEW", key, token, pick(r.Rand, "5", "60")}
	case 1, 2:
		return []string{"CC.RELEASE", key, token}
	case 3:
		return []string{"CC.ACQUIRE", key, "2", "0"}
	}
	return []string{"CC.ACQUIRE", key, pick(r.Rand, "1", "2", "2"), pick(r.Rand, "5", "60"), "TOKEN", token}
}

// command is one command, that RL.ALL or not.
func (r room) command() []string {
	i := r.IntN(len(roomKeys))
	k := roomKeys[i]
	switch n := r.IntN(20); {
	case n < 3:
		return r.all()
	case n == 3:
		return []string{pick(r.Rand, "DEL", "UNLINK", "EXISTS"), k, roomKeys[(i+1)%3]}
	case n == 4:
		return []string{pick(r.Rand, "DEL", "DEL", "EXISTS", "TYPE", "TTL", "PTTL", "GET", "RL.INSPECT"), k}
	case n == 5:
		return []string{"RL.INSPECT", k}
	case n == 6 && r.IntN(3) == 0:
		return []string{"FLUSHDB"}
	case r.own[i] == "CC" && n < 18:
		return r.lease(k)
	case n == 7:
		return r.lease(k)
	}
	words := r.limiter(i)
	return append([]string{words[0], k}, words[1:]...)
}

func (r room) all() []string {
	words := []string{"RL.ALL"}
	for n, i := range r.Perm(len(roomKeys))[:2+r.IntN(2)] {
		if n > 0 {
			words = append(words, "AND")
		}
		words = append(append(words, roomKeys[i]), r.limiter(i)...)
	}
	return words
}

func (r room) utter() utterance {
	u := utterance{db: r.db, stream: choose(r.db), replies: 1}
	say := func(words ...string) {
		u.stream += frame(words...)
		u.replies++
	}
	if r.IntN(6) > 0 {
		say(r.command()...)
		return u
	}
	say("MULTI")
	for range 1 + r.IntN(3) {
		say(r.command()...)
	}
	say(pick(r.Rand, "EXEC", "EXEC", "EXEC", "EXEC", "DISCARD"))
	return u
}
