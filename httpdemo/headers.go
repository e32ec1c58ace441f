package httpdemo

import (
	"errors"
	"fmt"
	"math/bits"
	"net/http"
	"strconv"
	"strings"
	"time"

	"sluice/engine"
)

// A Dialect is a set of the forms in which responses tell limits: the names are still
// moving in the IETF's draft, and old clients read old ones.
type Dialect uint8

// The dialects. Draft6 and Draft7 tell of one rule, the one nearest to refusing; Draft8
// has a member for each, and is added to what another limiter wrote. Draft8 shares its
// fields with the older two, so it does not go with them.
const (
	// Draft6 is RateLimit-Policy, -Limit, -Remaining and -Reset.
	Draft6 Dialect = 1 << iota
	// Draft7 is RateLimit-Policy and RateLimit: limit=, remaining=, reset=.
	Draft7
	// Draft8 is RateLimit-Policy: "name"; q=; w=; pk= and RateLimit: "name"; r=; t=.
	Draft8
	// XRateLimit is X-RateLimit-Limit, -Remaining and -Reset, which is a Unix time in
	// seconds; every other reset is seconds from now.
	XRateLimit
	// NoHeaders tells nothing but Retry-After.
	NoHeaders

	BothHeaders = Draft8 | XRateLimit
)

// ParseDialect reads names with commas: draft-6, draft-7, draft-8, x-ratelimit, and
// draft for draft-8, both for draft-8 with x-ratelimit, none.
func ParseDialect(text string) (Dialect, error) {
	var d Dialect
	for word := range strings.SplitSeq(text, ",") {
		switch strings.ToLower(strings.TrimSpace(word)) {
		case "draft-6":
			d |= Draft6
		case "draft-7":
			d |= Draft7
		case "draft-8", "draft":
			d |= Draft8
		case "x-ratelimit":
			d |= XRateLimit
		case "both":
			d |= BothHeaders
		case "none":
			d |= NoHeaders
		default:
			return 0, fmt.Errorf("headers: %q is not draft-6, draft-7, draft-8, x-ratelimit, draft, both or none", word)
		}
	}
	return d, d.check()
}

func (d Dialect) check() error {
	switch {
	case d >= NoHeaders<<1:
		return fmt.Errorf("httpdemo: unknown dialects %#x", uint8(d))
	case d&NoHeaders != 0 && bits.OnesCount8(uint8(d)) > 1:
		return errors.New("httpdemo: no headers and some headers")
	case d&Draft8 != 0 && d&(Draft6|Draft7) != 0:
		return errors.New("httpdemo: draft-8 shares its fields with draft-6 and draft-7 and can not be sent with them")
	}
	return nil
}

// tellPolicies writes what the limits are; partition is the hash of who has them, ""
// if that is not known.
func (d Dialect) tellPolicies(h http.Header, rules []Rule, partition string) {
	if d&(Draft6|Draft7|Draft8) == 0 || len(rules) == 0 {
		return
	}
	b := make([]byte, 0, 160)
	for i, r := range rules {
		if i > 0 {
			b = append(b, ", "...)
		}
		if d&Draft8 == 0 {
			b = strconv.AppendInt(b, r.most(), 10)
			b = append(b, ";w="...)
			b = strconv.AppendInt(b, r.seconds(), 10)
			continue
		}
		b = appendQuoted(b, r.Name)
		b = appendParameter(b, "q", r.most())
		b = appendParameter(b, "w", r.seconds())
		if partition != "" {
			b = append(b, "; pk=:"...)
			b = append(b, partition...)
			b = append(b, ':')
		}
	}
	d.put(h, "Ratelimit-Policy", string(b))
}

// put adds for the dialect that is a list of everybody's, and replaces for the others.
func (d Dialect) put(h http.Header, name, value string) {
	if d&Draft8 != 0 {
		h[name] = append(h[name], value)
		return
	}
	h[name] = []string{value}
}

