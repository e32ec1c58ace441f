package httpdemo

import (
	"net/netip"
	"strings"
)

// parseHop reads one hop: an address, bare or with a port, IPv6 in brackets if it has
// one. The words for hops that hide ("unknown", "_name") are no addresses.
func parseHop(text string) (netip.Addr, bool) {
	text = strings.Trim(text, " \t")
	host, bracketed := text, false
	if inner, ok := strings.CutPrefix(text, "["); ok {
		before, after, closed := strings.Cut(inner, "]")
		if !closed || after != "" && !isPort(after) {
			return netip.Addr{}, false
		}
		host, bracketed = before, true
	} else if i := strings.IndexByte(text, ':'); i >= 0 && i == strings.LastIndexByte(text, ':') {
		if !isPort(text[i:]) {
			return netip.Addr{}, false
		}
		host = text[:i]
	}
	addr, err := netip.ParseAddr(host)
	if err != nil || bracketed && !addr.Is6() {
		return netip.Addr{}, false
	}
	return bare(addr), true
}

// isPort says whether text is a colon and a port, which may be hidden as _name.
func isPort(text string) bool {
	port := strings.TrimPrefix(text, ":")
	if port == "" || port == text || len(port) > 64 {
		return false
	}
	hidden := port[0] == '_'
	for i := range len(port) {
		c := port[i]
		digit := c >= '0' && c <= '9'
		if !digit && !(hidden && (isAlphanumeric(c) || c == '.' || c == '_' || c == '-')) {
			return false
		}
	}
	return hidden || len(port) <= 5
}

// parseElement reads the address of one element of a Forwarded header, as RFC 7239
// writes it: for="[2001:db8::1]:4711";proto=https;by=_mine. Two for= in it are one too
// many to know whom to believe.
func parseElement(element string) (netip.Addr, bool) {
	var found netip.Addr
	for rest, more := element, true; more; {
		var pair string
		rest, pair, more = cutLast(rest, ';')
		name, value, ok := strings.Cut(strings.Trim(pair, " \t"), "=")
		if !ok {
			return netip.Addr{}, false
		}
		if !strings.EqualFold(name, "for") {
			continue
		}
		value, ok = unquote(value)
		if !ok || found.IsValid() {
			return netip.Addr{}, false
		}
		if found, ok = parseHop(value); !ok {
			return netip.Addr{}, false
		}
	}
	return found, found.IsValid()
}

// unquote reads a token, or a quoted string with its escapes.
func unquote(s string) (string, bool) {
	inner, quoted := strings.CutPrefix(s, `"`)
	if !quoted {
		return s, !strings.ContainsAny(s, "\" \t")
	}
	inner, closed := strings.CutSuffix(inner, `"`)
	if !closed {
		return "", false
	}
	if !strings.ContainsAny(inner, `\"`) {
		return inner, true
	}
	var b strings.Builder
	for i := 0; i < len(inner); i++ {
		switch {
		case inner[i] == '"':
			return "", false
		case inner[i] == '\\':
			if i++; i == len(inner) {
				return "", false
			}
		}
		b.WriteByte(inner[i])
	}
	return b.String(), true
}

// cutLast cuts s at its last sep that is in no quoted string. It reads from the right,
// the end that a trusted proxy wrote: a quote left open further left, by a client who
// would hide what was added behind it, is never seen.
func cutLast(s string, sep byte) (before, after string, found bool) {
	quoted := false
	for i := len(s) - 1; i >= 0; i-- {
		switch {
		case s[i] == '"' && !(quoted && escaped(s, i)):
			quoted = !quoted
		case s[i] == sep && !quoted:
			return s[:i], s[i+1:], true
		}
	}
	return "", s, false
}

// escaped says whether an odd number of backslashes stands before s[i].
func escaped(s string, i int) bool {
	n := 0
	for i--; i >= 0 && s[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}
