package commands

import (
	"crypto/rand"

	"sluice/engine"
)

// tokens makes tokens that nobody can guess. To ask the system for each one's bytes, and
// for memory for each, takes four times as long as for some together.
type tokens struct {
	made string // tokens that nobody has got yet, one behind the other
}

const (
	tokenLength = 2 * len(engine.OwnToken{})
	tokensMade  = 16 // at a time
)

// next is another token each time.
func (t *tokens) next() string {
	if t.made == "" {
		t.made = makeTokens()
	}
	token := t.made[:tokenLength]
	t.made = t.made[tokenLength:]
	return token
}

func makeTokens() string {
	var secret [tokensMade * len(engine.OwnToken{})]byte
	_, _ = rand.Read(secret[:]) // never fails, it ends the process instead
	text := make([]byte, 0, tokensMade*tokenLength)
	for rest := secret[:]; len(rest) > 0; rest = rest[len(engine.OwnToken{}):] {
		text = (*engine.OwnToken)(rest).AppendDigits(text)
	}
	return string(text)
}
