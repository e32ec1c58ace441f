package engine

import "time"

// A subject is what the rules must be told about a row of Algorithms: how its
// numbers are made, and, with the reason, where a rule can not hold to the letter.
type subject struct {
	example string // numbers as on the wire, of which one a second is granted for ever
	// limit is random numbers. Of GCRA's, share sets together keep a common
	// denominator below 2^63, up to which it is exact.
	limit func(d dice, share int64) Limit
	// raise is numbers no caller can be worse off with.
	raise func(d dice, l Limit) Limit
	// state is a state, but for its kind, with anything in it that the head of the
	// algorithm's file allows.
	state func(d dice) State

	maxWait     bool // reads Request.MaxWait
	restates    bool // a refused call with another rate restates the state (protocol, rule 4)
	looksAlone  bool // a look is limited only in debt beyond the burst, as redis-cell's (protocol, CL.THROTTLE)
	grantsAhead bool // a grant can have a wait ahead without MaxWait (protocol, LB.ADD)
	setBackOnly bool // an earlier now without SetBack, which no store asks for, can find that the older count has faded
	onTheClock  bool // windows lie on the clock: set back, a key can wait for its own window's end once more
}

var subjects = map[Kind]subject{
	KindGCRA:          {example: "99 1 1", limit: gcraLimits, raise: raiseMax, state: gcraStates, looksAlone: true},
	KindTokenBucket:   {example: "100 1", limit: bucketLimits, raise: raiseMaxAndRate, state: bucketStates, maxWait: true, restates: true},
	KindFixedWindow:   {example: "100 60", limit: windowLimits, raise: raiseMax, state: windowStates, onTheClock: true},
	KindLeakyBucket:   {example: "99 1", limit: queueLimits, raise: raiseMaxAndRate, state: bucketStates, restates: true, grantsAhead: true},
	KindSlidingLog:    {example: "100 60", limit: logLimits, raise: raiseLog, state: logStates},
	KindSlidingWindow: {example: "100 60", limit: windowLimits, raise: raiseMax, state: windowStates, onTheClock: true, setBackOnly: true},
}

func gcraLimits(d dice, share int64) Limit {
	count := spread(d, 1, min(int64(MaxUnits), 1<<(60/share)))
	period := oneOf(d, time.Second, time.Duration(1))
	period *= time.Duration(spread(d, 1, int64(MaxFill/period)))
	return fitting(d, 0, MaxUnits, func(burst int64) (Limit, error) { return GCRALimit(burst, count, period) })
}

func bucketLimits(d dice, _ int64) Limit {
	rate := Micros(oneOf(d, 1_000_000*spread(d, 1, MaxRate), spread(d, 1, MaxRate*1_000_000)))
	return fitting(d, 1, MaxUnits, func(n int64) (Limit, error) { return TokenBucketLimit(n, rate) })
}

func queueLimits(d dice, _ int64) Limit {
	rate := Micros(spread(d, 1, MaxRate*1_000_000))
	return fitting(d, 0, MaxUnits, func(n int64) (Limit, error) { return LeakyBucketLimit(n, rate) })
}

func windowLimits(d dice, _ int64) Limit {
	w := oneOf(d, Window(spread(d, 1, int64(MaxWindow/time.Millisecond))), Day, Week, Month, Year)
	return fitting(d, 1, MaxUnits, func(n int64) (Limit, error) { return WindowLimit(n, w) })
}

// raiseMax leaves the rate: GCRA keeps the arrival time, which is more units at
// a faster rate, and a window of another length starts afresh.
func raiseMax(d dice, l Limit) Limit {
	l.Max += uint64(spread(d, 0, MaxUnits-int64(min(l.Max, MaxUnits))))
	return l
}

func raiseMaxAndRate(d dice, l Limit) Limit {
	l.Rate.Units += uint64(spread(d, 0, MaxRate*1_000_000-int64(l.Rate.Units)))
	return raiseMax(d, l)
}

func gcraStates(d dice) State {
	den := spread(d, 2, 1<<63-1)
	early := uint64(spread(d, 0, den-1))
	if early == 0 {
		den = 0
	}
	tat := Instant(spread(d, 1, int64(MaxInstant)+int64(MaxFill)))
	return State{Deadline: tat, Words: [3]uint64{early, uint64(den)}}
}

func bucketStates(d dice) State {
	rate := spread(d, 1, MaxRate*1_000_000)
	spare := spread(d, 0, rate-1)
	return State{Deadline: Instant(spread(d, 1, 1<<63-1)), Words: [3]uint64{uint64(spare), uint64(rate)}}
}

// windowStates have the words of the sliding window; of a fixed one's, the last is none.
func windowStates(d dice) State {
	l := windowLimits(d, 1)
	end := l.Window.at(Instant(spread(d, 0, int64(MaxInstant)))).end
	return State{Deadline: end, Words: [3]uint64{uint64(l.Window), l.Max, uint64(spread(d, 0, MaxUnits))}}
}

// logLimits are mostly small: a call of a large one takes as long as a hundred thousand.
func logLimits(d dice, _ int64) Limit {
	most := oneOf(d, 10, 50, 50, 500, 500, 500, 500, MaxLogUnits)
	w := Window(spread(d, 1, int64(MaxWindow/time.Millisecond)))
	return fitting(d, 1, int64(most), func(n int64) (Limit, error) { return LogLimit(n, w) })
}

func raiseLog(d dice, l Limit) Limit {
	l.Max += uint64(spread(d, 0, MaxLogUnits-int64(l.Max)))
	return l
}

func logStates(d dice) State {
	l := logLimits(d, 1)
	first := uint64(spread(d, 0, 1<<62))
	at := Instant(spread(d, 0, int64(MaxInstant)))
	units := make([]Instant, spread(d, 1, 64))
	for i := range units {
		units[i] = at
		at = min(MaxInstant, at+Instant(spread(d, 0, int64(MaxWindow))))
	}
	return State{
		Deadline: units[len(units)-1] + l.Window.length(),
		Words:    [3]uint64{uint64(l.Window), first, first + uint64(len(units))},
		Log:      NewLog(first, units),
	}
}
