package server

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/redcon"
)

// FuzzFrames: however a stream is cut the reader finds the same commands and the
// same error, its buffer stays within bounds, and where redcon accepts a stream of
// arrays too it finds the same.
func FuzzFrames(f *testing.F) {
	for _, c := range allFrameCases() {
		f.Add([]byte(c.stream), uint64(1))
	}
	f.Add([]byte(strings.Repeat(throttle, 20)), uint64(2))
	f.Fuzz(func(t *testing.T, stream []byte, seed uint64) {
		whole := newFrameReader()
		want, wantErr := commandsOf(whole, string(stream), len(stream)+1, roomy)
		if most := max(largeBuffer, 2*len(stream)); len(whole.buf) > most {
			t.Errorf("%d bytes came, the buffer has %d", len(stream), len(whole.buf))
		}
		random := rand.New(rand.NewPCG(seed, 0))
		for _, size := range []int{1, 2, 1 + random.IntN(len(stream)+1)} {
			got, err := commandsOf(newFrameReader(), string(stream), size, roomy)
			if fmt.Sprint(got) != fmt.Sprint(want) || err != wantErr {
				t.Errorf("in reads of %d: %.200q, %v\nin one: %.200q, %v", size, got, err, want, wantErr)
			}
		}
		if wantErr == nil && onlyArrays(stream) {
			compareWithRedcon(t, stream, want)
		}
	})
}

// onlyArrays says whether no command of a stream is inline and nothing is in it
// that redcon reads in another way than Redis: no or fewer than no arguments, and a
// CR with something else than a newline behind it.
func onlyArrays(stream []byte) bool {
	if bytes.Contains(stream, []byte("*0")) || bytes.Contains(stream, []byte("-")) ||
		bytes.Count(stream, []byte("\r")) != bytes.Count(stream, []byte("\r\n")) {
		return false
	}
	f := newFrameReader()
	f.resize(len(stream) + 1)
	f.feed(stream)
	for f.at < f.to {
		if f.buf[f.at] != '*' {
			return false
		}
		if args, _ := f.next(roomy); args == nil {
			return true
		}
	}
	return true
}

func compareWithRedcon(t *testing.T, stream []byte, want [][]string) {
	reader := redcon.NewReader(bytes.NewReader(stream))
	for i := 0; ; i++ {
		cmd, err := reader.ReadCommand()
		if err != nil {
			return // the end, or something that redcon does not accept
		}
		words := make([]string, len(cmd.Args))
		for i, a := range cmd.Args {
			words[i] = string(a)
		}
		if i >= len(want) || !slices.Equal(words, want[i]) {
			t.Fatalf("command %d: redcon finds %q, we find %q", i, words, want)
		}
	}
}

// redisLimits are those of redis-server, so that only framing is compared.
var redisLimits = &Limits{Arguments: math.MaxInt32, Bulk: 512 << 20, Command: math.MaxInt}

// FuzzDifferential: of any bytes a real redis-server makes the same commands, the
// same error and the same end.
func FuzzDifferential(f *testing.F) {
	for _, c := range allFrameCases() {
		if c.redis == nil {
			f.Add([]byte(c.stream))
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		switch {
		case len(stream) > 16<<10:
			return // Redis's limit on lines depends on how they are cut
		case bytes.IndexByte(stream, 0) >= 0:
			return // Redis never sees the end of a line with a NUL in it
		}
		got, http := answers(stream)
		want := realRedis(t).converse(t, string(stream))
		want.replies = withoutErrors(t, want.replies)
		if http {
			got.replies, want.replies = "", "" // Redis drops what it has not written yet
		}
		if got != want {
			t.Errorf("answers %v\nRedis   %v", got, want)
		}
	})
}

// answers is what a server that knows PING, ECHO and QUIT says to a stream.
func answers(stream []byte) (o outcome, http bool) {
	found, err := commandsOf(newFrameReader(), string(stream), len(stream)+1, redisLimits)
	var out []byte
	for _, words := range found {
		switch name := strings.ToLower(words[0]); {
		case isHTTP([]byte(name)):
			return outcome{string(out), true}, true
		case name == "quit":
			return outcome{string(append(out, "+OK\r\n"...)), true}, false
		case name == "ping" && len(words) == 1:
			out = append(out, "+PONG\r\n"...)
		case name == "ping" && len(words) == 2, name == "echo" && len(words) == 2:
			out = redcon.AppendBulkString(out, words[1])
		default:
			out = append(out, "-E\r\n"...)
		}
	}
	if err != nil {
		out = redcon.AppendError(out, err.Error())
	}
	return outcome{string(out), err != nil}, false
}
