package main

import (
	"crypto/tls"
	"log/slog"
	"net/http"

	"sluice/httpdemo"
)

// localBytes bounds the memory of limiters in the process: some hundred thousand callers.
const localBytes = 64 << 20

// wire makes the demo of its parts. end closes what they hold.
func wire(s *settings, log *slog.Logger) (handler http.Handler, end func(), err error) {
	store, stats, end := limiter(s, log)
	metrics := httpdemo.NewMetrics(stats)
	logged := httpdemo.LogDecisions(log)
	options := httpdemo.Options{
		Key:            httpdemo.ByIP(s.proxies, 32, int(s.ipv6Prefix)),
		TrustedProxies: s.proxies,
		Cost:           func(*http.Request) int64 { return s.cost },
		Headers:        s.headers,
		WaitBudget:     s.waitBudget,
		Logger:         log,
		OnDecision: func(e httpdemo.Event) {
			metrics.Count(e)
			logged(e)
		},
	}
	if s.keyHeader != "" { // who sends no key is limited by the address
		options.Key = httpdemo.ByHeader(s.keyHeader, options.Key)
	}
	limit, err := httpdemo.New(store, []httpdemo.Rule{s.rule()}, options)
	if err != nil {
		end()
		return nil, nil, err
	}
	return httpdemo.Demo{
		Limit:    limit,
		Metrics:  metrics.Handler(),
		Degraded: func() bool { return stats().Breaker != httpdemo.BreakerClosed },
	}.Handler(), end, nil
}

// limiter is the store that decides: in the process, or on servers with what
// to do when they fail.
func limiter(s *settings, log *slog.Logger) (store httpdemo.Store, stats func() httpdemo.Stats, end func()) {
	local := httpdemo.NewLocal(localBytes)
	if len(s.storeAddrs) == 0 {
		return local, func() httpdemo.Stats { return httpdemo.Stats{} }, local.Close
	}
	servers := httpdemo.NewShards(s.remote(), httpdemo.BreakerOptions{})
	failover := httpdemo.NewFailover(servers, s.onFailure, local, int(s.localShare), httpdemo.FailoverOptions{Log: log})
	return failover, failover.Stats, func() {
		if err := servers.Close(); err != nil {
			log.Warn("closing the store's connections", "error", err)
		}
		local.Close()
	}
}

func (s *settings) remote() httpdemo.RemoteOptions {
	o := httpdemo.RemoteOptions{
		Addrs: s.storeAddrs, Username: s.storeUsername, Password: s.storePassword, Timeout: s.storeTimeout,
	}
	if s.storeTLS {
		o.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	return o
}
