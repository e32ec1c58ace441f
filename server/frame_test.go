package server

import (
	"math/rand/v2"
	"strings"
	"testing"
)

const ping = "*1\r\n$4\r\nPING\r\n"

// A frameCase is something a client may say. Redis answers the same and closes the
// connection alike, unless redis says what it does instead, and why tells why we don't.
type frameCase struct {
	name, stream string
	want         string
	closed       bool
	redis        *outcome
	why          string
}

// waits is Redis's outcome where it waits for more bytes for ever.
var waits = &outcome{}

func protocolError(text string) string { return "-ERR Protocol error: " + text + "\r\n" }

var (
	tooBigInline = protocolError("too big inline request")
	badMultibulk = protocolError("invalid multibulk length")
	badBulk      = protocolError("invalid bulk length")
	unbalanced   = protocolError("unbalanced quotes in request")
)

var frameCases = []frameCase{
	{name: "a command", stream: ping, want: "+PONG\r\n"},
	{name: "an empty array", stream: "*0\r\n" + ping, want: "+PONG\r\n"},
	{name: "a null array", stream: "*-1\r\n" + ping, want: "+PONG\r\n"},
	{name: "a very negative array", stream: "*-10\r\n" + ping, want: "+PONG\r\n"},
	{name: "empty lines", stream: "\r\n\n \r\n" + ping, want: "+PONG\r\n"},
	{name: "NUL and high bytes in an argument", stream: frame("ECHO", "\x00\xff\r\n"), want: "$4\r\n\x00\xff\r\n\r\n"},
	{name: "an empty argument", stream: frame("ECHO", ""), want: "$0\r\n\r\n"},
	{name: "any byte behind a CR", stream: "*1\rX$4\rYPINGZZ", want: "+PONG\r\n"},
	{name: "replies earned before an error", stream: ping + frame("ECHO", "a") + "*x\r\n" + ping, want: "+PONG\r\n$1\r\na\r\n" + badMultibulk, closed: true},
	{name: "nothing runs after QUIT", stream: ping + frame("QUIT") + ping + "*x\r\n", want: "+PONG\r\n+OK\r\n", closed: true},
	{name: "no dollar", stream: "*1\r\nPING\r\n", want: protocolError("expected '$', got 'P'"), closed: true},
	{name: "an array in an array", stream: "*1\r\n*1\r\n$4\r\nPING\r\n", want: protocolError("expected '$', got '*'"), closed: true},
	{name: "an empty line for a length", stream: "*1\r\n\r\n", want: protocolError("expected '$', got ' '"), closed: true},
	{name: "a newline for a length", stream: "*1\r\n\n\r\n", want: protocolError("expected '$', got ' '"), closed: true},
	{name: "a high byte for a length", stream: "*1\r\n\xffabc\r\n", want: protocolError("expected '$', got '\xff'"), closed: true},
	{name: "half a command", stream: "*2\r\n$4\r\nECHO\r\n$3\r\nab", want: ""},
	{name: "half a length", stream: "*2\r", want: ""},

	{name: "inline", stream: "PING\r\nECHO a\n", want: "+PONG\r\n$1\r\na\r\n"},
	{name: "inline tabs and quotes", stream: "ECHO\t\"a\\x41\\n\\\"b\"\r\necho 'a\\'\\n'\r\n", want: "$5\r\naA\n\"b\r\n$4\r\na'\\n\r\n"},
	{name: "inline open quote", stream: "ECHO 'a\r\n" + ping, want: unbalanced, closed: true},
	{name: "inline text behind a quote", stream: "ECHO 'a'b\r\n", want: unbalanced, closed: true},
	{name: "inline of 64 KB", stream: "ECHO " + strings.Repeat("A", maxLine-5) + "\n", want: "$65531\r\n" + strings.Repeat("A", maxLine-5) + "\r\n"},
	{name: "inline without an end", stream: strings.Repeat("A", maxLine+1), want: tooBigInline, closed: true},
	{name: "inline longer than 64 KB", stream: "ECHO " + strings.Repeat("A", maxLine-4) + "\n" + ping, want: tooBigInline, closed: true,
		redis: &outcome{"$65532\r\n" + strings.Repeat("A", maxLine-4) + "\r\n+PONG\r\n", false},
		why:   "Redis limits a line only while its end has not come, so it depends on how the bytes were cut"},
	{name: "a number of arguments without an end", stream: "*" + strings.Repeat("1", maxLine), want: protocolError("too big mbulk count string"), closed: true},
	{name: "a length without an end", stream: "*1\r\n$" + strings.Repeat("1", maxLine), want: protocolError("too big bulk count string"), closed: true},

	{name: "HTTP POST", stream: "POST / HTTP/1.1\r\n" + ping, closed: true},
	{name: "HTTP Host in any case", stream: "hOsT: example.com\r\n" + ping, closed: true},
	{name: "HTTP behind a command", stream: ping + "post / HTTP/1.1\r\n" + ping, want: "+PONG\r\n", closed: true,
		redis: &outcome{"", true}, why: "a reply that was earned is sent"},

	{name: "NUL in a line", stream: "PING\x00 x\r\n" + ping, want: "+PONG\r\n+PONG\r\n", redis: waits,
		why: "Redis looks for the line's end with strchr, which never passes a NUL"},
	{name: "NUL in a number", stream: "*1\x00\r\n", want: badMultibulk, closed: true, redis: waits, why: "as above"},
	{name: "more arguments than we allow", stream: "*1025\r\n" + ping, want: badMultibulk, closed: true,
		redis: &outcome{protocolError("expected '$', got '*'"), true}, why: "proto-max-arguments is 1024"},
	{name: "a longer argument than we allow", stream: "*1\r\n$1048577\r\n", want: badBulk, closed: true, redis: waits,
		why: "proto-max-bulk-len is 1 MB"},
	{name: "more inline words than we allow", stream: strings.Repeat("a ", 1025) + "\r\n", want: protocolError("too many words in request"), closed: true,
		redis: &outcome{"-E\r\n", false}, why: "proto-max-arguments is 1024 here too"},
}

