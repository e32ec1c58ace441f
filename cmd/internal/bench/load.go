// Package bench makes load for servers that speak RESP, measures what they make of it
// and compares them. It is a client from outside: it knows the protocol and /proc, and
// nothing of how Sluice works.
//
// One loop drives many connections from one thread, because the load shares the
// machine with the server: what the load costs, the server lacks.
package bench

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// A Load is what to send where, how fast and for how long.
type Load struct {
	Addr     string // host:port, or the path of a unix socket
	Password string
	TLS      *tls.Config // nil for none
	Workload Workload

	Connections int
	Depth       int // commands that are sent at once and then waited for
	Threads     int
	Cores       int // that the threads share, the machine's first ones; 0 for all
	Keys        int
	Spread      Spread

	Rate     float64       // calls a second that are sent whatever happens; 0 sends as replies come
	Warmup   time.Duration // before the measurement
	Duration time.Duration // of the measurement

	PID      int       // of the server, 0 to ask it
	Progress io.Writer // gets a line each second, if not nil
}

// Validate says what is wrong with a load.
func (l Load) Validate() error {
	switch {
	case l.Addr == "":
		return errors.New("there is no address")
	case l.Threads < 1 || l.Connections < l.Threads || l.Connections > 100_000:
		return errors.New("there must be at least one thread, and for each of them a connection, at most 100000")
	case l.Depth < 1 || l.Depth > 10_000:
		return errors.New("the depth must be between 1 and 10000")
	case l.Keys < 1 || l.Keys > 1_000_000_000:
		return errors.New("there must be between 1 and 1000000000 keys")
	case l.Rate < 0 || l.Rate > 1e8:
		return errors.New("the rate must be between 0 and 100000000")
	case l.Duration <= 0 || l.Warmup < 0:
		return errors.New("the duration must be longer than 0, and the warmup not below")
	}
	return nil
}

// A Result is what a load came to.
type Result struct {
	Workload    string  `json:"workload"`
	Command     string  `json:"command"`
	Addr        string  `json:"addr"`
	Connections int     `json:"connections"`
	Depth       int     `json:"depth"`
	Keys        int     `json:"keys"`
	Spread      Spread  `json:"spread"`
	Rate        float64 `json:"rate,omitempty"` // asked for, of an open loop
	TLS         bool    `json:"tls,omitempty"`

	Seconds float64 `json:"seconds"`
	Calls   int64   `json:"calls"` // answered
	PerSec  float64 `json:"calls_per_second"`
	Missed  int64   `json:"missed,omitempty"` // due in an open loop and never sent: the server was behind

	Errors     int64            `json:"errors"`
	ErrorTexts map[string]int64 `json:"error_texts,omitempty"`

	Latency   Latency  `json:"latency_us"`
	ServerCPU *float64 `json:"server_cpu_us_per_call,omitempty"` // where the pid is known
	LoadCPU   float64  `json:"load_cpu_us_per_call"`             // what the load itself took
	ServerPID int      `json:"server_pid,omitempty"`
}

// prepare loads the script, tries the command once and makes its template.
func (l Load) prepare(c *client) (Template, error) {
	command, err := l.Workload.load(c)
	if err != nil {
		return Template{}, err
	}
	template, err := ParseTemplate(command)
	if err != nil {
		return Template{}, err
	}
	reply, err := c.send(template.bytes)
	if err != nil {
		return Template{}, fmt.Errorf("the first call of %s: %w", l.Workload.Name, err)
	}
	return template, l.Workload.Check(reply)
}

// load is the command, after its script is loaded where it has one.
func (w Workload) load(c *client) (string, error) {
	if w.Script == "" {
		return w.Command, nil
	}
	digest, err := c.ask("SCRIPT", "LOAD", w.Script)
	if err != nil {
		return "", fmt.Errorf("SCRIPT LOAD: %w", err)
	}
	return strings.ReplaceAll(w.Command, "{sha}", fmt.Sprint(digest)), nil
}
