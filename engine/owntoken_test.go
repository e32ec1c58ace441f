package engine

import (
	"encoding/hex"
	"testing"
)

// What is read as a token of the server's own is what would be written so, and nothing
// that only looks like it.
func FuzzOwnToken(f *testing.F) {
	for _, token := range []string{
		"", "0123456789abcdef0123456789abcdef", "ffffffffffffffffffffffffffffffff", "00000000000000000000000000000000",
		"0123456789ABCDEF0123456789ABCDEF", "0123456789abcdef0123456789abcdeF", "0123456789abcdef0123456789abcdeg",
		"0123456789abcdef0123456789abcde", "0123456789abcdef0123456789abcdef0", "0123456789abcdef0123456789abcde ",
		"`123456789abcdef0123456789abcdef", ":123456789abcdef0123456789abcdef", "/123456789abcdef0123456789abcdef",
		"\xb0123456789abcdef0123456789abcdef"[:32], "@123456789abcdef0123456789abcdef", "p123456789abcdef0123456789abcdef",
	} {
		f.Add(token)
	}
	f.Fuzz(func(t *testing.T, token string) {
		raw, err := hex.DecodeString(token)
		want := err == nil && len(raw) == len(OwnToken{}) && hex.EncodeToString(raw) == token
		var b OwnToken
		ok := b.Parse(token)
		if ok != want || ok && string(b[:]) != string(raw) {
			t.Errorf("%q: %x, %v; the bytes are %x", token, b, ok, raw)
		}
		if text := b.AppendDigits(nil); ok && string(text) != token {
			t.Errorf("%q is written as %q", token, text)
		}
	})
}

func BenchmarkOwnToken(b *testing.B) {
	token := "0123456789abcdef0123456789abcdef"
	var own OwnToken
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			own.Parse(token)
		}
	})
	b.Run("digits", func(b *testing.B) {
		text := make([]byte, 0, ownDigits)
		for b.Loop() {
			own.AppendDigits(text)
		}
	})
}
