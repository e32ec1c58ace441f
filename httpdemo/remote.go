package httpdemo

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// ErrMisconfigured says that a server is there and answers, but does not take what
// it is told: it is no Sluice, or the key holds something else. Waiting does not
// help, and nobody else's request is concerned.
var ErrMisconfigured = errors.New("the store is misconfigured")

// DefaultTimeout is how long a Remote is waited for unless its options say otherwise.
const DefaultTimeout = 50 * time.Millisecond

// RemoteOptions say where Sluice servers are and how they are spoken to.
type RemoteOptions struct {
	// Addrs are host:port, or a path for a unix socket: one for a Remote, and one or
	// more for Shards.
	Addrs              []string
	Username, Password string
	TLS                *tls.Config
	Timeout            time.Duration // of a Take, connecting included; DefaultTimeout if 0
	PoolSize           int           // connections to a server, at most; 32 if 0
}

// A Remote is a Store on a Sluice server. A Take is one round trip and is never
// repeated: it might have been granted the first time. Times are the server's, in
// milliseconds rounded up; a gcra's are in whole seconds, as redis-cell tells them,
// but for a Verdict's RetryAfter over several rules.
type Remote struct {
	client  *redis.Client
	timeout time.Duration
}

var _ Store = (*Remote)(nil)

// NewRemote is a store on the one server of the options. It connects when it is
// asked. End it with Close.
func NewRemote(o RemoteOptions) *Remote {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.PoolSize <= 0 {
		o.PoolSize = 32
	}
	if len(o.Addrs) != 1 {
		panic("httpdemo: a Remote has one address; several are for NewShards")
	}
	return &Remote{client: redis.NewClient(clientOptions(o, o.Addrs[0])), timeout: o.Timeout}
}

// Shards are a Store on several Sluice servers, a Remote behind a Breaker for each.
// A subject is kept at the server it hashes to (rendezvous hashing of the addresses,
// so that all instances hash alike), also while that one is down: then its calls fail
// and nobody else's do. Elsewhere it would have its whole limit anew.
type Shards struct {
	ring   *redis.Ring // hashes, and does nothing else
	stores map[*redis.Client]*Breaker
}

var _ Store = (*Shards)(nil)

// NewShards is a store on the servers of the options. It connects when it is asked.
// End it with Close.
func NewShards(o RemoteOptions, each BreakerOptions) *Shards {
	if len(o.Addrs) == 0 {
		panic("httpdemo: Shards need an address")
	}
	s := &Shards{stores: map[*redis.Client]*Breaker{}}
	shards := map[string]string{}
	for _, addr := range o.Addrs {
		shards[addr] = addr
	}
	s.ring = redis.NewRing(&redis.RingOptions{
		Addrs: shards,
		NewClient: func(shard *redis.Options) *redis.Client { // within NewRing, once an address
			o.Addrs = []string{shard.Addr}
			remote := NewRemote(o)
			s.stores[remote.client] = NewBreaker(remote, each)
			return remote.client
		},
		// A shard that is taken for dead is left out: none ever is, and none is pinged.
		HeartbeatFn:        func(context.Context, *redis.Client) bool { return true },
		HeartbeatFrequency: time.Hour,
	})
	return s
}

// Take asks the server of the subject, or fails with ErrBreakerOpen.
func (s *Shards) Take(ctx context.Context, a Ask) (Verdict, error) {
	client, err := s.ring.GetShardClientForKey(tagOf(a.Subject))
	if err != nil {
		return Verdict{}, fmt.Errorf("httpdemo: choosing a server: %w", err)
	}
	return s.stores[client].Take(ctx, a)
}

// State is the worst of the servers' breakers: open, half-open, closed.
func (s *Shards) State() BreakerState {
	worst := BreakerClosed
	for _, b := range s.stores {
		switch b.State() {
		case BreakerOpen:
			return BreakerOpen
		case BreakerHalfOpen:
			worst = BreakerHalfOpen
		}
	}
	return worst
}

// Close ends the connections.
func (s *Shards) Close() error { return s.ring.Close() }

// clientOptions are for a client that fails rather than waits.
func clientOptions(o RemoteOptions, addr string) *redis.Options {
	return &redis.Options{
		Addr: addr, Username: o.Username, Password: o.Password,
		Dialer: dialer(o.TLS),
		// What begins to connect goes on when its request has given up, so that a
		// handshake slower than Timeout succeeds for the next one.
		DialTimeout: max(o.Timeout, 500*time.Millisecond), DialerRetries: 1,
		ReadTimeout: o.Timeout, WriteTimeout: o.Timeout, PoolTimeout: o.Timeout,
		ContextTimeoutEnabled: true,
		MaxRetries:            -1,
		PoolSize:              o.PoolSize, PipelinePoolSize: -1,
		ReadBufferSize: 4096, WriteBufferSize: 4096,
		Protocol: 2, DisableIdentity: true, // nothing to say before the first command
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
}

// dialer connects, and reports that it could not at the first use of what it
// returns. go-redis counts errors of dialing itself, and after some looks only once
// a second whether the server is back: too late, and the Breaker does it better.
func dialer(secure *tls.Config) func(ctx context.Context, network, addr string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		if strings.HasPrefix(addr, "/") {
			network = "unix"
		}
		if secure == nil {
			conn, err := new(net.Dialer).DialContext(ctx, network, addr)
			if err != nil {
				return unconnected{err: err}, nil
			}
			return conn, nil
		}
		conn, err := (&tls.Dialer{Config: secure}).DialContext(ctx, network, addr)
		if err != nil {
			return unconnected{err: err}, nil
		}
		return secured{conn.(*tls.Conn)}, nil
	}
}

