package commands

import (
	"slices"

	"sluice/engine"
)

// A habit is what a client said last in one place: a limiter and the words behind its
// key. Nearly always it says the same again of another key, and then the call that the
// words were read into stands as it is.
type habit struct {
	limiter *limiter // nil for none
	words   [][]byte
}

// longestHabit is more than a number takes. Longer words are read again.
const longestHabit = 24

// read reads the words behind a limiter's key into the call of the habit's place.
func (h *habit) read(l *limiter, words [][]byte, call *engine.Call) error {
	if h.limiter == l && slices.EqualFunc(h.words, words, sameWord) {
		return nil
	}
	h.limiter = nil
	call.Request = engine.Request{}
	if err := l.parse(words, call); err != nil {
		return err
	}
	h.note(l, words)
	return nil
}

func sameWord(a, b []byte) bool { return string(a) == string(b) }

func (h *habit) note(l *limiter, words [][]byte) {
	h.words = slices.Grow(h.words[:0], len(words))[:len(words)]
	for i, w := range words {
		if len(w) > longestHabit {
			return
		}
		h.words[i] = append(h.words[i][:0], w...)
	}
	h.limiter = l
}
