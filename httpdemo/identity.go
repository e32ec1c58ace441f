package httpdemo

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
)

// A Key says who makes a request: equal keys share their limits.
type Key func(*http.Request) (string, error)

// ErrNoKey is that a request does not say who makes it.
var ErrNoKey = errors.New("the request does not say who is calling")

// ByIP is the client's address, cut to prefixes for IPv4 and IPv6: a home has a /64
// of addresses at least, so whole IPv6 addresses limit nobody. Bits out of range are
// the usual 32 and 64.
func ByIP(proxies Proxies, bits4, bits6 int) Key {
	if bits4 < 1 || bits4 > 32 {
		bits4 = 32
	}
	if bits6 < 1 || bits6 > 128 {
		bits6 = 64
	}
	return func(r *http.Request) (string, error) {
		addr := proxies.ClientIP(r)
		if !addr.IsValid() {
			return "", fmt.Errorf("no client address in %q and no trusted proxy that tells it", r.RemoteAddr)
		}
		bits := bits6
		if addr.Is4() {
			bits = bits4
		}
		text := append(make([]byte, 0, 64), "ip:"...)
		if bits == addr.BitLen() {
			return string(addr.AppendTo(text)), nil
		}
		return string(netip.PrefixFrom(addr, bits).Masked().AppendTo(text)), nil
	}
}

// ByHeader is a header's value, such as an API key's. Stores see its hash: it may be
// a secret, and has any length. Where the header is missing or empty, otherwise says
// who it is; nil means ErrNoKey. Use it behind something that has verified the value:
// a client that may invent values gets a new limit with each.
func ByHeader(name string, otherwise Key) Key {
	name = http.CanonicalHeaderKey(name)
	// No = can be in a header's name and no ip: before it, so that a value never
	// is another key's.
	prefix := strings.ToLower(name) + "="
	return func(r *http.Request) (string, error) {
		value := r.Header.Get(name)
		switch {
		case value != "":
			sum := sha256.Sum256([]byte(value))
			return prefix + base64.RawURLEncoding.EncodeToString(sum[:18]), nil
		case otherwise != nil:
			return otherwise(r)
		}
		return "", fmt.Errorf("%w: no %s header", ErrNoKey, name)
	}
}

// ByRoute is the pattern of the route. Inside a ServeMux the request knows it; around
// one, give the mux. Never the path: a client can make up paths, and so limits.
// Requests that match nothing are one route.
func ByRoute(mux *http.ServeMux) Key {
	return func(r *http.Request) (string, error) {
		if r.Pattern != "" || mux == nil {
			return "route:" + r.Pattern, nil
		}
		_, pattern := mux.Handler(r)
		return "route:" + pattern, nil
	}
}

// Join is all of keys together: account and route, say.
func Join(keys ...Key) Key {
	// Parts are told apart whatever is in them, or a caller could slip into another's.
	escape := strings.NewReplacer("%", "%25", "|", "%7C")
	return func(r *http.Request) (string, error) {
		parts := make([]string, len(keys))
		for i, key := range keys {
			part, err := key(r)
			if err != nil {
				return "", err
			}
			parts[i] = escape.Replace(part)
		}
		return strings.Join(parts, "|"), nil
	}
}