// secured shows the socket below, so that go-redis sees before it asks whether the
// server has ended the connection: after a restart each one in the pool would cost
// a call, and a Breaker's probe. In RESP2 whatever waits in the socket is an end.
type secured struct{ *tls.Conn }

func (s secured) SyscallConn() (syscall.RawConn, error) {
	socket, ok := s.NetConn().(syscall.Conn)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	return socket.SyscallConn()
}

// unconnected is a connection that could not be made.
type unconnected struct {
	net.Conn // nil: a method that is not below is never called
	err      error
}

func (u unconnected) Read([]byte) (int, error)         { return 0, u.err }
func (u unconnected) Write([]byte) (int, error)        { return 0, u.err }
func (u unconnected) Close() error                     { return nil }
func (u unconnected) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (u unconnected) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (u unconnected) SetDeadline(time.Time) error      { return nil }
func (u unconnected) SetReadDeadline(time.Time) error  { return nil }
func (u unconnected) SetWriteDeadline(time.Time) error { return nil }

// Close ends the connections.
func (r *Remote) Close() error { return r.client.Close() }

// Take asks the server.
func (r *Remote) Take(ctx context.Context, a Ask) (Verdict, error) {
	q, err := a.resolve()
	if err != nil {
		return Verdict{}, err
	}
	bounded, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	reply, err := r.client.Do(bounded, question(a, q)...).Result()
	if err != nil && !errors.Is(err, redis.Nil) { // nothing is not an answer either: see below
		if given(ctx, err) {
			return Verdict{}, ctx.Err()
		}
		return Verdict{}, refusedBy(err)
	}
	v, err := answer(q, reply)
	if err != nil {
		return Verdict{}, fmt.Errorf("httpdemo: %w: %w", ErrMisconfigured, err)
	}
	return v, nil
}

// refusedBy tells an error of the network or of the whole server, which concerns
// every request, from one that is about this request: ErrMisconfigured.
func refusedBy(err error) error {
	var said redis.Error
	if !errors.As(err, &said) {
		return fmt.Errorf("httpdemo: asking the store: %w", err)
	}
	text := said.Error()
	if strings.HasPrefix(text, "NOAUTH") || strings.HasPrefix(text, "WRONGPASS") || strings.HasPrefix(text, "NOPERM") {
		return fmt.Errorf("httpdemo: the store refuses the user name or password: %w", err)
	}
	for _, passing := range []string{"ERR max number of clients", "ERR internal error", "ERR the connection is ending"} {
		if strings.HasPrefix(text, passing) {
			return fmt.Errorf("httpdemo: the store answers: %w", err)
		}
	}
	for _, lasting := range []string{"ERR ", "WRONGTYPE ", "CROSSSLOT "} {
		if strings.HasPrefix(text, lasting) {
			return fmt.Errorf("httpdemo: %w: it answers: %w", ErrMisconfigured, err)
		}
	}
	return fmt.Errorf("httpdemo: the store answers: %w", err)
}

// question is the command that asks for all rules at once.
func question(a Ask, q resolved) []any {
	if len(a.Rules) == 1 {
		return part([]any{q.algorithms[0].command, string(q.calls[0].Key.Name)}, a, q.algorithms[0], 0)
	}
	words := []any{"RL.ALL"}
	for i, alg := range q.algorithms {
		if i > 0 {
			words = append(words, "AND")
		}
		words = part(append(words, string(q.calls[i].Key.Name), alg.command), a, alg, i)
	}
	return words
}

// part is words and behind them the numbers of one rule.
func part(words []any, a Ask, alg algorithm, rule int) []any {
	words = append(words, alg.args(a.Rules[rule])...)
	words = append(words, a.Cost)
	if wait := a.maxWait(); wait > 0 && alg.command == "TB.TAKE" {
		words = append(words, "MAXWAIT", wait.Milliseconds())
	}
	return words
}

func bucketArgs(r Rule) []any {
	return []any{r.Capacity, fmt.Sprintf("%d.%06d", r.RefillPerSecond/1_000_000, r.RefillPerSecond%1_000_000)}
}

func gcraArgs(r Rule) []any {
	count, period := ratio(r.RefillPerSecond)
	return []any{r.Capacity - 1, count, period}
}

func windowArgs(r Rule) []any {
	return []any{r.Limit, strconv.FormatInt(r.Window.Milliseconds(), 10) + "ms"}
}
