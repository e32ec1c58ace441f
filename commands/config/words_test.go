package config

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// Package server's tests compare inline commands, which are cut the same way, with
// a real redis-server.
func TestWords(t *testing.T) {
	const unbalanced = "unbalanced"
	for line, want := range map[string]string{
		"":                     `[]`,
		" \t\v\f\r\n":          `[]`,
		"a  b\tc":              `["a" "b" "c"]`,
		`"a b" 'c d'`:          `["a b" "c d"]`,
		`"" ''`:                `["" ""]`,
		`"\n\r\t\b\a\\\"\q"`:   `["\n\r\t\b\a\\\"q"]`,
		`"\x41\x4a\xFf\xg1\x"`: `["AJ\xffxg1x"]`,
		`'\n\'\"'`:             `["\\n'\\\""]`,
		`a"b c"`:               `["ab c"]`,
		`"a"b`:                 unbalanced,
		`"a""b"`:               unbalanced,
		`"a`:                   unbalanced,
		`'a`:                   unbalanced,
		`"a\"`:                 unbalanced,
		`'a\'`:                 unbalanced,
		`"\`:                   unbalanced,
		`"\x4`:                 unbalanced,
		"a\x00b c":             `["a"]`,
		"a\fb \vc\v":           `["a\fb" "c\v"]`,
		"\"a\"\fb":             `["a" "b"]`,
		"\"a\x00\"":            unbalanced,
		"\xff\xfe":             `["\xff\xfe"]`,
	} {
		words, ok := Words([]byte(line))
		got := fmt.Sprintf("%q", words)
		if !ok {
			got = unbalanced
		}
		if got != want {
			t.Errorf("%q: %s, want %s", line, got, want)
		}
	}
}

// FuzzWords: no line panics, the line is not changed, and quoting what was found
// finds the same again.
func FuzzWords(f *testing.F) {
	for _, line := range []string{"a b", `"a\x41\n" 'b\''`, `"`, "a\x00b", `a"b"`, "\"\\\x00"} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		before := bytes.Clone(line)
		words, ok := Words(line)
		if !bytes.Equal(line, before) {
			t.Fatal("the line was changed")
		}
		if !ok {
			return
		}
		var quotedAll []string
		for _, w := range words {
			var b strings.Builder
			for _, c := range w {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
			quotedAll = append(quotedAll, `"`+b.String()+`"`)
		}
		again, ok := Words([]byte(strings.Join(quotedAll, " ")))
		if !ok || fmt.Sprintf("%q", again) != fmt.Sprintf("%q", words) {
			t.Errorf("%q finds %q; quoted, %q", line, words, again)
		}
	})
}
