package commands

import (
	"testing"

	"sluice/engine"
)

// No token is told twice, of any maker, and all are own ones.
func TestTokens(t *testing.T) {
	seen := map[string]bool{}
	for range 3 {
		var made tokens
		for range 5*tokensMade + 3 {
			token := made.next()
			if own := new(engine.OwnToken).Parse(token); !own || seen[token] {
				t.Fatalf("%q: is an own token: %v, was seen before: %v", token, own, seen[token])
			}
			seen[token] = true
		}
	}
}