// tellLimits writes what is left of the limits: nothing where nobody has counted, as when
// a store is degraded that lets through what it can't decide.
func (d Dialect) tellLimits(h http.Header, rules []Rule, v Verdict) {
	n := min(len(rules), len(v.Decisions))
	if n == 0 || d == NoHeaders {
		return
	}
	if d&Draft8 != 0 {
		b := make([]byte, 0, 96)
		for i, r := range rules[:n] {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = appendQuoted(b, r.Name)
			b = appendParameter(b, "r", left(v.Decisions[i]))
			b = appendParameter(b, "t", ceilSeconds(v.Decisions[i].ResetAfter))
		}
		d.put(h, "Ratelimit", string(b))
	}
	d.tellNearest(h, nearest(v, n))
}

// tellNearest writes the dialects that have room for one rule.
func (d Dialect) tellNearest(h http.Header, one Decision) {
	limit, remaining := strconv.FormatInt(one.Limit, 10), strconv.FormatInt(left(one), 10)
	seconds := ceilSeconds(one.ResetAfter)
	reset := strconv.FormatInt(seconds, 10)
	if d&Draft6 != 0 {
		h["Ratelimit-Limit"] = []string{limit}
		h["Ratelimit-Remaining"] = []string{remaining}
		h["Ratelimit-Reset"] = []string{reset}
	}
	if d&Draft7 != 0 {
		h["Ratelimit"] = []string{"limit=" + limit + ", remaining=" + remaining + ", reset=" + reset}
	}
	if d&XRateLimit != 0 {
		at := strconv.FormatInt(unixCeil(time.Now().Add(one.ResetAfter)), 10)
		values := [...]string{limit, remaining, at} // one allocation for the three
		h["X-Ratelimit-Limit"] = values[0:1:1]
		h["X-Ratelimit-Remaining"] = values[1:2:2]
		h["X-Ratelimit-Reset"] = values[2:3:3]
	}
}

// nearest is the decision that refuses for the longest, or has the least left.
func nearest(v Verdict, n int) Decision {
	if v.Limited && v.Deciding >= 0 && v.Deciding < n {
		return v.Decisions[v.Deciding]
	}
	least := v.Decisions[0]
	for _, d := range v.Decisions[1:n] {
		if d.Remaining < least.Remaining {
			least = d
		}
	}
	return least
}

// left is never below zero, also where a bucket owes units that wait their turn.
func left(d Decision) int64 { return max(d.Remaining, 0) }

// seconds is the window: for what refills, the time that takes from empty to full.
func (r Rule) seconds() int64 {
	switch r.Algorithm {
	case "token-bucket", "gcra", "leaky-bucket":
		return max(1, ceilDiv(r.most(), r.RefillPerSecond))
	}
	return max(1, ceilSeconds(r.Window))
}

// ceilDiv is units at a rate, in whole seconds rounded up. The numbers are the
// protocol's, up to 10^12 units: their product with a million needs more than 64 bits.
func ceilDiv(units int64, rate engine.Micros) int64 {
	if units <= 0 || rate <= 0 {
		return 0
	}
	high, low := bits.Mul64(uint64(units), 1_000_000)
	if high >= uint64(rate) {
		return 999_999_999_999_999 // the largest integer of a structured field
	}
	q, rest := bits.Div64(high, low, uint64(rate))
	if rest > 0 {
		q++
	}
	return int64(min(q, 999_999_999_999_999))
}

// ceilSeconds is whole seconds, rounded up so that waiting as told is enough.
func ceilSeconds(d time.Duration) int64 {
	if d <= 0 {
		return 0
	}
	return int64((d-1)/time.Second) + 1
}

func unixCeil(t time.Time) int64 {
	if t.Nanosecond() > 0 {
		return t.Unix() + 1
	}
	return t.Unix()
}

// appendQuoted needs no escapes: rule names have none to make.
func appendQuoted(b []byte, name string) []byte {
	b = append(b, '"')
	b = append(b, name...)
	return append(b, '"')
}

func appendParameter(b []byte, name string, value int64) []byte {
	b = append(b, ';', ' ')
	b = append(b, name...)
	b = append(b, '=')
	return strconv.AppendInt(b, value, 10)
}
