package httpdemo

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestRuleValidate(t *testing.T) {
	bucket := Rule{Name: "a", Algorithm: "token-bucket", Capacity: 10, RefillPerSecond: 1_000_000}
	window := Rule{Name: "a", Algorithm: "fixed-window", Limit: 10, Window: time.Minute}
	for _, c := range []struct {
		name   string
		from   Rule
		change func(*Rule)
		want   string // in the error, "" for none
	}{
		{"bucket", bucket, func(*Rule) {}, ""},
		{"window", window, func(*Rule) {}, ""},
		{"no name", bucket, func(r *Rule) { r.Name = "" }, "Name must be"},
		{"colon in name", bucket, func(r *Rule) { r.Name = "a:b" }, "Name must be"},
		{"no such algorithm", bucket, func(r *Rule) { r.Algorithm = "gcr" }, `Algorithm "gcr"`},
		{"capacity 0", bucket, func(r *Rule) { r.Capacity = 0 }, "Capacity must be between 1 and"},
		{"rate 0", bucket, func(r *Rule) { r.RefillPerSecond = 0 }, "RefillPerSecond must be between 0.000001 and"},
		{"a century", bucket, func(r *Rule) { r.Capacity, r.RefillPerSecond = 10_000, 1 }, "Capacity would take"},
		{"gcra capacity 0", bucket, func(r *Rule) { r.Algorithm, r.Capacity = "gcra", 0 }, "Capacity must"},
		{"gcra rate 0", bucket, func(r *Rule) { r.Algorithm, r.RefillPerSecond = "gcra", 0 }, "RefillPerSecond must"},
		{"gcra too fine", bucket, func(r *Rule) { r.Algorithm, r.RefillPerSecond = "gcra", 1e15-1 }, "RefillPerSecond of a gcra"},
		{"leaky capacity 0", bucket, func(r *Rule) { r.Algorithm, r.Capacity = "leaky-bucket", 0 }, ""},
		{"leaky rate", bucket, func(r *Rule) { r.Algorithm, r.RefillPerSecond = "leaky-bucket", 0 }, "RefillPerSecond must"},
		{"limit 0", window, func(r *Rule) { r.Limit = 0 }, "Limit must be between 1 and"},
		{"window 0", window, func(r *Rule) { r.Window = 0 }, "Window 0s is not"},
		{"window of a week", window, func(r *Rule) { r.Window = -time.Millisecond }, "Window -1ms is not"},
		{"window in parts", window, func(r *Rule) { r.Window = 1500 * time.Microsecond }, "Window 1.5ms is not"},
		{"window of years", window, func(r *Rule) { r.Window = 367 * 24 * time.Hour }, "Window must be between 1ms and 366d"},
		{"long log", window, func(r *Rule) { r.Algorithm, r.Limit = "sliding-log", 100_001 }, "Limit must be between 1 and 100000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.from
			c.change(&r)
			if err := r.Validate(); (err != nil) != (c.want != "") || c.want != "" && !errorSays(err, c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func TestAskBounds(t *testing.T) {
	l := testLocal(t)
	many := make([]Rule, maxRules+1)
	for i := range many {
		many[i] = rulesOfAll[0]
		many[i].Name = fmt.Sprint(i)
	}
	for name, a := range map[string]Ask{
		"no rules":     {Cost: 1},
		"17 rules":     {Cost: 1, Rules: many},
		"same name":    {Cost: 1, Rules: []Rule{rulesOfAll[0], rulesOfAll[0]}},
		"wrong rule":   {Cost: 1, Rules: []Rule{{}}},
		"a large cost": {Cost: 1e12 + 1, Rules: rulesOfAll},
		"a low cost":   {Cost: -1e12 - 1, Rules: rulesOfAll},
	} {
		if _, err := l.Take(t.Context(), a); !errors.Is(err, ErrAsk) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := l.Take(t.Context(), Ask{Cost: 1, Rules: many[:maxRules]}); err != nil {
		t.Errorf("16 rules: %v", err)
	}
}

// Whatever a subject is called, its keys are its own, and in one hash slot.
func TestKeysAreUnambiguous(t *testing.T) {
	long := strings.Repeat("a", 5000)
	seen := map[string]string{}
	for _, subject := range []string{"", "%", "%25", "a", "{a}", "a}:tb", "a}", "{", "}", "%7D", "{a", "a:tb", long, long + "a", "%#", "\x00\xff\r\n"} {
		tag := tagOf(subject)
		if other, ok := seen[tag]; ok {
			t.Errorf("%.20q and %.20q have the same tag", subject, other)
		}
		seen[tag] = subject
		if inner := tag[1 : len(tag)-2]; len(tag) > 600 || inner == "" || strings.ContainsAny(inner, "{}") {
			t.Errorf("%.20q has the tag %.100q", subject, tag)
		}
	}
}

func TestQuestion(t *testing.T) {
	window := Rule{Name: "w", Algorithm: "fixed-window", Limit: 5, Window: 90 * time.Second}
	as := func(r Rule, algorithm string) Rule { r.Algorithm = algorithm; return r }
	bucket := Rule{Name: "b", Algorithm: "token-bucket", Capacity: 4, RefillPerSecond: 1_500_000}
	fine := Rule{Name: "b", Algorithm: "gcra", Capacity: 1, RefillPerSecond: 1}
	for _, c := range []struct {
		ask  Ask
		want string
	}{
		{Ask{Rules: []Rule{bucket}, Cost: 1}, "TB.TAKE {s}:b:token-bucket 4 1.500000 1"},
		{Ask{Rules: []Rule{bucket}, Cost: 2, MaxWait: 1999 * time.Microsecond}, "TB.TAKE {s}:b:token-bucket 4 1.500000 2 MAXWAIT 1"},
		{Ask{Rules: []Rule{as(bucket, "leaky-bucket")}, Cost: 1, MaxWait: time.Second}, "LB.ADD {s}:b:leaky-bucket 4 1.500000 1"},
		{Ask{Rules: []Rule{as(bucket, "gcra")}, Cost: -1}, "CL.THROTTLE {s}:b:gcra 3 3 2 -1"},
		{Ask{Rules: []Rule{fine}}, "CL.THROTTLE {s}:b:gcra 0 1 1000000 0"},
		{Ask{Rules: []Rule{window}, Cost: 1}, "FW.INCR {s}:w:fixed-window 5 90000ms 1"},
		{Ask{Rules: []Rule{as(window, "sliding-window")}, Cost: 1}, "SW.HIT {s}:w:sliding-window 5 90000ms 1"},
		{Ask{Rules: []Rule{as(window, "sliding-log")}, Cost: 1}, "SL.HIT {s}:w:sliding-log 5 90000ms 1"},
		{
			Ask{Rules: []Rule{bucket, window}, Cost: 1, MaxWait: time.Second},
			"RL.ALL {s}:b:token-bucket TB.TAKE 4 1.500000 1 MAXWAIT 1000 AND {s}:w:fixed-window FW.INCR 5 90000ms 1",
		},
	} {
		c.ask.Subject = "s"
		q, err := c.ask.resolve()
		if err != nil {
			t.Fatal(err)
		}
		got := strings.TrimSuffix(fmt.Sprintln(question(c.ask, q)...), "\n")
		if got != c.want {
			t.Errorf("asks %s\nwant %s", got, c.want)
		}
	}
}

// Shares of a rule grant no more than the rule, unless one is 1 already.
func TestShare(t *testing.T) {
	for _, c := range []struct {
		rule Rule
		n    int64
		want Rule
	}{
		{Rule{Algorithm: "token-bucket", Capacity: 10, RefillPerSecond: 7}, 1, Rule{Algorithm: "token-bucket", Capacity: 10, RefillPerSecond: 7}},
		{Rule{Algorithm: "token-bucket", Capacity: 10, RefillPerSecond: 7}, 4, Rule{Algorithm: "token-bucket", Capacity: 2, RefillPerSecond: 1}},
		{Rule{Algorithm: "gcra", Capacity: 3, RefillPerSecond: 3}, 4, Rule{Algorithm: "gcra", Capacity: 1, RefillPerSecond: 1}},
		{Rule{Algorithm: "leaky-bucket", Capacity: 7, RefillPerSecond: 8}, 4, Rule{Algorithm: "leaky-bucket", Capacity: 1, RefillPerSecond: 2}},
		{Rule{Algorithm: "leaky-bucket", Capacity: 0, RefillPerSecond: 8}, 4, Rule{Algorithm: "leaky-bucket", Capacity: 0, RefillPerSecond: 2}},
		{Rule{Algorithm: "sliding-log", Limit: 101, Window: 9}, 4, Rule{Algorithm: "sliding-log", Limit: 25, Window: 9}},
		{Rule{Algorithm: "fixed-window", Limit: 3, Window: 9}, 4, Rule{Algorithm: "fixed-window", Limit: 1, Window: 9}},
	} {
		if got := c.rule.Share(c.n); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v in %d: %+v", c.rule, c.n, got)
		}
	}
}
