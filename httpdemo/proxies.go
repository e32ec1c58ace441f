package httpdemo

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Proxies is whose word counts about where a request came from. The zero value trusts
// nobody, and then the client is the connection's other end.
type Proxies struct {
	prefixes []netip.Prefix
	sockets  bool   // peers of unix sockets have no address to check
	header   string // "" for both
}

const (
	xForwardedFor = "X-Forwarded-For"
	forwardedFor  = "Forwarded"
)

// ParseProxies reads a list with commas: CIDRs, single addresses, and the word unix
// for whoever connects through a unix socket.
func ParseProxies(list string) (Proxies, error) {
	var p Proxies
	for word := range strings.SplitSeq(list, ",") {
		switch word = strings.TrimSpace(word); word {
		case "":
		case "unix":
			p.sockets = true
		default:
			prefix, err := parsePrefix(word)
			if err != nil {
				return Proxies{}, fmt.Errorf("trusted proxies: %w", err)
			}
			p.prefixes = append(p.prefixes, prefix)
		}
	}
	return p, nil
}

// parsePrefix unwraps IPv4-mapped networks, because addresses are compared unwrapped.
func parsePrefix(text string) (netip.Prefix, error) {
	if !strings.Contains(text, "/") {
		addr, err := netip.ParseAddr(text)
		addr = addr.WithZone("").Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), err
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return prefix, err
	}
	if prefix.Addr().Is4In6() {
		if prefix.Bits() < 96 {
			return prefix, fmt.Errorf("%q is wider than the IPv4-mapped addresses", text)
		}
		prefix = netip.PrefixFrom(prefix.Addr().Unmap(), prefix.Bits()-96)
	}
	return prefix.Masked(), nil
}

// Only restricts p to one header, X-Forwarded-For or Forwarded: the one that your
// proxies write, so that the other, which they pass on as it came, says nothing.
func (p Proxies) Only(header string) Proxies {
	p.header = http.CanonicalHeaderKey(header)
	if p.header != xForwardedFor && p.header != forwardedFor {
		panic("httpdemo: Only knows X-Forwarded-For and Forwarded, not " + header)
	}
	return p
}

// empty says whether nobody is trusted.
func (p Proxies) empty() bool { return len(p.prefixes) == 0 && !p.sockets }

// everybody says whether a prefix trusts the whole internet, which lets any client
// choose its own address.
func (p Proxies) everybody() bool {
	return slices.ContainsFunc(p.prefixes, func(x netip.Prefix) bool { return x.Bits() == 0 })
}

func (p Proxies) trusts(addr netip.Addr) bool {
	if !addr.IsValid() {
		return p.sockets
	}
	return slices.ContainsFunc(p.prefixes, func(x netip.Prefix) bool { return x.Contains(addr) })
}

// ClientIP is the address nearest to the client that someone trusted has seen. From
// the connection's peer it goes leftwards through the hops that proxies added, as long
// as the hop it stands on is trusted. A hop that is no address ends the walk: what is
// further left was told by nobody known, so the answer is the last hop that was read.
// If both headers are there and lead to different clients, one of them was brought by
// the client and it can not be said which: the answer is the connection's peer.
// The address has no zone and is not IPv4-mapped. It is invalid if none is known.
func (p Proxies) ClientIP(r *http.Request) netip.Addr {
	peer := peerOf(r.RemoteAddr)
	if p.empty() || !p.trusts(peer) {
		return peer
	}
	lists, elements := r.Header[xForwardedFor], r.Header[forwardedFor]
	switch {
	case p.header == xForwardedFor, p.header == "" && len(elements) == 0:
		return p.walk(peer, lists, parseHop)
	case p.header != "", len(lists) == 0:
		return p.walk(peer, elements, parseElement)
	}
	client := p.walk(peer, lists, parseHop)
	if client != p.walk(peer, elements, parseElement) {
		return peer
	}
	return client
}

// walk reads the lines as one list, from its right end.
func (p Proxies) walk(nearest netip.Addr, lines []string, parse func(string) (netip.Addr, bool)) netip.Addr {
	for _, line := range slices.Backward(lines) {
		for rest, more := line, true; more; {
			if !p.trusts(nearest) {
				return nearest
			}
			var hop string
			rest, hop, more = cutLast(rest, ',')
			addr, ok := parse(hop)
			if !ok {
				return nearest
			}
			nearest = addr
		}
	}
	return nearest
}

// peerOf reads a RemoteAddr; it is invalid for unix sockets.
func peerOf(remote string) netip.Addr {
	if ap, err := netip.ParseAddrPort(remote); err == nil {
		return bare(ap.Addr())
	}
	addr, _ := netip.ParseAddr(remote) // some middleware puts an address without port
	return bare(addr)
}

// bare drops the zone, which means something on its own host only, and unwraps
// IPv4-mapped addresses by their bits, so that one client has one address.
func bare(addr netip.Addr) netip.Addr { return addr.WithZone("").Unmap() }
