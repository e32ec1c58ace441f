package bench

import (
	"maps"
	"strings"
	"testing"
)

var streams = []struct {
	name, stream string
	replies      int
	errors       int64
}{
	{"nothing", "", 0, 0},
	{"a status", "+OK\r\n", 1, 0},
	{"an integer", ":-1\r\n", 1, 0},
	{"an empty line of status", "+\r\n", 1, 0},
	{"five integers, twice", "*5\r\n:0\r\n:5\r\n:4\r\n:-1\r\n:6\r\n*5\r\n:1\r\n:5\r\n:0\r\n:6\r\n:30\r\n", 2, 0},
	{"a bulk string with line ends in it", "$6\r\na\r\nb\r\n\r\n:1\r\n", 2, 0},
	{"an empty bulk string", "$0\r\n\r\n", 1, 0},
	{"null bulk string, null array, empty array", "$-1\r\n*-1\r\n*0\r\n", 3, 0},
	{"arrays in an array", "*3\r\n:0\r\n$-1\r\n*2\r\n*1\r\n:1\r\n*0\r\n+next\r\n", 2, 0},
	{"errors, one within an array", "-ERR no\r\n*2\r\n-ERR no\r\n:1\r\n-OOM more\r\n", 3, 3},
	{"not all of it", "*2\r\n:1\r\n", 0, 0},
	{"half a line", ":12", 0, 0},
	{"half a line end", ":12\r", 0, 0},
}

// TestReplies cuts each stream in every place: the count is the same.
func TestReplies(t *testing.T) {
	for _, test := range streams {
		t.Run(test.name, func(t *testing.T) {
			for cut := range len(test.stream) + 1 {
				var r Replies
				first, err1 := r.Count([]byte(test.stream[:cut]))
				second, err2 := r.Count([]byte(test.stream[cut:]))
				if first+second != test.replies || r.Errors != test.errors || err1 != nil || err2 != nil {
					t.Fatalf("cut at %d: %d+%d replies, %d errors (%v, %v); want %d, %d",
						cut, first, second, r.Errors, err1, err2, test.replies, test.errors)
				}
			}
		})
	}
}

func TestRepliesWrong(t *testing.T) {
	for _, stream := range []string{"\r\n", "\n", "+OK\n", "x\r\n", "$x\r\n", "$-2\r\n", "*9999999\r\n", "$99999999999999999999\r\n", "_\r\n",
		"+" + strings.Repeat("a", maxLine+1)} {
		if _, err := new(Replies).Count([]byte(stream)); err == nil {
			t.Errorf("%.20q is taken for a reply", stream)
		}
	}
}

// TestRepliesTexts holds that errors are told apart, and that a server can not fill
// our memory with different ones.
func TestRepliesTexts(t *testing.T) {
	var r Replies
	for i := range 20 {
		for range 2 {
			if _, err := r.Count([]byte("-ERR " + strings.Repeat("x", i) + "\r\n")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if r.Errors != 40 || len(r.Texts) != maxTexts+1 || r.Texts["ERR "] != 2 || r.Texts["other"] != 24 {
		t.Errorf("%d errors: %v", r.Errors, r.Texts)
	}
}

// TestRepliesAllocateNothing: but for errors, which are rare.
func TestRepliesAllocateNothing(t *testing.T) {
	var r Replies
	stream := []byte(strings.Repeat("*5\r\n:0\r\n:5\r\n:4\r\n:-1\r\n:6\r\n$32\r\n"+strings.Repeat("f", 32)+"\r\n", 10))
	if n := testing.AllocsPerRun(100, func() {
		if n, err := r.Count(stream); n != 20 || err != nil {
			t.Fatalf("%d replies, %v", n, err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzReplies holds that what is counted does not depend on the pieces.
func FuzzReplies(f *testing.F) {
	for _, test := range streams {
		f.Add([]byte(test.stream), 3)
	}
	f.Add([]byte("*1048576\r\n*1048576\r\n:1\r\n$536870912\r\nabc"), 7)
	f.Fuzz(func(t *testing.T, stream []byte, piece int) {
		var whole, pieces Replies
		n, err := whole.Count(stream)
		var m int
		var err2 error
		for rest := stream; len(rest) > 0 && err2 == nil; {
			size := max(1, min(piece, len(rest)))
			var k int
			k, err2 = pieces.Count(rest[:size])
			m += k
			rest = rest[size:]
		}
		if n != m || (err == nil) != (err2 == nil) || whole.Errors != pieces.Errors || !maps.Equal(whole.Texts, pieces.Texts) {
			t.Errorf("%q at once: %d, %v, %v; in pieces of %d: %d, %v, %v", stream, n, err, whole.Texts, piece, m, err2, pieces.Texts)
		}
	})
}

func BenchmarkReplies(b *testing.B) {
	for name, reply := range map[string]string{"integer": ":12345\r\n", "five": "*5\r\n:0\r\n:100\r\n:99\r\n:-1\r\n:864000\r\n"} {
		b.Run(name, func(b *testing.B) {
			stream := []byte(strings.Repeat(reply, 64))
			var r Replies
			b.ReportAllocs()
			for b.Loop() {
				if n, _ := r.Count(stream); n != 64 {
					b.Fatal(n)
				}
			}
		})
	}
}
