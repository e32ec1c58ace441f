package commands

import (
	"context"
	"net/netip"
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
	Secure  bool // the client speaks TLS; the server says so after Open

	peer          Peer
	service       *Service
	store         engine.Store // the service's, or what EXEC was given
	tx            *transaction // since MULTI, else nil
	watched       map[watchedKey]engine.State
	ctx           context.Context
	call          engine.Call            // of the limiting command that runs or ran last
	habit         habit                  // of call
	parts         *parts                 // the same for RL.ALL, nil before the first
	lease         engine.LeaseCall       // in use while the store carries it out
	tokens        tokens                 // for leases
	last          *Command               // that was looked up: nearly always the next one, too
	check         func(key []byte) error // checkKey; made once, for it would be allocated
	slot          oneSlot                // of the keys that it has checked
	authenticated bool
	precise       bool // time fast commands one by one, too
	maxKey        int  // bytes of a key; both as of the last batch, see refresh
	tally         tally
	subs          subscriptions
	tracker       tracker
	tracks        bool // CLIENT TRACKING; trackReads: what it reads is remembered
	trackReads    bool
	caching       bool // CLIENT CACHING was said for the next command
	replies       repliesMode
	aside         bool // replies or caching is not as usual
	touching      bool // the command under way has changed a key

	db          atomic.Int32
	proto       atomic.Int32 // 2 or 3
	active      atomic.Int64 // Unix nanoseconds of the last batch
	commands    atomic.Int64
	queued      atomic.Int32 // commands behind MULTI, -1 without
	input       atomic.Int64 // bytes
	output      atomic.Int64
	lastCommand atomic.Pointer[Command]
	noEvict     atomic.Bool
	noTouch     atomic.Bool
	monitoring  atomic.Bool
	resting     atomic.Bool // held up by CLIENT PAUSE

	mu      sync.Mutex
	name    string
	libName string
	libVer  string
}

// Open begins a session over a connection. The server calls Close at its end.
func (s *Service) Open(ctx context.Context, peer Peer, addr, laddr string) *Session {
	c := &Session{Addr: addr, Laddr: laddr, Created: time.Now(), peer: peer, service: s, store: s.Store, ctx: ctx}
	c.check = c.checkKey
	c.active.Store(c.Created.UnixNano())
	c.refresh()
	c.reset()
	s.Sessions.add(c)
	return c
}

// Close ends the session.
func (c *Session) Close() {
	c.service.Sessions.remove(c)
	c.leaveAll()
}

// leaveAll has nothing pushed to the client any more.
func (c *Session) leaveAll() {
	c.service.pubSub.forget(c)
	c.service.monitors.forget(c)
	c.stopTracking()
}

