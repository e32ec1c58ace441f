package commands

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"sluice/commands/config"
	"sluice/engine"
)

// A Session is one client's side of a conversation: what it said so far that
// matters for what it says next. Do belongs to the connection's own goroutine;
// what others may look at meanwhile is atomic or under mu.
type Session struct {
	ID      int64
	Addr    string // of the client
	Laddr   string // of ours
	Created time.Time

	// Kill ends the connection, at once and from any goroutine.
	Kill func()

	service       *Service
	ctx           context.Context
	call          engine.Call // in use while a limiting command runs
	authenticated bool
	tally         tally

	db          atomic.Int32
	proto       atomic.Int32 // 2 or 3
	active      atomic.Int64 // Unix nanoseconds of the last batch
	commands    atomic.Int64
	input       atomic.Int64 // bytes
	output      atomic.Int64
	lastCommand atomic.Pointer[Command]
	noEvict     atomic.Bool
	noTouch     atomic.Bool
	settled     atomic.Bool // the first batch was answered, so Kill is set
	ended       atomic.Bool // CLIENT KILL

	mu      sync.Mutex
	name    string
	libName string
	libVer  string
}

// Open begins a session. The server fills in Kill before the first Do and calls
// Close at the end.
func (s *Service) Open(ctx context.Context, addr, laddr string) *Session {
	c := &Session{Addr: addr, Laddr: laddr, Created: time.Now(), Kill: func() {}, service: s, ctx: ctx}
	c.active.Store(c.Created.UnixNano())
	c.reset()
	s.Sessions.add(c)
	return c
}

// Close ends the session.
func (c *Session) Close() { c.service.Sessions.remove(c) }

// reset makes the session as it was at the start (RESET).
func (c *Session) reset() {
	c.db.Store(0)
	c.proto.Store(2)
	c.noEvict.Store(false)
	c.noTouch.Store(false)
	c.authenticated = c.service.Config.String(config.RequirePass) == ""
	c.mu.Lock()
	defer c.mu.Unlock()
	c.name = ""
}

// Proto is the version of the protocol that replies are to be encoded in.
func (c *Session) Proto() int { return int(c.proto.Load()) }

// Authenticated says whether the client may do more than say who it is.
func (c *Session) Authenticated() bool { return c.authenticated }

// LastActive is when the client was last answered.
func (c *Session) LastActive() time.Time { return time.Unix(0, c.active.Load()) }

// end has the connection closed from any goroutine: at once or, if the server has
// not yet said how, after its first batch.
func (c *Session) end() {
	c.ended.Store(true)
	if c.settled.Load() {
		c.Kill()
	}
}

// viaUnixSocket says whether the client came over a unix socket: the server then
// writes unix:… for its address.
func (c *Session) viaUnixSocket() bool { return strings.HasPrefix(c.Addr, "unix:") }

// local says whether the client is on this machine.
func (c *Session) local() bool {
	if c.viaUnixSocket() {
		return true
	}
	addr, err := netip.ParseAddrPort(c.Addr)
	return err == nil && addr.Addr().Unmap().IsLoopback()
}

// Traffic notes bytes read and written.
func (c *Session) Traffic(in, out int) {
	c.input.Add(int64(in))
	c.output.Add(int64(out))
	c.service.Stats.InputBytes.Add(int64(in))
	c.service.Stats.OutputBytes.Add(int64(out))
}

// key is a key in the session's database.
func (c *Session) key(name []byte) engine.Key {
	return engine.Key{DB: int(c.db.Load()), Name: name}
}

// Do answers one command. args is not empty and is not kept.
func (c *Session) Do(args [][]byte) Reply {
	cmd := c.service.Table.Lookup(args[0])
	if cmd == nil {
		return c.reject(nil, errUnknown(args))
	}
	if len(cmd.Subcommands) > 0 && len(args) > 1 {
		sub := cmd.subcommand(args[1])
		if sub == nil {
			return c.reject(cmd, errUnknownSubcommand(cmd, args[1]))
		}
		cmd = sub
	}
	if err := c.admit(cmd, args); err != nil {
		return c.reject(cmd, err)
	}
	c.begin(cmd)
	reply, err := cmd.Run(c, args)
	if err != nil {
		cmd.stats.failed.Add(1)
		return c.failure(err)
	}
	return reply
}

// admit says why a command may not run, or nil.
func (c *Session) admit(cmd *Command, args [][]byte) error {
	if !c.authenticated && cmd.Flags&NoAuth == 0 {
		return errNoAuth
	}
	if !cmd.takes(len(args)) {
		return errArity(cmd)
	}
	if cmd.keysOf != nil {
		return cmd.keysOf(args, c.checkKey)
	}
	return cmd.Keys.Of(args, c.checkKey) // not eachKey, for which c.checkKey would be allocated
}

func (c *Session) checkKey(key []byte) error {
	if len(key) > engine.MaxKeyBytes || len(key) > int(c.service.Config.Number(config.MaxKeyBytes)) {
		return errorf("ERR key is longer than %d bytes", c.service.Config.Number(config.MaxKeyBytes))
	}
	return nil
}

// reject answers a command that was not run.
func (c *Session) reject(cmd *Command, err error) Reply {
	if cmd != nil {
		cmd.stats.rejected.Add(1)
	}
	return c.failure(err)
}

// failure is the reply for an error; what a client must not see is logged instead.
func (c *Session) failure(err error) Reply {
	reply, known := toError(err)
	if !known {
		c.service.Log.Error("a command failed", "client", c.ID, "error", err)
	}
	c.service.Stats.Errors.count(reply)
	return Reply{Kind: Failure, Text: string(reply)}
}

// Sessions is every session there is.
type Sessions struct {
	mu     sync.Mutex
	lastID int64
	open   map[int64]*Session
}

func newSessions() *Sessions { return &Sessions{open: map[int64]*Session{}} }

func (s *Sessions) add(c *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastID++
	c.ID = s.lastID
	s.open[c.ID] = c
}

func (s *Sessions) remove(c *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c.ID)
}

// Len is how many sessions there are.
func (s *Sessions) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// All is every session, the oldest first.
func (s *Sessions) All() []*Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*Session, 0, len(s.open))
	for _, c := range s.open {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *Session) int { return int(a.ID - b.ID) })
	return all
}
