// Package server says how bytes travel: listeners, connections, frames and the
// encoding of replies. It is the only room that knows RESP and redcon; what a
// command means is the business of package commands.
package server

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"runtime"
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
	files     int                    // connections that the system lets us have open
	lendable  int32                  // sockets that may have a second number while they wait
	lent      atomic.Int32           // that have one
	limits    atomic.Pointer[Limits] // of clients that have said who they are
	material  atomic.Pointer[tls.Config]
	desks     chan struct{} // for so many handshakes at a time
	shaking   atomic.Int32  // TLS connections on which no command can be said yet
	every     time.Duration // the watch's pace
	ticks     atomic.Int64  // of the watch, from 1

	ctx      context.Context // of every command
	cancel   context.CancelFunc
	stopping context.Context // done when no more commands are to be read
	stop     context.CancelFunc
	ended    chan struct{} // closed when the last connection is

	start   sync.Once // of the loops, by the first connection that can be on one
	loops   []*loop
	leaders sync.WaitGroup

	mu    sync.Mutex
	conns map[*conn]struct{}
}

// New is a server that listens as the service's config says, or the reason why it
// can't. Serve makes it answer.
func New(service *commands.Service) (*Server, error) {
	listeners, err := listen(service.Config)
	if err != nil {
		return nil, err
	}
	s := newServer(service, listeners)
	if service.Config.Number(config.TLSPort) != 0 {
		if err := s.speakTLS(); err != nil {
			closeAll(listeners)
			return nil, err
		}
	}
	return s, nil
}

func newServer(service *commands.Service, listeners []net.Listener) *Server {
	s := &Server{
		service: service, log: service.Log, listeners: listeners,
		files: max(1, fileLimit()-reservedFiles), every: time.Second,
		ended: make(chan struct{}), conns: map[*conn]struct{}{},
		desks: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)),
	}
	s.ticks.Store(1)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.stopping, s.stop = context.WithCancel(context.Background())
	s.readLimits()
	for _, option := range []config.Name{config.MaxArguments, config.MaxBulkBytes, config.QueryBufferLimit} {
		service.Config.OnSet(option, s.readLimits)
	}
	most := int(service.Config.Number(config.MaxClients))
	s.lendable = int32(reservedFiles/2 + max(0, s.files-most))
	if most > s.files {
		s.log.Warn("the system lets us open fewer files than maxclients needs", "maxclients", most, "possible", s.files)
	}
	return s
}

func (s *Server) readLimits() {
	cfg := s.service.Config
	s.limits.Store(&Limits{
		Arguments: int(cfg.Number(config.MaxArguments)),
		Bulk:      int(cfg.Number(config.MaxBulkBytes)),
		Command:   int(cfg.Number(config.QueryBufferLimit)),
	})
}

// Addrs is where the server listens.
func (s *Server) Addrs() []net.Addr {
	addrs := make([]net.Addr, len(s.listeners))
	for i, l := range s.listeners {
		addrs[i] = l.Addr()
	}
	return addrs
}

// Serve answers clients until Stop is called and the last of them is gone. It may
// be called once.
func (s *Server) Serve() {
	var clients, watch sync.WaitGroup
	for _, l := range s.listeners {
		clients.Go(func() { s.accept(l, &clients) })
	}
	watch.Go(s.watch)
	clients.Wait()
	s.stopLoops()
	close(s.ended)
	s.cancel()
	watch.Wait()
}

// Stop ends the server and Serve: no new clients, the commands that have been read
// are answered, and what has not ended when ctx is done is cut off. A command that
// goes on computing after that is left to the end of the program.
func (s *Server) Stop(ctx context.Context) error {
	s.stop()
	for _, l := range s.listeners {
		l.Close()
	}
	s.each((*conn).wake)
	select {
	case <-s.ended:
		return nil
	case <-ctx.Done():
	}
	s.cancel()
	s.each((*conn).cut)
	select {
	case <-s.ended:
	case <-time.After(lastWords):
	}
	return ctx.Err()
}

// enter takes a connection up, unless it comes after Stop has woken all others.
func (s *Server) enter(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns[c] = struct{}{}
	if s.stopping.Err() != nil {
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
