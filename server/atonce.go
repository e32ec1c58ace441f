package server

// This file is what a loop does for many connections at once, if the system has a ring:
// it reads what has come for all of them in one call, and writes the replies to all of
// them in another. What it finds there each connection takes where it would else call
// the system itself, as connections with TLS do, and one that has the loop for itself.

// A result is what became of a read or a write that was made with those of others.
type result struct {
	made bool
	n    int
	err  error
}

// take is the result, once. It says false if there is none.
func (r *result) take() (n int, made bool, err error) {
	n, made, err = r.n, r.made, r.err
	*r = result{}
	return n, made, err
}

// receivedEarly is a tryRead that the loop has made into the frames' space.
func (s *socket) receivedEarly() (n int, made bool, err error) {
	if n, made, err = s.received.take(); made {
		n, err = orEnd(n, err)
	}
	return n, made, err
}

// sentEarly is a give of the replies that the loop has made.
func (s *socket) sentEarly() (n int, made bool, err error) {
	if n, made, err = s.sent.take(); made {
		n, err = orLater(n, err)
	}
	return n, made, err
}

// receive reads for those who are to be read.
func (l *loop) receive() {
	q := l.ready.rest()
	if l.ring == nil || len(q) < 2 {
		return
	}
	for _, c := range q {
		if s := c.socket; l.members[s.fd] == c && s.secure == nil && !s.received.made {
			l.ring.recv(s.fd, c.frames.space(), &s.received)
		}
	}
	l.ring.run()
}

// send writes for those who are to be answered.
func (l *loop) send() {
	q := l.answered.rest()
	if l.ring == nil || len(q) < 2 {
		return
	}
	for _, c := range q {
		if l.members[c.socket.fd] == c && c.socket.secure == nil && !c.socket.sent.made {
			c.offer(l.ring)
		}
	}
	l.ring.run()
	for _, c := range q {
		if c.offered {
			c.offered = false
			c.writes.Unlock()
		}
	}
}

// offer has the ring write the replies of a connection, unless somebody else writes.
func (c *conn) offer(r *ring) (on bool) {
	defer c.survive(&on)
	c.settle()
	c.keep()
	if len(c.out) > 0 && c.writes.TryLock() {
		c.offered = true
		r.send(c.socket.fd, c.out, &c.socket.sent)
	}
	return true
}
