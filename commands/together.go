package commands

import (
	"errors"
	"time"

	"sluice/engine"
)

// A Batch is limiting commands that have come at once, of one connection or of several,
// and will run together: see engine.Near. It belongs to one goroutine at a time.
type Batch struct {
	store engine.Near
	n     int
	calls [engine.MaxTogether]joined
	used  int // of the keys; each command has one at least
	keys  [engine.MaxTogether]engine.Key

	// Made once, for they would be allocated.
	inside func(engine.Store)     // runs the commands
	add    func(key []byte) error // notes a key of the session that joins
	each   func(i int)            // while they run
	joins  *Session               // while it joins
}

// joined is a command that waits for those behind it.
type joined struct {
	session *Session
	row     *Command
	args    [][]byte
}

// NewBatch is an empty batch, or nil if the store has no use for one.
func (s *Service) NewBatch() *Batch {
	near, ok := s.Store.(engine.Near)
	if !ok {
		return nil
	}
	b := &Batch{store: near}
	b.inside, b.add = b.runInside, b.noteKey
	return b
}

// Len is how many commands have joined.
func (b *Batch) Len() int { return b.n }

// Full says whether no other command can join before Together.
func (b *Batch) Full() bool { return b.used == len(b.keys) }

// Join has a command wait for those behind it, with which it is to run. It says false
// if it must not, or if there is no room for all its keys: then Do is to answer it,
// after Together. args is kept until Together.
func (c *Session) Join(b *Batch, args [][]byte) bool {
	if c.aside || c.tx != nil || c.tracks || c.Listening() || c.service.pause.level.Load() != pauseNothing {
		return false
	}
	cmd := c.lookup(args[0])
	if cmd == nil || !cmd.joins || c.admitKeyless(cmd, args) != nil || !b.note(c, cmd, args) {
		return false
	}
	j := &b.calls[b.n]
	j.session, j.row, j.args = c, cmd, args
	b.n++
	return true
}

// note notes the keys of a command, all or none if one may not stand there.
func (b *Batch) note(c *Session, cmd *Command, args [][]byte) bool {
	b.joins, c.slot = c, oneSlot{}
	if cmd.keysOf == nil { // as nearly always
		return b.noteKey(args[1]) == nil
	}
	before := b.used
	if err := cmd.keysOf(args, b.add); err != nil {
		b.used = before
		return false
	}
	return true
}

var errCrowded = errors.New("there is no room for all keys")

func (b *Batch) noteKey(name []byte) error {
	if b.Full() {
		return errCrowded
	}
	if err := b.joins.checkKey(name); err != nil {
		return err
	}
	b.keys[b.used] = b.joins.key(name)
	b.used++
	return nil
}

// Together calls each for every command that has joined, in order, and leaves the batch
// empty. each is to call Answer, once.
func (b *Batch) Together(each func(i int)) {
	defer b.empty()
	b.each = each
	began := time.Now()
	if b.n == 1 {
		each(0)
	} else {
		b.store.Together(b.keys[:b.used], b.inside)
	}
	took := time.Since(began) / time.Duration(b.n)
	for i := range b.n {
		b.calls[i].session.ran(b.calls[i].row, began, took)
	}
}

// runInside has the sessions use the store that holds the keys.
func (b *Batch) runInside(inner engine.Store) {
	for i := 0; i < b.n; {
		i = b.runSession(i, inner)
	}
}

// runSession runs the commands of one session, from the i-th on, and says where the
// next one's begin.
func (b *Batch) runSession(i int, inner engine.Store) int {
	c := b.calls[i].session
	outer := c.store
	defer func() { c.store = outer }()
	c.store = inner
	for ; i < b.n && b.calls[i].session == c; i++ {
		b.each(i)
	}
	return i
}

// Answer answers a command that has joined.
func (b *Batch) Answer(i int, reply *Reply) {
	j := &b.calls[i]
	if j.session.precise {
		defer j.session.observe(j.row, j.args, time.Now())
	}
	j.session.answer(reply, j.row, j.args)
}

// empty forgets the commands: their bytes are the connections'.
func (b *Batch) empty() {
	clear(b.calls[:b.n])
	clear(b.keys[:b.used])
	b.n, b.used, b.joins = 0, 0, nil
}
