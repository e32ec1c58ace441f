package httpdemo

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dunglas/httpsfv"
)

// members parses a field as a list of named members with parameters.
func members(t *testing.T, lines []string) map[string]map[string]any {
	t.Helper()
	list, err := httpsfv.UnmarshalList(lines)
	if err != nil {
		t.Fatalf("%q: %v", lines, err)
	}
	all := map[string]map[string]any{}
	for _, member := range list {
		item := member.(httpsfv.Item)
		params := map[string]any{}
		for _, name := range item.Params.Names() {
			params[name], _ = item.Params.Get(name)
		}
		all[item.Value.(string)] = params // a token would be another type
	}
	return all
}

func wantInts(t *testing.T, got map[string]any, want map[string]int64) {
	t.Helper()
	for name, n := range want {
		if got[name] != n {
			t.Errorf("%s is %v, want %d", name, got[name], n)
		}
	}
}

func TestDraft8ParsesOnEveryResponse(t *testing.T) {
	for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS"} {
		for status, s := range map[int]*script{200: grants(), 404: grants(), 429: refuses()} {
			h := limit(t, s, twoRules, Options{})(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
			}))
			r := from("192.0.2.7:1")
			r.Method = method
			res := do(h, r)
			if res.StatusCode != status {
				t.Fatalf("%s: %d, want %d", method, res.StatusCode, status)
			}
			policies := members(t, res.Header.Values("RateLimit-Policy"))
			wantInts(t, policies["burst"], map[string]int64{"q": 10, "w": 4}) // 10 at 3 a second, rounded up
			wantInts(t, policies["per-day"], map[string]int64{"q": 5000, "w": 86400})
			pk, ok := policies["burst"]["pk"].([]byte)
			if !ok || len(pk) != 12 || strings.Contains(string(pk), "192.0.2.7") {
				t.Errorf("pk is %v", policies["burst"]["pk"])
			}
			limits := members(t, res.Header.Values("RateLimit"))
			if status == 429 {
				wantInts(t, limits["burst"], map[string]int64{"r": 7, "t": 1})
				wantInts(t, limits["per-day"], map[string]int64{"r": 0, "t": 2})
				continue
			}
			wantInts(t, limits["burst"], map[string]int64{"r": 9, "t": 1})
			wantInts(t, limits["per-day"], map[string]int64{"r": 4321, "t": 7200})
		}
	}
}

func TestDialects(t *testing.T) {
	for text, want := range map[string]map[string]string{
		"draft-6": {"RateLimit-Policy": "10;w=4, 5000;w=86400", "RateLimit-Limit": "10", "RateLimit-Remaining": "9", "RateLimit-Reset": "1"},
		"draft-7": {"RateLimit-Policy": "10;w=4, 5000;w=86400", "RateLimit": "limit=10, remaining=9, reset=1"},
		"draft-8": {
			"RateLimit-Policy": `"burst"; q=10; w=4; pk=:PK:, "per-day"; q=5000; w=86400; pk=:PK:`,
			"RateLimit":        `"burst"; r=9; t=1, "per-day"; r=4321; t=7200`,
		},
		"x-ratelimit": {"X-RateLimit-Limit": "10", "X-RateLimit-Remaining": "9", "X-RateLimit-Reset": "UNIX"},
		"none":        {},
	} {
		t.Run(text, func(t *testing.T) {
			d, err := ParseDialect(text)
			if err != nil {
				t.Fatal(err)
			}
			var pk string
			h := limit(t, grants(), twoRules, Options{Headers: d, OnDecision: func(e Event) { pk = e.Partition }})(http.HandlerFunc(saysOK))
			before := time.Now().Unix()
			header := do(h, from("192.0.2.7:1")).Header
			if reset, err := strconv.ParseInt(header.Get("X-RateLimit-Reset"), 10, 64); err == nil && reset > before && reset <= before+3 {
				header.Set("X-RateLimit-Reset", "UNIX")
			}
			got := map[string]string{}
			for name := range header {
				if strings.Contains(name, "Ratelimit") {
					got[name] = strings.ReplaceAll(header.Get(name), pk, "PK")
				}
			}
			canonical := map[string]string{}
			for name, value := range want {
				canonical[http.CanonicalHeaderKey(name)] = value
			}
			if !maps.Equal(got, canonical) {
				t.Errorf("%q\nwant %q", got, canonical)
			}
		})
	}
}

