package bench

import (
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	for _, w := range Workloads() {
		if got, err := Find(w.Name); got.Command != w.Command || err != nil {
			t.Errorf("%s: %v", w.Name, err)
		}
		if (w.Script != "") != strings.Contains(w.Command, "{sha}") {
			t.Errorf("%s: a script without a call of it, or the other way round", w.Name)
		}
	}
	if _, err := Find("nothing"); err == nil || !strings.Contains(err.Error(), "token-bucket") {
		t.Errorf("a wrong name is told %v, not what there is", err)
	}
}

func TestChecks(t *testing.T) {
	i := func(n int64) any { return n }
	for _, test := range []struct {
		name  string
		check func(any) error
		reply any
		ok    bool
	}{
		{"an integer", integer, i(1), true},
		{"a word for an integer", integer, "OK", false},
		{"five integers", integers(5), []any{i(0), i(1), i(2), i(3), i(4)}, true},
		{"limited", integers(2), []any{i(1), i(0)}, true},
		{"four for five", integers(5), []any{i(0), i(1), i(2), i(3)}, false},
		{"a word among integers", integers(2), []any{i(0), "1"}, false},
		{"a word among elements", elements(2), []any{i(0), "1"}, true},
		{"neither granted nor limited", elements(2), []any{i(2), i(0)}, false},
		{"null", elements(2), nil, false},
	} {
		if err := test.check(test.reply); (err == nil) != test.ok {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
