package server

import (
	"github.com/tidwall/redcon"

	"sluice/commands"
	"sluice/engine"
)

// A batch is commands that run together, see commands.Batch, and whose they are. A
// connection with a goroutine of its own has a batch of its own; those on a loop share
// the loop's, so that also clients that send one command at a time are answered as fast
// as those that send many.
//
// Nobody leaves a loop while commands wait in its batch.
type batch struct {
	*commands.Batch
	conns [engine.MaxTogether]*conn
	done  int
	each  func(i int) // made once, for it would be allocated
}

// newBatch is an empty batch, nil if the store has no use for one.
func newBatch(s *commands.Service) *batch {
	b := &batch{Batch: s.NewBatch()}
	if b.Batch == nil {
		return nil
	}
	b.each = b.answer
	return b
}

// add has a command wait in the batch, unless it must not or there is no room.
func (b *batch) add(c *conn, args [][]byte) bool {
	if b == nil || !c.session.Join(b.Batch, args) {
		return false
	}
	c.frames.keep()
	b.conns[b.Len()-1] = c
	return true
}

// run runs the commands that wait, and says whether there were any.
func (b *batch) run() bool {
	if b == nil || b.Len() == 0 {
		return false
	}
	defer b.empty()
	b.Together(b.each)
	return true
}

func (b *batch) answer(i int) {
	c := b.conns[i]
	b.done = i + 1
	c.start = len(c.out)
	defer c.mend(nil)
	var reply commands.Reply
	b.Answer(i, &reply)
	c.out = appendReply(c.out, &reply, c.session.Proto())
	c.note(&reply)
}

// empty lets the connections go. After a panic, which is a bug of ours, they get errors
// for what was not answered.
func (b *batch) empty() {
	p := recover()
	for i, c := range b.conns {
		if c == nil {
			break
		}
		if p != nil && i >= b.done {
			c.logPanic("commands together panicked", nil, p)
			c.out = redcon.AppendError(c.out, "ERR internal error")
		}
		c.frames.forget()
		b.conns[i] = nil
	}
	b.done = 0
}