func TestParseDialect(t *testing.T) {
	for text, want := range map[string]Dialect{
		"draft": Draft8, "both": BothHeaders, "draft-8, X-RateLimit": BothHeaders, "draft-6,draft-7": Draft6 | Draft7,
	} {
		if got, err := ParseDialect(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, wrong := range []string{"", "draft-9", "none,both", "draft-7,draft-8"} {
		if d, err := ParseDialect(wrong); err == nil {
			t.Errorf("%q: %v", wrong, d)
		}
	}
}

// Draft-6 and -7 fields of a structured kind parse too.
func TestOldDraftsParse(t *testing.T) {
	h := limit(t, refuses(), twoRules, Options{Headers: Draft6 | Draft7})(http.HandlerFunc(saysOK))
	header := do(h, from("192.0.2.7:1")).Header
	dict, err := httpsfv.UnmarshalDictionary(header.Values("RateLimit"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int64{"limit": 5000, "remaining": 0, "reset": 2} { // the rule that refuses
		if member, _ := dict.Get(name); member.(httpsfv.Item).Value != want {
			t.Errorf("%s: %v", name, member)
		}
	}
	list, err := httpsfv.UnmarshalList(header.Values("RateLimit-Policy"))
	if err != nil || len(list) != 2 || list[0].(httpsfv.Item).Value != int64(10) {
		t.Errorf("%v, %v", list, err)
	}
}

func TestLimitersInARowShowAll(t *testing.T) {
	outer := limit(t, grants(), twoRules[:1], Options{})
	inner := limit(t, grants(), twoRules[1:], Options{})
	header := do(outer(inner(http.HandlerFunc(saysOK))), from("192.0.2.7:1")).Header
	for _, field := range []string{"RateLimit", "RateLimit-Policy"} {
		names := slices.Sorted(maps.Keys(members(t, header.Values(field))))
		if !slices.Equal(names, []string{"burst", "per-day"}) {
			t.Errorf("%s: %q", field, names)
		}
	}
	if len(header.Values("X-RateLimit-Limit")) != 1 || len(header.Values("X-Request-Id")) != 1 {
		t.Errorf("%v", header)
	}
}

func TestPartition(t *testing.T) {
	pk := func(peer, secret string) (pk string) {
		o := Options{PartitionSecret: []byte(secret), OnDecision: func(e Event) { pk = e.Partition }}
		do(limit(t, grants(), twoRules, o)(http.HandlerFunc(saysOK)), from(peer))
		return pk
	}
	plain := pk("192.0.2.7:1", "")
	if plain != pk("192.0.2.7:2", "") || plain == pk("192.0.2.8:1", "") {
		t.Error("it does not stand for the subject")
	}
	if a := pk("192.0.2.7:1", "a"); a == plain || a == pk("192.0.2.7:1", "b") || a != pk("192.0.2.7:2", "a") {
		t.Error("the secret is not in it")
	}
}

func TestNumbersOfRules(t *testing.T) {
	for _, c := range []struct {
		rule    Rule
		seconds int64
	}{
		{Rule{Algorithm: "token-bucket", Capacity: 10, RefillPerSecond: 1_000_000}, 10},
		{Rule{Algorithm: "token-bucket", Capacity: 1, RefillPerSecond: 1_000_000_000_000_000}, 1},
		{Rule{Algorithm: "gcra", Capacity: 1_000_000_000_000, RefillPerSecond: 1}, 999_999_999_999_999}, // what a field can hold
		{Rule{Algorithm: "leaky-bucket", Capacity: 9, RefillPerSecond: 500_000}, 20},
		{Rule{Algorithm: "fixed-window", Limit: 5, Window: time.Millisecond}, 1},
		{Rule{Algorithm: "sliding-log", Limit: 5, Window: 1001 * time.Millisecond}, 2},
	} {
		if got := c.rule.seconds(); got != c.seconds {
			t.Errorf("%+v: w=%d, want %d", c.rule, got, c.seconds)
		}
	}
	for d, want := range map[time.Duration]int64{Never: 0, 0: 0, 1: 1, time.Second: 1, time.Second + 1: 2, 1<<63 - 1: 9223372037} {
		if got := ceilSeconds(d); got != want {
			t.Errorf("%v is %d s, want %d", d, got, want)
		}
	}
}
