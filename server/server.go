// Package server says how bytes travel: listeners, connections, frames and the
// encoding of replies. It is the only room that knows RESP and redcon; what a
// command means is the business of package commands.
package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"sluice/commands"
	"sluice/commands/config"
)

// A Server has its listeners, its connections, and the watch over them.
type Server struct {
	service   *commands.Service
	log       *slog.Logger
	listeners []net.Listener
	ctx       context.Context
	cancel    context.CancelFunc
	stopping  atomic.Bool
	running   sync.WaitGroup // accept loops, connections and the watch

	mu    sync.Mutex
	conns map[*conn]struct{}
}

// New is a server that listens as the service's config says, or the reason why it
// can't. Serve makes it answer.
func New(service *commands.Service) (*Server, error) {
	s := &Server{service: service, log: service.Log, conns: map[*conn]struct{}{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	listeners, err := listen(service.Config)
	if err != nil {
		return nil, err
	}
	s.listeners = listeners
	return s, nil
}

// Addrs is where the server listens.
func (s *Server) Addrs() []net.Addr {
	addrs := make([]net.Addr, len(s.listeners))
	for i, l := range s.listeners {
		addrs[i] = l.Addr()
	}
	return addrs
}

// Serve answers clients until Stop is called.
func (s *Server) Serve() {
	for _, l := range s.listeners {
		s.running.Go(func() { s.accept(l) })
	}
	s.running.Go(s.watch)
	s.running.Wait()
}

// Stop ends the server: no new clients, the commands that have been read are
// answered, and what has not ended when ctx is done is cut off.
func (s *Server) Stop(ctx context.Context) error {
	s.stopping.Store(true)
	for _, l := range s.listeners {
		l.Close()
	}
	s.each((*conn).wake)
	s.cancel()
	done := make(chan struct{})
	go func() {
		s.running.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	s.each((*conn).kill)
	<-done
	return ctx.Err()
}

// accept takes clients in. When the system has no more file descriptors it waits
// a little longer each time instead of spinning.
func (s *Server) accept(l net.Listener) {
	const shortest, longest = 5 * time.Millisecond, 500 * time.Millisecond
	pause := shortest
	for {
		nc, err := l.Accept()
		switch {
		case err == nil:
			pause = shortest
			s.admit(nc)
		case s.stopping.Load() || errors.Is(err, net.ErrClosed):
			return
		default:
			s.log.Warn("can't accept a client", "error", err, "pause", pause)
			time.Sleep(pause)
			pause = min(2*pause, longest)
		}
	}
}

// admit refuses a client or gives it a goroutine.
func (s *Server) admit(nc net.Conn) {
	s.service.Stats.Connections.Add(1)
	if why := s.refusal(nc); why != "" {
		s.service.Stats.Rejected.Add(1)
		_ = nc.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
		_, _ = nc.Write([]byte("-" + why + "\r\n"))
		nc.Close()
		return
	}
	s.keepAlive(nc)
	s.running.Go(s.newConn(nc).serve)
}

const denied = "DENIED Sluice is running in protected mode because protected mode is enabled and no password is set " +
	"for the default user. In this mode connections are only accepted from the loopback interface. " +
	"To let clients on other machines in, set a password (--requirepass), or, if only trusted machines can reach " +
	"the port, start the server with --protected-mode no."

func (s *Server) refusal(nc net.Conn) string {
	cfg := s.service.Config
	if s.service.Sessions.Len() >= int(cfg.Number(config.MaxClients)) {
		return "ERR max number of clients reached"
	}
	if cfg.Bool(config.ProtectedMode) && cfg.String(config.RequirePass) == "" && !isLocal(nc.RemoteAddr()) {
		return denied
	}
	return ""
}

func isLocal(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return !ok || tcp.IP.IsLoopback()
}

func (s *Server) keepAlive(nc net.Conn) {
	tcp, ok := nc.(*net.TCPConn)
	if !ok {
		return
	}
	seconds := s.service.Config.Number(config.TCPKeepalive)
	every := time.Duration(seconds) * time.Second
	_ = tcp.SetKeepAliveConfig(net.KeepAliveConfig{Enable: seconds > 0, Idle: every, Interval: every / 3, Count: 3})
}

func (s *Server) enter(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns[c] = struct{}{}
	if s.stopping.Load() {
		c.wake()
	}
}

func (s *Server) leave(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

func (s *Server) each(f func(*conn)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		f(c)
	}
}

// watch closes clients that are idle for too long or do not read their replies.
func (s *Server) watch() {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case now := <-tick.C:
			idle := time.Duration(s.service.Config.Number(config.Timeout)) * time.Second
			write := time.Duration(s.service.Config.Number(config.WriteTimeout)) * time.Second
			s.each(func(c *conn) {
				if why := c.overdue(now, idle, write); why != "" {
					s.log.Info("closing a client", "client", c.session.Addr, "why", why)
					c.kill()
				}
			})
		}
	}
}
