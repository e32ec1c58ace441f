package httpdemo

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics counts decisions and what they cost, for Prometheus. No label
// holds anything a client can choose, so there is a fixed number of series.
type Metrics struct {
	registry  *prometheus.Registry
	decisions *prometheus.CounterVec
	seconds   prometheus.Histogram
}

// NewMetrics are metrics of a process; stats tells of its Failover, nil if it has none.
func NewMetrics(stats func() Stats) *Metrics {
	if stats == nil {
		stats = func() Stats { return Stats{} }
	}
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		decisions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "sluice_decisions_total", Help: "What became of requests, in the words of the log.",
		}, []string{"result"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "sluice_decision_seconds", Help: "How long requests waited for an answer, whoever gave it.",
			Buckets: prometheus.ExponentialBuckets(25e-6, 2, 14), // 25 µs in the process to 0.2 s behind a failing network
		}),
	}
	for o := Granted; o <= Gone; o++ { // a series that is there from the start can be summed and alerted on
		m.decisions.WithLabelValues(o.String())
	}
	m.registry.MustRegister(m.decisions, m.seconds, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		counter("sluice_store_failures_total", "Calls that the store that is meant did not answer.",
			func() float64 { return float64(stats().Failures) }),
		counter("sluice_degraded_decisions_total", "Answers given in the place of a store that failed.",
			func() float64 { return float64(stats().Degraded) }),
		gauge("sluice_degraded", "1 while a server of the store is not asked.", nil,
			func() bool { return stats().Breaker != BreakerClosed }),
	)
	for state := BreakerClosed; state <= BreakerHalfOpen; state++ {
		m.registry.MustRegister(gauge("sluice_breaker_state", "1 for the state that the breaker is in; of several servers', the worst.",
			prometheus.Labels{"state": state.String()}, func() bool { return stats().Breaker == state }))
	}
	return m
}

func counter(name, help string, value func() float64) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, value)
}

func gauge(name, help string, labels prometheus.Labels, is func() bool) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, func() float64 {
		if is() {
			return 1
		}
		return 0
	})
}

// Handler answers with the metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Count is an Options.OnDecision.
func (m *Metrics) Count(e Event) {
	m.decisions.WithLabelValues(e.Outcome.String()).Inc()
	if e.Outcome != Unidentified { // no store was asked
		m.seconds.Observe(e.StoreTime.Seconds())
	}
}