// giants are the lengths of R14: all that is no number from 0 to 2^31-1 in its
// shortest form. Below zero an array is skipped.
var giants = []string{"2147483648", "4294967296", "9007199254740992", "9223372036854775807", "9223372036854775808",
	"18446744073709551616", "99999999999999999999999", "-9223372036854775809", "+5", "007", "00", "-0", "-", "", "1e3",
	"0x10", " 5", "5 ", "1.0", "٣"}

var skipped = []string{"0", "-1", "-5", "-2147483649", "-9223372036854775808"}

func allFrameCases() []frameCase {
	all := append([]frameCase{}, frameCases...)
	for _, n := range giants {
		all = append(all,
			frameCase{name: "*" + n, stream: ping + "*" + n + "\r\n" + ping, want: "+PONG\r\n" + badMultibulk, closed: true},
			frameCase{name: "$" + n, stream: "*2\r\n$4\r\nECHO\r\n$" + n + "\r\nabc", want: badBulk, closed: true})
	}
	for _, n := range skipped {
		all = append(all, frameCase{name: "*" + n, stream: "*" + n + "\r\n" + ping, want: "+PONG\r\n"})
		if n != "0" {
			all = append(all, frameCase{name: "$" + n, stream: "*1\r\n$" + n + "\r\n", want: badBulk, closed: true})
		}
	}
	return append(all, frameCase{name: "$2147483647", stream: "*1\r\n$2147483647\r\n", want: badBulk, closed: true})
}

func TestFrames(t *testing.T) {
	s := newServer(newService(t), nil)
	for _, c := range allFrameCases() {
		t.Run(c.name, func(t *testing.T) {
			got := converse(s, []byte(c.stream))
			got.replies = withoutErrors(t, got.replies)
			if want := (outcome{c.want, c.closed}); got != want {
				t.Errorf("answers %v\nwant    %v", got, want)
			}
		})
	}
}

func TestFramesAsRedis(t *testing.T) {
	r := realRedis(t)
	for _, c := range allFrameCases() {
		t.Run(c.name, func(t *testing.T) {
			want := outcome{c.want, c.closed}
			if c.redis != nil {
				want = *c.redis
			}
			got := r.converse(t, c.stream)
			got.replies = withoutErrors(t, got.replies)
			if got != want {
				t.Errorf("Redis answers %v\nnot            %v", got, want)
			}
		})
	}
}

// The bytes decide, not how they were cut on their way.
func TestFramesHoweverCut(t *testing.T) {
	s := newServer(newService(t), nil)
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range allFrameCases() {
		t.Run(c.name, func(t *testing.T) {
			want := outcome{c.want, c.closed}
			check := func(places ...int) {
				t.Helper()
				got := converse(s, cutAt(c.stream, places...)...)
				got.replies = withoutErrors(t, got.replies)
				if got != want {
					t.Fatalf("cut at %d: answers %v\nwant %v", places, got, want)
				}
			}
			if len(c.stream) < 1000 {
				all := []int{}
				for i := range c.stream {
					check(i)
					all = append(all, i)
				}
				check(all...)
			}
			for range 20 {
				check(randomPlaces(random, len(c.stream))...)
			}
		})
	}
}

func randomPlaces(random *rand.Rand, length int) (places []int) {
	most := 1 + random.IntN(min(length, 5000))
	for at := random.IntN(most) + 1; at < length; at += random.IntN(most) + 1 {
		places = append(places, at)
	}
	return places
}
