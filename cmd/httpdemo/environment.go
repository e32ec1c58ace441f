package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"sluice/engine"
	"sluice/httpdemo"
)

// settings is what the environment says.
type settings struct {
	port          int64
	storeAddrs    []string // none: the limiter lives in the process
	storeTimeout  time.Duration
	storeUsername string
	storePassword string
	storeTLS      bool
	algorithm     string
	capacity      int64
	refill        engine.Micros
	limit         int64
	window        time.Duration
	onFailure     httpdemo.OnFailure
	localShare    int64
	waitBudget    time.Duration
	keyHeader     string // none: the caller's address
	ipv6Prefix    int64
	proxies       httpdemo.Proxies
	headers       httpdemo.Dialect
	cost          int64

	idle []string // variables that are set and have no meaning beside the others
}

// A variable is a row of the environment: parsing, --help and docs/httpdemo.md come
// from it.
type variable struct {
	name, standard string // standard is what holds when it is unset or empty
	values         string
	doc            string
	set            func(*settings, string) error
}

// variables is every variable the demo reads.
func variables() []variable {
	return []variable{
		{"PORT", "8080", "0 to 65535", "the port to listen on; 0 takes a free one",
			number(func(s *settings) *int64 { return &s.port }, 0, 65535)},
		{"STORE_ADDR", "", "host:port or a socket's path, several with commas", "the Sluice servers to ask, keys spread over several; unset: the limiter lives in this process",
			setStoreAddr},
		{"STORE_TIMEOUT", "50ms", "1ms to 1m", "the longest a request waits for the store's answer",
			span(func(s *settings) *time.Duration { return &s.storeTimeout }, time.Millisecond, time.Minute)},
		{"STORE_USERNAME", "", "a name", "who the demo is to the store",
			text(func(s *settings) *string { return &s.storeUsername })},
		{"STORE_PASSWORD", "", "a password", "the store's password",
			text(func(s *settings) *string { return &s.storePassword })},
		{"STORE_TLS", "no", "yes, no", "speak TLS to the store (SSL_CERT_FILE names the authorities to trust)",
			yes(func(s *settings) *bool { return &s.storeTLS })},
		{"ALGORITHM", "token-bucket", "token-bucket, gcra, fixed-window, sliding-window, sliding-log, leaky-bucket", "what the limit means",
			word(func(s *settings) *string { return &s.algorithm }, "token-bucket", "gcra", "fixed-window", "sliding-window", "sliding-log", "leaky-bucket")},
		{"CAPACITY", "10", "1 to 1000000000000 (leaky-bucket: from 0)", "token-bucket, gcra: how many may come at once; leaky-bucket: how many may wait",
			number(func(s *settings) *int64 { return &s.capacity }, 0, engine.MaxUnits)},
		{"REFILL_PER_SECOND", "1", "0.000001 to 1000000000", "token-bucket, gcra, leaky-bucket: how many come back a second",
			setRefill},
		{"LIMIT", "10", "1 to 1000000000000 (sliding-log: 100000)", "the windows and the log: how many may come in a window",
			number(func(s *settings) *int64 { return &s.limit }, 1, engine.MaxUnits)},
		{"WINDOW", "60s", "1ms to 366d", "the windows and the log: how long a window is",
			span(func(s *settings) *time.Duration { return &s.window }, time.Millisecond, engine.MaxWindow)},
		{"POLICY", "", "unset", "a policy's name, when the server has RL.TAKE; it has not yet, so a set one refuses to start",
			setPolicy},
		{"ON_STORE_FAILURE", "open", "open, closed, local", "when the store does not answer: let through, refuse with 503, or limit in this process",
			setOnFailure},
		{"LOCAL_SHARE", "1", "1 to 1000000", "local: among how many instances the numbers are divided",
			number(func(s *settings) *int64 { return &s.localShare }, 1, 1_000_000)},
		{"WAIT_BUDGET", "0s", "0s to 1h", "the longest a request waits for its turn before it is refused (token-bucket and leaky-bucket alone)",
			span(func(s *settings) *time.Duration { return &s.waitBudget }, 0, time.Hour)},
		{"KEY_BY", "ip", "ip, header:NAME", "who is limited: an address, or what a header says",
			setKeyBy},
		{"IPV6_PREFIX", "64", "1 to 128", "how many bits of an IPv6 address tell callers apart",
			number(func(s *settings) *int64 { return &s.ipv6Prefix }, 1, 128)},
		{"TRUSTED_PROXIES", "", "CIDRs or addresses with commas, unix for peers without one", "whose X-Forwarded-For and Forwarded are believed",
			setProxies},
		{"HEADERS", "draft", "draft, x-ratelimit, both, none; draft-6, draft-7, draft-8", "how responses tell the limit: RateLimit and RateLimit-Policy of the IETF draft, or X-RateLimit-*",
			setHeaders},
		{"COST", "1", "1 to 1000000000000", "how many units a request takes",
			number(func(s *settings) *int64 { return &s.cost }, 1, engine.MaxUnits)},
	}
}

