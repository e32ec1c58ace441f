package httpdemo

import (
	"io"
	"net/http"
)

// A Demo is what the demo's handlers need.
type Demo struct {
	// Limit is the middleware before /limited.
	Limit func(http.Handler) http.Handler
	// Metrics answers /metrics.
	Metrics http.Handler
	// Degraded says that the store that is meant does not decide at the moment.
	Degraded func() bool
}

// Handler is the demo's routes. Nothing stands before /unlimited.
func (d Demo) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /limited", d.Limit(says("Limited, don't over use me!\n")))
	mux.Handle("GET /unlimited", says("Unlimited! Let's Go!\n"))
	mux.HandleFunc("GET /healthz", d.health)
	mux.Handle("GET /metrics", d.Metrics)
	return mux
}

// health answers 200 also when the store is away: the service goes on as
// ON_STORE_FAILURE has it, and a restart of it would bring no store back.
func (d Demo) health(w http.ResponseWriter, r *http.Request) {
	text := "ok\n"
	if d.Degraded != nil && d.Degraded() {
		text = "ok, but the store does not answer\n"
	}
	says(text)(w, r)
}

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		// A client that has left does not read the answer; there is nobody to tell.
		_, _ = io.WriteString(w, text)
	}
}
