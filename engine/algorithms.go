package engine

// A Kind names an algorithm in stored states. The numbers are in files on disk:
// they are never reused.
type Kind uint8

// The kinds of state. The zero Kind is a key never used.
const (
	KindGCRA          Kind = 1
	KindTokenBucket   Kind = 2
	KindFixedWindow   Kind = 3
	KindSlidingWindow Kind = 4
	KindLeakyBucket   Kind = 5
	KindSlidingLog    Kind = 6
	KindConcurrency   Kind = 7
)

// An Algorithm is a row of the table: a pure function and its name.
type Algorithm struct {
	Kind Kind
	Name string // what TYPE answers
	Doc  string
	// Decide answers a request against the state of its key, which is either
	// zero or of this algorithm's kind. It may be called twice: a caller that
	// drops the returned state has changed nothing.
	Decide func(State, *Request) (State, Decision)
	// SetBack carries a state over when the clock is set back from one instant
	// to another: that grants nothing. Nobody waits longer for it than before or,
	// where windows lie on the clock, than at a key that is used up then.
	SetBack func(s State, from, to Instant) State
	// Describe tells a state in words, for who inspects a key.
	Describe func(s State, now Instant) []Field
}

// Algorithms is every algorithm there is. The rules, the vectors and the stores
// range over it.
var Algorithms = [...]*Algorithm{
	GCRA,
	TokenBucket,
	FixedWindow,
	SlidingWindow,
	LeakyBucket,
	SlidingLog,
}

// Kinds is every kind of state that a key can hold.
func Kinds() []Kind {
	kinds := make([]Kind, 0, len(Algorithms)+1)
	for _, a := range Algorithms {
		kinds = append(kinds, a.Kind)
	}
	return append(kinds, KindConcurrency)
}

// String is the algorithm's name, or "none".
func (k Kind) String() string {
	if k == KindConcurrency {
		return "concurrency"
	}
	if a := k.Algorithm(); a != nil {
		return a.Name
	}
	return "none"
}

// Algorithm is the kind's row, or nil.
func (k Kind) Algorithm() *Algorithm {
	for _, a := range Algorithms {
		if a.Kind == k {
			return a
		}
	}
	return nil
}

// keepDistance is the SetBack of a state that is nothing but a deadline: it stays
// as far away as it was.
func keepDistance(s State, from, to Instant) State {
	s.Deadline -= from - to
	return s
}
