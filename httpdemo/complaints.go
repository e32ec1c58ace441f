package httpdemo

import (
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// complaints are told once each, or once a minute: a log must not grow with requests.
type complaints struct {
	to *slog.Logger

	everybody, unexpected, wholeAddress, twice, cost atomic.Bool

	last atomic.Int64 // when sometimes spoke, Unix nanoseconds
}

func (c *complaints) once(said *atomic.Bool, text string) {
	if !said.Load() && said.CompareAndSwap(false, true) {
		c.to.Warn("httpdemo: " + text)
	}
}

// sometimes leaves out what is unavailable: the Failover that says so has warned.
func (c *complaints) sometimes(text string, err error) {
	if errors.Is(err, ErrUnavailable) {
		return
	}
	now, last := time.Now().UnixNano(), c.last.Load()
	if (last == 0 || now-last >= int64(time.Minute)) && c.last.CompareAndSwap(last, now) {
		c.to.Warn("httpdemo: "+text, "error", err)
	}
}

// checkRequest sees the misuse that only requests show.
func (m *middleware) checkRequest(subject string, r *http.Request) {
	told := len(r.Header[xForwardedFor]) > 0 || len(r.Header[forwardedFor]) > 0
	if told && m.o.TrustedProxies.empty() && isPeer(subject, r.RemoteAddr) {
		m.log.once(&m.log.unexpected, "requests carry X-Forwarded-For or Forwarded, and no proxy is trusted: if one is in front, all its clients are limited as one")
	}
	if holdsAddress(subject, r.RemoteAddr) {
		m.log.once(&m.log.wholeAddress, "the key holds the connection's whole address and port: each connection is limited for itself; use ByIP")
	}
	if outer := exchangeOf(r.Context()); outer != nil && outer.by == m && outer.subject == subject {
		m.log.once(&m.log.twice, "one middleware is around a handler twice: its requests count double")
	}
}

// isPeer says whether a subject is ByIP's for the connection's other end, whichever
// prefix it was cut to and whatever was joined to it.
func isPeer(subject, remote string) bool {
	text, ok := strings.CutPrefix(subject, "ip:")
	if !ok {
		return false
	}
	text, _, _ = strings.Cut(text, "|")
	prefix, err := parsePrefix(text)
	return err == nil && prefix.Contains(peerOf(remote))
}

// holdsAddress says whether a subject is made of an address and port, new with each
// connection.
func holdsAddress(subject, remote string) bool {
	return len(remote) > 1 && strings.Contains(remote, ":") && strings.Contains(subject, remote)
}