// reset makes the session as it was at the start (RESET).
func (c *Session) reset() {
	c.endTransaction()
	c.leaveAll()
	c.db.Store(0)
	c.proto.Store(2)
	c.noEvict.Store(false)
	c.noTouch.Store(false)
	c.replies = repliesOn
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

// Do answers one command. args is not empty and is not kept. The reply's items are
// good until the next one.
func (c *Session) Do(args [][]byte) Reply {
	if c.aside {
		return c.doAside(args)
	}
	cmd, err := c.resolve(args)
	if err == nil {
		err = c.admit(cmd, args)
	}
	if err != nil {
		return c.reject(cmd, err)
	}
	if c.service.pause.level.Load() != pauseNothing && !c.holdOn(cmd) {
		return Reply{Ends: true}
	}
	if c.tx != nil && cmd.Flags&Immediate == 0 {
		return c.enqueue(cmd, args)
	}
	return c.run(cmd, args)
}

// resolve is the command, or the subcommand, that is called.
func (c *Session) resolve(args [][]byte) (*Command, error) {
	cmd := c.lookup(args[0])
	if cmd == nil {
		return nil, errUnknown(args)
	}
	if len(cmd.Subcommands) == 0 || len(args) == 1 {
		return cmd, nil
	}
	sub := cmd.subcommand(args[1])
	if sub == nil {
		return cmd, errUnknownSubcommand(cmd, args[1])
	}
	return sub, nil
}

// lookup is the command of a name, or nil.
func (c *Session) lookup(name []byte) *Command {
	if c.last == nil || !is(name, c.last.Name) {
		cmd := c.service.Table.Lookup(name)
		if cmd == nil {
			return nil
		}
		c.last = cmd
	}
	return c.last
}

// run answers a command that may run.
func (c *Session) run(cmd *Command, args [][]byte) (reply Reply) {
	c.runInto(&reply, cmd, args)
	return reply
}

// runInto is run for who gives the place: a reply is large, and each copy costs.
func (c *Session) runInto(reply *Reply, cmd *Command, args [][]byte) {
	c.begin(cmd)
	if cmd.Flags&Fast == 0 {
		c.peer.Slow()
	}
	if (cmd.Flags&Fast == 0 || c.precise) && cmd.Name != "EXEC" { // whose commands are timed
		defer c.observe(cmd, args, time.Now())
	}
	if c.trackReads && cmd.Flags&ReadOnly != 0 {
		c.rememberKeys(cmd, args)
	}
	c.answer(reply, cmd, args)
}

// answer runs a command that has been counted.
func (c *Session) answer(reply *Reply, cmd *Command, args [][]byte) {
	c.touching = false
	var err error
	switch { // all but the last are the same as Run without a copy
	case cmd.limiter != nil:
		err = cmd.limiter.answer(c, args, reply)
	case cmd.parted:
		err = c.answerAll(args, reply)
	case cmd.leasing:
		err = c.acquire(args, reply)
	default:
		*reply, err = cmd.Run(c, args)
	}
	if c.service.monitors.any.Load() {
		c.service.monitors.show(c, cmd, args)
	}
	if err != nil {
		cmd.stats.failed.Add(1)
		*reply = c.failure(err)
	}
	reply.Kept = reply.Kept || c.touching
}

// admit says why a command may not run, or nil.
func (c *Session) admit(cmd *Command, args [][]byte) error {
	if err := c.admitKeyless(cmd, args); err != nil {
		return err
	}
	c.slot = oneSlot{}
	return cmd.eachKey(args, c.check)
}

// admitKeyless is admit whatever the keys are.
func (c *Session) admitKeyless(cmd *Command, args [][]byte) error {
	if !cmd.takes(len(args)) {
		return errArity(cmd)
	}
	if !c.authenticated && cmd.Flags&NoAuth == 0 {
		return errNoAuth
	}
	if c.subscribedOnly() && cmd.Flags&Subscribed == 0 {
		return errSubscribedOnly(cmd)
	}
	if cmd.Flags&(Write|ReadOnly) != 0 && c.monitoring.Load() {
		return errMonitoring
	}
	return nil
}

// refresh reads the options that a session asks for with each command, once a batch.
func (c *Session) refresh() {
	c.precise = c.service.precise()
	c.maxKey = int(c.service.Config.Number(config.MaxKeyBytes))
}

// checkKey says why a key may not stand in a call behind those before it, or nil.
func (c *Session) checkKey(key []byte) error {
	if len(key) > c.maxKey {
		return errorf("ERR key is longer than %d bytes", c.maxKey)
	}
	if c.service.cluster {
		return c.slot.check(key)
	}
	return nil
}

// reject answers a command that was not run. A transaction it was meant for can not
// be executed any more.
func (c *Session) reject(cmd *Command, err error) Reply {
	if c.tx != nil {
		c.tx.broken = true
	}
	if cmd != nil && cmd.Name == "EXEC" {
		c.endTransaction()
		err = errorf("EXECABORT Transaction discarded because of: %s", strings.TrimPrefix(err.Error(), "ERR "))
	}
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