// readEnvironment is what the environment says, or an error that names every variable
// that is wrong. What a variable is set to is not repeated: it may be a secret.
func readEnvironment(lookup func(string) string) (*settings, error) {
	s := &settings{}
	var wrong []error
	isSet := map[string]bool{}
	for _, v := range variables() {
		value := lookup(v.name)
		if isSet[v.name] = value != ""; value == "" {
			value = v.standard
		}
		if value == "" {
			continue
		}
		if err := v.set(s, value); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", v.name, err))
		}
	}
	if len(wrong) == 0 {
		wrong = append(wrong, s.together())
	}
	for _, name := range s.meaningless() {
		if isSet[name] {
			s.idle = append(s.idle, name)
		}
	}
	return s, errors.Join(wrong...)
}

// rule is the limit, in the middleware's words.
func (s *settings) rule() httpdemo.Rule {
	return httpdemo.Rule{
		Name: "default", Algorithm: s.algorithm,
		Capacity: s.capacity, RefillPerSecond: s.refill,
		Limit: s.limit, Window: s.window,
	}
}

// together checks what no variable can know alone.
func (s *settings) together() error {
	names, most := "LIMIT, WINDOW", s.limit
	if s.buckets() {
		names, most = "CAPACITY, REFILL_PER_SECOND", s.capacity
		if s.algorithm == "leaky-bucket" {
			most++ // one is served while capacity wait
		}
	}
	if err := s.rule().Validate(); err != nil {
		return fmt.Errorf("%s: %w", names, err)
	}
	if s.cost > most {
		return fmt.Errorf("COST: more than %d, so no request would ever be granted", most)
	}
	if s.waitBudget > 0 && s.algorithm != "token-bucket" && s.algorithm != "leaky-bucket" {
		return errors.New("WAIT_BUDGET: needs the token-bucket or the leaky-bucket: no other ALGORITHM has a queue")
	}
	return nil
}

// meaningless is the variables that change nothing as the others are set.
func (s *settings) meaningless() (names []string) {
	if s.buckets() {
		names = append(names, "LIMIT", "WINDOW")
	} else {
		names = append(names, "CAPACITY", "REFILL_PER_SECOND")
	}
	if len(s.storeAddrs) == 0 {
		names = append(names, "STORE_TIMEOUT", "STORE_USERNAME", "STORE_PASSWORD", "STORE_TLS", "ON_STORE_FAILURE", "LOCAL_SHARE")
	}
	return names
}

// buckets says that the limit's numbers are CAPACITY and REFILL_PER_SECOND.
func (s *settings) buckets() bool {
	return s.algorithm == "token-bucket" || s.algorithm == "gcra" || s.algorithm == "leaky-bucket"
}

func help(w io.Writer) {
	fmt.Fprintln(w, "httpdemo serves /limited and /unlimited, /healthz and /metrics. It reads the environment:")
	fmt.Fprintln(w)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, v := range variables() {
		standard := v.standard
		if standard == "" {
			standard = "unset"
		}
		fmt.Fprintf(table, "  %s\t%s\t%s\n", v.name, standard, v.values)
	}
	table.Flush()
	fmt.Fprintln(w)
	for _, v := range variables() {
		fmt.Fprintf(w, "  %s: %s\n", v.name, v.doc)
	}
}

// markdown is the table for the documents.
func markdown() string {
	var b strings.Builder
	b.WriteString("| variable | default | values | meaning |\n|---|---|---|---|\n")
	for _, v := range variables() {
		standard := "unset"
		if v.standard != "" {
			standard = "`" + v.standard + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", v.name, standard, v.values, v.doc)
	}
	return b.String()
}
