package httpdemo

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// answer reads the reply to a question. Whatever is not exactly as the protocol
// says it is an error: the server is not what it is taken for.
func answer(q resolved, reply any) (Verdict, error) {
	items, ok := reply.([]any)
	if !ok {
		return Verdict{}, fmt.Errorf("the reply is %T, not an array", reply)
	}
	if len(q.calls) == 1 {
		d, err := five(items, q, 0)
		if err != nil {
			return Verdict{}, err
		}
		v := Verdict{Limited: d.Limited, Deciding: -1, RetryAfter: d.RetryAfter, Decisions: []Decision{d}}
		if d.Limited {
			v.Deciding = 0
		}
		return v, nil
	}
	if len(items) != 3+len(q.calls) {
		return Verdict{}, fmt.Errorf("the reply has %d elements, not %d", len(items), 3+len(q.calls))
	}
	v, err := together(items[:3], len(q.calls))
	if err != nil {
		return Verdict{}, err
	}
	for i, item := range items[3:] {
		each, ok := item.([]any)
		if !ok {
			return Verdict{}, fmt.Errorf("part %d of the reply is %T, not an array", i+1, item)
		}
		d, err := five(each, q, i)
		if err != nil {
			return Verdict{}, fmt.Errorf("part %d: %w", i+1, err)
		}
		v.Decisions = append(v.Decisions, d)
	}
	if v.Limited && !v.Decisions[v.Deciding].Limited {
		return Verdict{}, fmt.Errorf("part %d of the reply decides and is not limited", v.Deciding+1)
	}
	return v, nil
}

// together reads what stands before the parts: limited, deciding, retry_after.
func together(items []any, parts int) (Verdict, error) {
	limited, ok := items[0].(int64)
	if !ok || limited < 0 || limited > 1 {
		return Verdict{}, fmt.Errorf("limited is %v, not 0 or 1", items[0])
	}
	retry, ok := duration(items[2], time.Millisecond, -1)
	if !ok {
		return Verdict{}, fmt.Errorf("retry_after is %v, not a time or -1", items[2])
	}
	v := Verdict{Limited: limited == 1, Deciding: -1, RetryAfter: retry, Decisions: make([]Decision, 0, parts)}
	if !v.Limited {
		if items[1] != nil {
			return Verdict{}, fmt.Errorf("deciding is %v, not null", items[1])
		}
		return v, nil
	}
	name, _ := items[1].(string)
	n, err := strconv.Atoi(name)
	if err != nil || n < 1 || n > parts {
		return Verdict{}, fmt.Errorf("deciding is %v, not the number of a part", items[1])
	}
	v.Deciding = n - 1
	return v, nil
}

// five reads the five integers of one rule's reply.
func five(items []any, q resolved, rule int) (Decision, error) {
	if len(items) != 5 {
		return Decision{}, fmt.Errorf("the reply has %d elements, not 5", len(items))
	}
	var n [3]int64
	for i := range n {
		var ok bool
		if n[i], ok = items[i].(int64); !ok {
			return Decision{}, fmt.Errorf("element %d of the reply is %T, not an integer", i+1, items[i])
		}
	}
	unit := q.algorithms[rule].unit
	retry, ok := duration(items[3], unit, -1)
	reset, too := duration(items[4], unit, 0)
	switch limit := int64(q.calls[rule].Limit.Max); {
	case !ok || !too:
		return Decision{}, fmt.Errorf("retry_after is %v and reset_after %v, not times", items[3], items[4])
	case n[0] < 0 || n[0] > 1:
		return Decision{}, fmt.Errorf("limited is %d, not 0 or 1", n[0])
	case n[1] != limit:
		return Decision{}, fmt.Errorf("limit is %d, not %d", n[1], limit)
	case n[2] < 0 || n[2] > limit:
		return Decision{}, fmt.Errorf("remaining is %d, not 0 to %d", n[2], limit)
	}
	return Decision{Limited: n[0] == 1, Limit: n[1], Remaining: n[2], RetryAfter: retry, ResetAfter: reset}, nil
}

// duration is a number of units as a time, from least on; -1 is Never.
func duration(item any, unit time.Duration, least int64) (time.Duration, bool) {
	n, ok := item.(int64)
	if !ok || n < least || n > math.MaxInt64/int64(unit) {
		return 0, false
	}
	if n < 0 {
		return Never, true
	}
	return time.Duration(n) * unit, true
}
