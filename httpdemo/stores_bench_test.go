package httpdemo

import (
	"context"
	"path/filepath"
	"testing"
)

// What a Take costs by the store that decides it.
func BenchmarkTake(b *testing.B) {
	socket := filepath.Join(b.TempDir(), "s")
	s := startSluice(b, "unixsocket", socket)
	l := NewLocal(64 << 20)
	b.Cleanup(l.Close)
	down := errStoreDown
	open := NewBreaker(failing(&down), BreakerOptions{Failures: 1, Rest: 1 << 40})
	_, _ = open.Take(b.Context(), Ask{})
	rule := Rule{Name: "r", Algorithm: "token-bucket", Capacity: 1e6, RefillPerSecond: 1e12}
	second := rule
	second.Name = "second"
	for _, c := range []struct {
		name  string
		store Store
	}{
		{"local", l},
		{"unix", testRemote(b, RemoteOptions{Addrs: []string{socket}})},
		{"loopback", testRemote(b, RemoteOptions{Addrs: []string{s.addr}})},
		{"breaker/open", NewFailover(open, FailOpen, nil, 1, FailoverOptions{})},
		{"breaker/local", NewFailover(open, FailLocal, l, 2, FailoverOptions{})},
	} {
		for name, rules := range map[string][]Rule{"1": {rule}, "2": {rule, second}} {
			b.Run(c.name+"/rules="+name, func(b *testing.B) {
				b.ReportAllocs()
				a := Ask{Subject: "192.0.2.7", Rules: rules, Cost: 1}
				for b.Loop() {
					if _, err := c.store.Take(context.Background(), a); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
