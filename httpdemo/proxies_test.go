package httpdemo

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const (
	xff       = xForwardedFor
	forwarded = forwardedFor
)

// from is a request from a peer with header lines: name, value, name, value.
func from(peer string, lines ...string) *http.Request {
	r := httptest.NewRequest("GET", "/", nil)
	r.RemoteAddr = peer
	for i := 0; i+1 < len(lines); i += 2 {
		r.Header.Add(lines[i], lines[i+1])
	}
	return r
}

func proxies(t testing.TB, list string) Proxies {
	t.Helper()
	p, err := ParseProxies(list)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The trusted are 10.0.0.0/8 and 2001:db8:f::/48; the peer is 10.0.0.1 if not said.
var hostile = []struct {
	name, peer string
	lines      []string
	want       string
}{
	{"no header", "", nil, "10.0.0.1"},
	{"untrusted peer is not believed", "192.0.2.9:1", []string{xff, "198.51.100.1"}, "192.0.2.9"},
	{"one hop", "", []string{xff, "198.51.100.1"}, "198.51.100.1"},
	{"never the leftmost", "", []string{xff, "1.1.1.1, 198.51.100.1"}, "198.51.100.1"},
	{"through a second proxy", "", []string{xff, "1.1.1.1, 198.51.100.1, 10.9.9.9"}, "198.51.100.1"},
	{"lines are one list", "", []string{xff, "1.1.1.1", xff, "198.51.100.1", xff, "10.9.9.9"}, "198.51.100.1"},
	{"all hops trusted: the first", "", []string{xff, "10.1.1.1, 10.2.2.2"}, "10.1.1.1"},
	{"trusted address of the client's own making", "", []string{xff, "10.1.1.1, 198.51.100.1"}, "198.51.100.1"},
	{"loopback claimed", "", []string{xff, "127.0.0.1, 198.51.100.1"}, "198.51.100.1"},
	{"empty value", "", []string{xff, ""}, "10.0.0.1"},
	{"empty hop stops", "", []string{xff, "1.1.1.1,,10.9.9.9"}, "10.9.9.9"},
	{"trailing comma stops", "", []string{xff, "1.1.1.1,"}, "10.0.0.1"},
	{"unknown stops", "", []string{xff, "1.1.1.1, unknown, 10.9.9.9"}, "10.9.9.9"},
	{"a name stops", "", []string{xff, "1.1.1.1, proxy.example, 10.9.9.9"}, "10.9.9.9"},
	{"octal stops", "", []string{xff, "010.0.0.1"}, "10.0.0.1"},
	{"a number stops", "", []string{xff, "3232235777"}, "10.0.0.1"},
	{"three parts stop", "", []string{xff, "1.1.1"}, "10.0.0.1"},
	{"a tag stops", "", []string{xff, "<script>"}, "10.0.0.1"},
	{"a NUL stops", "", []string{xff, "198.51.100.1\x00"}, "10.0.0.1"},
	{"a line end stops", "", []string{xff, "198.51.100.1\r\nX: y"}, "10.0.0.1"},
	{"tabs and spaces", "", []string{xff, " 1.1.1.1 ,\t198.51.100.1 \t"}, "198.51.100.1"},
	{"a port", "", []string{xff, "198.51.100.1:4711"}, "198.51.100.1"},
	{"an empty port stops", "", []string{xff, "198.51.100.1:"}, "10.0.0.1"},
	{"a long port stops", "", []string{xff, "198.51.100.1:123456"}, "10.0.0.1"},
	{"a port of letters stops", "", []string{xff, "198.51.100.1:http"}, "10.0.0.1"},
	{"quotes are Forwarded's", "", []string{xff, `"198.51.100.1"`}, "10.0.0.1"},
	{"an open quote hides nothing", "", []string{xff, `", 198.51.100.1`}, "198.51.100.1"},
	{"IPv6", "", []string{xff, "2001:db8::1"}, "2001:db8::1"},
	{"IPv6 in brackets", "", []string{xff, "[2001:db8::1]"}, "2001:db8::1"},
	{"IPv6 with port", "", []string{xff, "[2001:db8::1]:4711"}, "2001:db8::1"},
	{"IPv6 without its closing bracket stops", "", []string{xff, "[2001:db8::1"}, "10.0.0.1"},
	{"IPv6 and rubbish stops", "", []string{xff, "[2001:db8::1]x"}, "10.0.0.1"},
	{"IPv4 in brackets stops", "", []string{xff, "[198.51.100.1]"}, "10.0.0.1"},
	{"IPv6 zone is dropped", "", []string{xff, "fe80::1%eth0"}, "fe80::1"},
	{"IPv6 in capitals and zeros", "", []string{xff, "2001:0DB8:0:0::0001"}, "2001:db8::1"},
	{"mapped", "", []string{xff, "::ffff:198.51.100.1"}, "198.51.100.1"},
	{"mapped by bits", "", []string{xff, "0:0:0:0:0:FFFF:C633:6401"}, "198.51.100.1"},
	{"mapped and trusted", "", []string{xff, "198.51.100.1, ::ffff:10.9.9.9"}, "198.51.100.1"},
	{"not mapped, only like it", "", []string{xff, "::198.51.100.1"}, "::c633:6401"},
	{"mapped peer", "[::ffff:10.0.0.1]:1", []string{xff, "198.51.100.1"}, "198.51.100.1"},
	{"trusted IPv6 peer with a zone", "[2001:db8:f::1%eth0]:1", []string{xff, "198.51.100.1"}, "198.51.100.1"},
	{"untrusted IPv6 peer", "[2001:db8:e::1]:1", []string{xff, "198.51.100.1"}, "2001:db8:e::1"},
	{"peer without port", "10.0.0.1", []string{xff, "198.51.100.1"}, "198.51.100.1"},

	{"for", "", []string{forwarded, "for=198.51.100.1"}, "198.51.100.1"},
	{"for, by the letter", "", []string{forwarded, `For="[2001:db8::1]:4711";proto=https;by=203.0.113.43`}, "2001:db8::1"},
	{"for behind others", "", []string{forwarded, `by=_x;host="a,b;c=\"d";FOR="198.51.100.1:_port"`}, "198.51.100.1"},
	{"for, never the leftmost", "", []string{forwarded, "for=1.1.1.1, for=198.51.100.1;proto=http, for=10.9.9.9"}, "198.51.100.1"},
	{"for, lines", "", []string{forwarded, "for=1.1.1.1", forwarded, "for=198.51.100.1, for=10.9.9.9"}, "198.51.100.1"},
	{"for escaped", "", []string{forwarded, `for="198.51.100\.1"`}, "198.51.100.1"},
	{"for unknown", "", []string{forwarded, "for=1.1.1.1, for=unknown"}, "10.0.0.1"},
	{"for hidden", "", []string{forwarded, "for=1.1.1.1, for=_hidden, for=10.9.9.9"}, "10.9.9.9"},
	{"for missing", "", []string{forwarded, "for=1.1.1.1, proto=http"}, "10.0.0.1"},
	{"for twice", "", []string{forwarded, "for=198.51.100.1;for=1.1.1.1"}, "10.0.0.1"},
	{"for empty", "", []string{forwarded, "for="}, "10.0.0.1"},
	{"for an empty string", "", []string{forwarded, `for=""`}, "10.0.0.1"},
	{"for without =", "", []string{forwarded, "for"}, "10.0.0.1"},
	{"for with spaces", "", []string{forwarded, "for = 198.51.100.1"}, "10.0.0.1"},
	{"for, quote left open", "", []string{forwarded, `for="198.51.100.1`}, "10.0.0.1"},
	{"for, quote in a token", "", []string{forwarded, `for=198.51.100.1"`}, "10.0.0.1"},
	{"for, escape left open", "", []string{forwarded, `for="198.51.100.1\"`}, "10.0.0.1"},
	{"for, an open quote hides nothing", "", []string{forwarded, `for="1.1.1.1, for=198.51.100.1`}, "198.51.100.1"},
	{"for, an escape hides nothing", "", []string{forwarded, `for="x\", for=198.51.100.1`}, "198.51.100.1"},
	{"for in a string is text", "", []string{forwarded, `host=", for=1.1.1.1";for=198.51.100.1`}, "198.51.100.1"},

	{"both agree", "", []string{xff, "198.51.100.1", forwarded, "for=198.51.100.1"}, "198.51.100.1"},
	{"both agree, one longer on the left", "", []string{xff, "1.1.1.1, 198.51.100.1", forwarded, "for=198.51.100.1"}, "198.51.100.1"},
	{"Forwarded smuggled past a proxy", "", []string{xff, "198.51.100.1", forwarded, "for=1.1.1.1"}, "10.0.0.1"},
	{"X-Forwarded-For smuggled past a proxy", "", []string{xff, "1.1.1.1", forwarded, "for=198.51.100.1"}, "10.0.0.1"},
	{"X-Real-IP and its like are nothing", "", []string{"X-Real-Ip", "1.1.1.1", "True-Client-Ip", "1.1.1.1", "Client-Ip", "1.1.1.1"}, "10.0.0.1"},
}

func TestClientIP(t *testing.T) {
	p := proxies(t, "10.0.0.0/8, 2001:db8:f::/48")
	for _, c := range hostile {
		t.Run(c.name, func(t *testing.T) {
			peer := c.peer
			if peer == "" {
				peer = "10.0.0.1:1234"
			}
			if got := p.ClientIP(from(peer, c.lines...)).String(); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestClientIPTrustsNobodyByItself(t *testing.T) {
	for _, c := range hostile {
		var nobody Proxies
		if got := nobody.ClientIP(from("10.0.0.1:1", c.lines...)).String(); got != "10.0.0.1" {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

func TestOneHeaderOnly(t *testing.T) {
	p := proxies(t, "10.0.0.1")
	r := from("10.0.0.1:1", xff, "198.51.100.1", forwarded, "for=198.51.100.2")
	for header, want := range map[string]string{"x-forwarded-for": "198.51.100.1", "forwarded": "198.51.100.2"} {
		if got := p.Only(header).ClientIP(r).String(); got != want {
			t.Errorf("only %s: %s, want %s", header, got, want)
		}
	}
	// The header that counts is away: the other does not stand in for it.
	r = from("10.0.0.1:1", xff, "198.51.100.1")
	if got := p.Only(forwarded).ClientIP(r).String(); got != "10.0.0.1" {
		t.Errorf("only Forwarded, and none there: %s", got)
	}
	r = from("10.0.0.1:1", forwarded, "for=198.51.100.1")
	if got := p.Only(xff).ClientIP(r).String(); got != "10.0.0.1" {
		t.Errorf("only X-Forwarded-For, and none there: %s", got)
	}
}

func TestUnixSocketPeer(t *testing.T) {
	r := from("@", xff, "1.1.1.1, 198.51.100.1")
	if got := proxies(t, "unix").ClientIP(r).String(); got != "198.51.100.1" {
		t.Errorf("trusted: %s", got)
	}
	if got := proxies(t, "10.0.0.0/8").ClientIP(r); got.IsValid() {
		t.Errorf("not trusted: %s", got)
	}
}

func TestParseProxies(t *testing.T) {
	for _, wrong := range []string{"10.0.0.0/33", "10.0.0", "proxy.example", "10.0.0.1/", "::ffff:10.0.0.0/95", "*", "true", "1"} {
		if _, err := ParseProxies(wrong); err == nil || !strings.Contains(err.Error(), "trusted proxies") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	mapped := proxies(t, " ::ffff:10.0.0.0/104 ,")
	if got := mapped.ClientIP(from("10.2.3.4:1", xff, "198.51.100.1")).String(); got != "198.51.100.1" {
		t.Errorf("a mapped network does not hold its addresses: %s", got)
	}
	if !proxies(t, "::/0").everybody() || !proxies(t, "0.0.0.0/0").everybody() || mapped.everybody() {
		t.Error("everybody")
	}
}

// What a client can put to the left of what a trusted proxy wrote changes nothing.
func FuzzForwarded(f *testing.F) {
	for _, c := range hostile {
		for i := 1; i < len(c.lines); i += 2 {
			f.Add(c.lines[i])
		}
	}
	p, err := ParseProxies("10.0.0.0/8")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, left string) {
		for header, added := range map[string]string{xff: "198.51.100.1", forwarded: `for="198.51.100.1:80";by=_p`} {
			if got := p.ClientIP(from("10.0.0.1:1", header, left+", "+added)).String(); got != "198.51.100.1" {
				t.Errorf("%s: %q hides what was added: %s", header, left, got)
			}
			alone := p.ClientIP(from("10.0.0.1:1", header, left))
			if !alone.IsValid() || alone.Zone() != "" || alone.Is4In6() {
				t.Errorf("%s: %q is %v", header, left, alone)
			}
			// A hop of rubbish cuts off all that is left of it.
			if got := p.ClientIP(from("10.0.0.1:1", header, left+", ?")).String(); got != "10.0.0.1" {
				t.Errorf("%s: %q passes rubbish: %s", header, left, got)
			}
		}
	})
}
