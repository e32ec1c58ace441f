package httpdemo

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"
)

type patientError struct{}

func (patientError) Error() string             { return "come again" }
func (patientError) RetryAfter() time.Duration { return 2500 * time.Millisecond }

func neverGrants() *script {
	return &script{verdict: Verdict{Limited: true, Deciding: 0, RetryAfter: Never, Decisions: []Decision{
		{Limited: true, Limit: 10, Remaining: 10, RetryAfter: Never}, {Limit: 5000, Remaining: 5000, RetryAfter: Never},
	}}}
}

func TestProblems(t *testing.T) {
	const registry = "https://iana.org/assignments/http-problem-types#"
	soon := refuses()
	soon.verdict.RetryAfter = 1
	ours := &UnavailableError{RetryAfter: 1500 * time.Millisecond, Err: errStoreDown}
	for _, c := range []struct {
		name     string
		store    *script
		key      Key
		status   int
		retry    string
		kind     string
		violated []any
	}{
		{"refused", refuses(), nil, 429, "2", registry + "quota-exceeded", []any{"per-day"}},
		{"refused for a nanosecond", soon, nil, 429, "1", registry + "quota-exceeded", []any{"per-day"}},
		{"refused for ever", neverGrants(), nil, 429, "", registry + "quota-exceeded", []any{"burst"}},
		{"store failed", &script{err: errStoreDown}, nil, 503, "", registry + "temporary-reduced-capacity", nil},
		{"store knows when", &script{err: fmt.Errorf("x: %w", ours)}, nil, 503, "2", registry + "temporary-reduced-capacity", nil},
		{"another store knows when", &script{err: fmt.Errorf("x: %w", patientError{})}, nil, 503, "3", registry + "temporary-reduced-capacity", nil},
		{"no key", grants(), ByHeader("X-Api-Key", nil), 400, "", "about:blank", nil},
		{"key failed", grants(), func(*http.Request) (string, error) { return "", errStoreDown }, 500, "", "about:blank", nil},
	} {
		for _, method := range []string{"GET", "HEAD"} {
			t.Run(c.name+" "+method, func(t *testing.T) {
				h := limit(t, c.store, twoRules, Options{Key: c.key})(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
					t.Error("the handler ran")
				}))
				r := from("192.0.2.7:1")
				r.Method = method
				res := do(h, r)
				if res.StatusCode != c.status || res.Header.Get("Retry-After") != c.retry {
					t.Errorf("%d, Retry-After %q", res.StatusCode, res.Header.Get("Retry-After"))
				}
				if res.Header.Get("Content-Type") != "application/problem+json" || res.Header.Get("X-Request-Id") == "" {
					t.Errorf("headers %v", res.Header)
				}
				var p map[string]any
				if err := json.NewDecoder(res.Body).Decode(&p); err != nil {
					t.Fatal(err)
				}
				validate(t, p, c.status, c.kind)
				if got, _ := p["violated-policies"].([]any); !reflect.DeepEqual(got, c.violated) {
					t.Errorf("violated-policies %v", p["violated-policies"])
				}
				if c.status == 503 && len(members(t, res.Header.Values("RateLimit-Policy"))) != 2 {
					t.Error("the policies are known, and not told")
				}
			})
		}
	}
}

// validate holds p to RFC 9457: members and their types.
func validate(t *testing.T, p map[string]any, status int, kind string) {
	t.Helper()
	title, _ := p["title"].(string)
	if p["type"] != kind || p["status"] != float64(status) || title == "" {
		t.Errorf("%v", p)
	}
	for member, value := range p {
		switch member {
		case "type", "title", "detail", "instance":
			if text, ok := value.(string); !ok || strings.Contains(text, "192.0.2.7") || strings.Contains(text, errStoreDown.Error()) {
				t.Errorf("%s: %v", member, value)
			}
		case "status", "violated-policies":
		default:
			t.Errorf("the member %q is nobody's", member)
		}
	}
}

func TestDegradedIsTold(t *testing.T) {
	s := grants()
	for _, degraded := range []bool{false, true} {
		s.verdict.Degraded = degraded
		res := do(limit(t, s, twoRules, Options{Headers: NoHeaders})(http.HandlerFunc(saysOK)), from("192.0.2.7:1"))
		if got := res.Header.Get("RateLimit-Degraded"); (got == "?1") != degraded {
			t.Errorf("degraded %v: %q", degraded, got)
		}
	}
	// A store that lets everything through may know no numbers.
	s.verdict.Decisions = nil
	res := do(limit(t, s, twoRules, Options{})(http.HandlerFunc(saysOK)), from("192.0.2.7:1"))
	if res.StatusCode != 200 || res.Header.Get("RateLimit") != "" || res.Header.Get("X-RateLimit-Limit") != "" {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
}

func TestRequestIDs(t *testing.T) {
	h := limit(t, grants(), twoRules, Options{})(http.HandlerFunc(saysOK))
	for _, kept := range []string{"a", "7b1f-11", "Root=1-67891233-abcdef012345678912345678", strings.Repeat("x", 128)} {
		if got := do(h, from("192.0.2.7:1", "X-Request-Id", kept)).Header.Get("X-Request-Id"); got != kept {
			t.Errorf("%q became %q", kept, got)
		}
	}
	seen := map[string]bool{}
	for _, wrong := range []string{"", " ", "a b", "a\nb", "a\"b", "ä", "<x>", strings.Repeat("x", 129)} {
		got := do(h, from("192.0.2.7:1", "X-Request-Id", wrong)).Header.Get("X-Request-Id")
		if len(got) != 32 || seen[got] {
			t.Errorf("%q became %q", wrong, got)
		}
		seen[got] = true
	}
}
