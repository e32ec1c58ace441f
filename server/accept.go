package server

import (
	"errors"
	"net"
	"sync"
	"syscall"
	"time"

	"sluice/commands/config"
)

// accept takes clients in. When the system has no more file descriptors it waits
// a little longer each time instead of spinning.
func (s *Server) accept(l net.Listener, clients *sync.WaitGroup) {
	const shortest, longest = 5 * time.Millisecond, 500 * time.Millisecond
	pause := shortest
	admit := s.admit
	if _, safe := l.(secureListener); safe {
		admit = s.admitSecurely
	}
	for {
		nc, err := l.Accept()
		switch {
		case err == nil:
			pause = shortest
			s.service.Stats.Connections.Add(1)
			admit(nc, clients)
		case s.stopping.Err() != nil || errors.Is(err, net.ErrClosed):
			return
		default:
			s.log.Warn("can't accept a client", "error", err, "pause", pause)
			select {
			case <-s.stopping.Done():
			case <-time.After(pause):
			}
			pause = min(2*pause, longest)
		}
	}
}

// admit refuses a client, or gives it to a loop or a goroutine.
func (s *Server) admit(nc net.Conn, clients *sync.WaitGroup) {
	if why := s.refusal(nc); why != "" {
		s.refuse(nc, why)
		nc.Close()
		return
	}
	s.keepAlive(nc)
	if !s.toLoop(nc, nil, clients) {
		clients.Go(s.newConn(nc).serve)
	}
}

func (s *Server) refuse(nc net.Conn, why string) {
	s.service.Stats.Rejected.Add(1)
	_ = nc.SetDeadline(time.Now().Add(100 * time.Millisecond))
	_, _ = nc.Write([]byte("-" + why + "\r\n"))
}

const denied = "DENIED Sluice is running in protected mode because protected mode is enabled and no password is set " +
	"for the default user. In this mode connections are only accepted from the loopback interface. " +
	"To let clients on other machines in, set a password (--requirepass), or, if only trusted machines can reach " +
	"the port, start the server with --protected-mode no."

func (s *Server) refusal(nc net.Conn) string {
	if s.full() {
		return "ERR max number of clients reached"
	}
	return s.protection(nc)
}

// full says whether there are as many clients as may be, those among them with whom we
// still shake hands.
func (s *Server) full() bool {
	most := min(int(s.service.Config.Number(config.MaxClients)), s.files)
	return s.service.Sessions.Len()+int(s.shaking.Load()) >= most
}

// protection says why protected mode refuses a client, or "".
func (s *Server) protection(nc net.Conn) string {
	cfg := s.service.Config
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

// reservedFiles are for everything but clients: listeners, logs, the data, and the
// client that is told there is no place for it.
const reservedFiles = 32

// fileLimit is how many files the system lets the process have open.
func fileLimit() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 1 << 20
	}
	return int(min(limit.Cur, 1<<20))
}
