package server

import (
	"net"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"sluice/commands/config"
	"sluice/engine"
)

// A loop runs the connections that have something to read, one after the other, and
// writes their replies when all have been run. So many packets cost one call that
// waits, and one commit.
//
// What waits must not hold up the others. The goroutine that leads the loop does not
// know beforehand whether a command will wait; when it is about to, in the middle of
// a connection's batch, it leaves the loop to a new goroutine, goes on as a goroutine
// of that connection alone, and joins the connection to the loop again when its batch
// is answered (see conn.alone).
type loop struct {
	server *Server
	poll   *poller
	ring   *ring        // nil if there is none
	size   atomic.Int32 // connections that it was given and that have not ended

	mu           sync.Mutex
	joins, calls []*conn // not heard yet
	over         bool

	// The rest belongs to the leader. It is here, and what is left to do stands in
	// queues, because leaders change: who comes next goes on where the last one left.
	members  []*conn // by number of socket
	looks    queue   // to be looked at
	ready    queue   // to be read
	answered queue   // to be written
	batch    *batch  // of what was read
	now      time.Time
	collect  func(fd int)
}

// toLoop gives a client to the loop with the fewest; safe is what TLS made of nc, nil
// without. It says false if the client needs a goroutine: it is no plain socket, there
// is no poller for this system, or commands wait for more than memory.
func (s *Server) toLoop(nc net.Conn, safe *secure, clients *sync.WaitGroup) bool {
	plain, ok := nc.(syscall.Conn)
	if _, near := s.service.Store.(engine.Near); !ok || !near {
		return false
	}
	s.start.Do(func() { s.startLoops(s.loopCount()) })
	if len(s.loops) == 0 {
		return false
	}
	socket, ok := takeSocket(nc, plain)
	if !ok {
		return false
	}
	l := slices.MinFunc(s.loops, func(a, b *loop) int { return int(a.size.Load() - b.size.Load()) })
	l.size.Add(1)
	clients.Add(1)
	socket.loop, socket.ended = l, clients.Done
	if safe != nil {
		socket.secure, safe.wire.socket = safe, socket
	}
	l.join(s.newConn(socket))
	return true
}

// loopCount is what io-threads says. By itself it leaves half of the processors to what
// the system does for the network, to the collector and to clients on this machine:
// with a loop on each, all of them are in the way of each other, and a call costs a
// third more.
func (s *Server) loopCount() int {
	if n := s.service.Config.Number(config.IOThreads); n > 0 {
		return int(n)
	}
	return max(1, runtime.GOMAXPROCS(0)/2)
}

func (s *Server) startLoops(count int) {
	for range count {
		p, err := newPoller(count >= runtime.GOMAXPROCS(0))
		if err != nil {
			return
		}
		l := &loop{server: s, poll: p, batch: newBatch(s.service)}
		if s.service.Config.Bool(config.IOUring) {
			if l.ring, err = newRing(); err != nil && len(s.loops) == 0 {
				s.log.Info("no io_uring here: clients are read and answered one by one", "why", err)
			}
		}
		l.collect = func(fd int) { l.ready.add(l.members[fd]) }
		s.loops = append(s.loops, l)
		s.leaders.Go(l.lead)
	}
}

// stopLoops ends the loops, which must have no members any more.
func (s *Server) stopLoops() {
	for _, l := range s.loops {
		l.mu.Lock()
		l.over = true
		l.mu.Unlock()
		l.poll.ring()
	}
	s.leaders.Wait()
	for _, l := range s.loops {
		l.poll.close()
		if l.ring != nil {
			l.ring.close()
		}
	}
}

// join makes a connection, which nobody runs, a member.
func (l *loop) join(c *conn) {
	l.mu.Lock()
	l.joins = append(l.joins, c)
	l.mu.Unlock()
	l.poll.ring()
}

// call has the loop look at a connection, if that is a member.
func (l *loop) call(c *conn) {
	l.mu.Lock()
	l.calls = append(l.calls, c)
	l.mu.Unlock()
	l.poll.ring()
}

// lead leads the loop until it is over or somebody else leads it.
func (l *loop) lead() {
	for l.look() && l.read() && l.write() && l.wait() {
	}
}

// look has members look around. Like read and write it says false if this goroutine
// leads no more.
func (l *loop) look() bool { return l.each(&l.looks, (*conn).lookAround) }

// read runs what the members say that have something to read.
func (l *loop) read() bool {
	l.receive()
	if !l.each(&l.ready, (*conn).listen) {
		return false
	}
	l.batch.run()
	return true
}

// write writes the replies of this round, after one commit for all of them.
func (l *loop) write() bool {
	_ = l.server.service.Persistence.Commit() // who has to know asks again
	l.now = time.Now()
	l.send()
	return l.each(&l.answered, (*conn).reply)
}

// each does a step of every connection that waits for it. A step says whether its
// connection is to go on.
func (l *loop) each(q *queue, step func(*conn) bool) bool {
	for c := q.next(); c != nil; c = q.next() {
		if l.members[c.socket.fd] != c {
			continue // gone since
		}
		on := step(c)
		switch {
		case !c.looped:
			c.alone(on)
			return false
		case !on:
			l.batch.run() // it may have a command there
			l.drop(c)
			go c.end()
		case c.unanswered > 0 && q != &l.answered:
			l.answered.add(c)
		}
	}
	return true
}

// wait waits until there is something to do. It says false if the loop is over.
func (l *loop) wait() bool {
	l.poll.wait(l.collect)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.joins {
		l.add(c)
	}
	for _, c := range l.calls {
		if fd := c.socket.fd; fd < len(l.members) && l.members[fd] == c {
			l.looks.add(c)
		}
	}
	clear(l.joins)
	clear(l.calls)
	l.joins, l.calls = l.joins[:0], l.calls[:0]
	return !l.over
}

func (l *loop) add(c *conn) {
	fd := c.socket.fd
	if more := fd + 1 - len(l.members); more > 0 {
		l.members = append(l.members, make([]*conn, more)...)
	}
	c.looped, c.batch = true, l.batch
	l.members[fd] = c
	if c.socket.secure != nil {
		l.ready.add(c) // some may have come behind the handshake, and the socket is empty
	}
	if err := l.poll.add(fd); err != nil {
		l.server.log.Warn("can't wait for a client", "client", c.session.Addr, "error", err)
		c.cut()
	}
	if l.server.stopping.Err() != nil || c.killed.Load() {
		l.looks.add(c) // what called it while it was no member was not heard
	}
}

func (l *loop) drop(c *conn) {
	l.members[c.socket.fd] = nil
	l.poll.remove(c.socket.fd)
}

// A queue is connections that a step is to be done of.
type queue struct {
	conns []*conn
	at    int
}

func (q *queue) add(c *conn) { q.conns = append(q.conns, c) }

// rest is the connections that wait, in order.
func (q *queue) rest() []*conn { return q.conns[q.at:] }

// next is the next connection, nil if there is none left.
func (q *queue) next() (c *conn) {
	if q.at == len(q.conns) {
		q.conns, q.at = q.conns[:0], 0
		return nil
	}
	c, q.conns[q.at] = q.conns[q.at], nil
	q.at++
	return c
}
