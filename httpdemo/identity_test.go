package httpdemo

import (
	"errors"
	"net/http"
	"strings"
	"testing"
)

func mustKey(t *testing.T, key Key, r *http.Request) string {
	t.Helper()
	text, err := key(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestByIP(t *testing.T) {
	for _, c := range []struct {
		peer         string
		bits4, bits6 int
		want         string
	}{
		{"192.0.2.7:80", 32, 64, "ip:192.0.2.7"},
		{"192.0.2.7:81", 0, 0, "ip:192.0.2.7"},
		{"192.0.2.7:80", 24, 64, "ip:192.0.2.0/24"},
		{"[2001:db8:1:2:3:4:5:6]:80", 32, 64, "ip:2001:db8:1:2::/64"},
		{"[2001:db8:1:2:ffff::]:80", 32, 64, "ip:2001:db8:1:2::/64"},
		{"[2001:db8:1:2:3:4:5:6]:80", 32, 56, "ip:2001:db8:1::/56"},
		{"[2001:db8:1:2:3:4:5:6]:80", 32, 128, "ip:2001:db8:1:2:3:4:5:6"},
		{"[2001:db8:1:2:3:4:5:6]:80", 33, 129, "ip:2001:db8:1:2::/64"},
		{"[::ffff:192.0.2.7]:80", 32, 64, "ip:192.0.2.7"}, // not one /64 for all of IPv4
		{"[::ffff:c000:207]:80", 32, 64, "ip:192.0.2.7"},
		{"[fe80::1%eth0]:80", 32, 64, "ip:fe80::/64"},
		{"[fe80::2%eth1]:80", 32, 64, "ip:fe80::/64"},
		{"[::1]:80", 32, 64, "ip:::/64"},
	} {
		if got := mustKey(t, ByIP(Proxies{}, c.bits4, c.bits6), from(c.peer)); got != c.want {
			t.Errorf("%s /%d /%d: %s, want %s", c.peer, c.bits4, c.bits6, got, c.want)
		}
	}
	for _, peer := range []string{"", "@", "somewhere:80", "[::1"} {
		if key, err := ByIP(Proxies{}, 32, 64)(from(peer)); err == nil || errors.Is(err, ErrNoKey) {
			t.Errorf("%q: %q, %v", peer, key, err)
		}
	}
}

func TestByHeader(t *testing.T) {
	one := from("192.0.2.7:1", "X-Api-Key", "192.0.2.9")
	key := mustKey(t, ByHeader("x-api-key", nil), one)
	if !strings.HasPrefix(key, "x-api-key=") || strings.Contains(key, "192.0.2.9") {
		t.Errorf("the key %q holds the value", key)
	}
	if other := mustKey(t, ByHeader("X-API-Key", nil), from("198.51.100.1:1", "X-Api-Key", "192.0.2.9")); other != key {
		t.Errorf("%q and %q for one value", key, other)
	}
	huge := from("192.0.2.7:1", "X-Api-Key", strings.Repeat("x", 1<<16))
	if len(mustKey(t, ByHeader("X-API-Key", nil), huge)) > 64 {
		t.Error("a long value makes a long key")
	}
	if got := mustKey(t, ByHeader("X-API-Key", ByIP(Proxies{}, 32, 64)), from("192.0.2.7:1")); got != "ip:192.0.2.7" {
		t.Errorf("without the header: %q", got)
	}
	if _, err := ByHeader("X-API-Key", nil)(from("192.0.2.7:1", "X-Api-Key", "")); !errors.Is(err, ErrNoKey) {
		t.Errorf("an empty header: %v", err)
	}
}

func TestByRoute(t *testing.T) {
	mux := http.NewServeMux()
	var inside string
	mux.HandleFunc("GET /items/{id}", func(_ http.ResponseWriter, r *http.Request) {
		inside = mustKey(t, ByRoute(nil), r)
	})
	r := from("192.0.2.7:1")
	for path, want := range map[string]string{"/items/1": "route:GET /items/{id}", "/items/2": "route:GET /items/{id}", "/x": "route:"} {
		r.URL.Path = path
		if got := mustKey(t, ByRoute(mux), r); got != want {
			t.Errorf("around the mux, %s: %q", path, got)
		}
	}
	r.URL.Path = "/items/3"
	mux.ServeHTTP(nil, r)
	if inside != "route:GET /items/{id}" {
		t.Errorf("inside the mux: %q", inside)
	}
}

func TestJoinIsUnambiguous(t *testing.T) {
	say := func(text string) Key { return func(*http.Request) (string, error) { return text, nil } }
	seen := map[string][]string{}
	for _, pair := range [][]string{{"a", "b"}, {"a|b", ""}, {"", "a|b"}, {"a|", "b"}, {"a%7Cb", ""}, {"a", "|b"}, {"a%", "b"}} {
		key := mustKey(t, Join(say(pair[0]), say(pair[1])), from(""))
		if before, ok := seen[key]; ok {
			t.Errorf("%q and %q are both %q", before, pair, key)
		}
		seen[key] = pair
	}
	if _, err := Join(say("a"), ByHeader("X", nil))(from("")); !errors.Is(err, ErrNoKey) {
		t.Errorf("a part that is missing: %v", err)
	}
}
