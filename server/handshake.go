package server

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"runtime/debug"
	"sync"
	"syscall"
	"time"
)

// handshakeFor is how long client and server may take to agree on TLS. A client that
// takes longer has another reason to be here.
const handshakeFor = 10 * time.Second

// admitSecurely is admit on a port for TLS. Hands are shaken on a goroutine that is
// there for as long: it is some messages to and fro, and up to a millisecond of
// arithmetic. After that the client is like any other. Who comes when the server is
// full is not worth a handshake, and hears nothing, as in Redis.
func (s *Server) admitSecurely(nc net.Conn, clients *sync.WaitGroup) {
	if s.full() {
		s.service.Stats.Rejected.Add(1)
		nc.Close()
		return
	}
	s.keepAlive(nc)
	s.shaking.Add(1)
	clients.Go(func() { s.shakeHands(nc, clients) })
}

func (s *Server) shakeHands(nc net.Conn, clients *sync.WaitGroup) {
	shaken := sync.OnceFunc(func() { s.shaking.Add(-1) })
	defer shaken()
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("a handshake panicked", "client", address(nc.RemoteAddr()), "panic", p, "stack", string(debug.Stack()))
			nc.Close()
		}
	}()
	w := &wire{Conn: nc, desk: &desk{free: s.desks}}
	t := tls.Server(w, s.material.Load())
	_ = nc.SetDeadline(time.Now().Add(handshakeFor))
	if err := s.handshake(t, w); err != nil {
		s.logHandshake(nc, err)
		nc.Close()
		return
	}
	if why := s.protection(nc); why != "" {
		s.refuse(t, why)
		hangUp(patient{t})
		return
	}
	_ = nc.SetDeadline(time.Time{})
	if s.toLoop(nc, &secure{Conn: t, wire: w}, clients) {
		return
	}
	c := s.newConn(patient{t})
	shaken()
	c.serve()
}

func (s *Server) handshake(t *tls.Conn, w *wire) error {
	w.desk.take()
	defer func() {
		w.desk.leave()
		w.desk = nil
	}()
	return t.HandshakeContext(s.stopping)
}

// A desk is a place to do the arithmetic of a handshake at. There are few: when thousands
// of clients come back at once, the loops are not to wait behind all of them for a
// processor. Whoever waits for a client leaves the desk to others meanwhile.
type desk struct{ free chan struct{} }

func (d *desk) take() {
	if d != nil {
		d.free <- struct{}{}
	}
}

func (d *desk) leave() {
	if d != nil {
		<-d.free
	}
}

// hangUp closes a connection whose client may have said something already: closing at
// once would take back our last words.
func hangUp(p patient) {
	_ = p.CloseWrite()
	nc := p.NetConn()
	_ = nc.SetReadDeadline(time.Now().Add(lastWords))
	_, _ = io.Copy(io.Discard, nc)
	nc.Close()
}

// logHandshake says why a client did not come in. Whoever only looks whether somebody
// listens, as load balancers do, is not worth a line.
func (s *Server) logHandshake(nc net.Conn, err error) {
	switch {
	case s.stopping.Err() != nil, errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
	default:
		s.log.Info("no TLS with a client", "client", address(nc.RemoteAddr()), "why", err)
	}
}

// patient is a TLS connection that has a goroutine of its own. Closing it does not wait
// for a client to take a last word, as tls.Conn's Close would: who waits for its
// client has it linger, and others can't wait.
type patient struct{ *tls.Conn }

func (p patient) Close() error { return p.NetConn().Close() }

// CloseWrite ends our part of the conversation, for TLS and beneath it.
func (p patient) CloseWrite() error {
	if err := p.Conn.CloseWrite(); err != nil {
		return err
	}
	half, ok := p.NetConn().(*wire).Conn.(interface{ CloseWrite() error })
	if !ok {
		return nil
	}
	return half.CloseWrite()
}
