package server

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"

	"sluice/commands/config"
)

// listen opens every address of the config, or none.
func listen(cfg *config.Config) (all []net.Listener, err error) {
	defer func() {
		if err != nil {
			closeAll(all)
		}
	}()
	safe := cfg.Number(config.TLSPort) != 0
	for _, host := range strings.Fields(cfg.String(config.Bind)) {
		if cfg.Number(config.Port) != 0 || !safe {
			if all, err = addTCP(all, host, cfg.String(config.Port), false); err != nil {
				return all, err
			}
		}
		if safe {
			if all, err = addTCP(all, host, cfg.String(config.TLSPort), true); err != nil {
				return all, err
			}
		}
	}
	if path := cfg.String(config.UnixSocket); path != "" {
		l, err := listenUnix(path, os.FileMode(cfg.Number(config.UnixSocketPerm)))
		if err != nil {
			return all, err
		}
		all = append(all, l)
	}
	if len(all) == 0 {
		return nil, errors.New("there is no address to listen on: set bind and port or tls-port, or unixsocket")
	}
	return all, nil
}

func closeAll(all []net.Listener) {
	for _, l := range all {
		l.Close()
	}
}

func addTCP(all []net.Listener, host, port string, safe bool) ([]net.Listener, error) {
	l, err := listenTCP(host, port)
	switch {
	case err != nil || l == nil:
		return all, err
	case safe:
		l = secureListener{l}
	}
	return append(all, l), nil
}

// A secureListener is one on which TLS is spoken.
type secureListener struct{ net.Listener }

func (l secureListener) Addr() net.Addr { return secureAddr{l.Listener.Addr()} }

type secureAddr struct{ net.Addr }

func (secureAddr) Network() string { return "tls" }

// listenTCP opens one address. One with a minus sign in front may be missing on
// this machine, as in redis.conf: then there is no listener. Also as there, * is
// all of IPv4 and ::* all of IPv6, so that both can be asked for.
func listenTCP(host, port string) (net.Listener, error) {
	host, optional := strings.CutPrefix(host, "-")
	network := "tcp"
	switch ip := net.ParseIP(host); {
	case host == "*":
		network, host = "tcp4", ""
	case host == "::*":
		network, host = "tcp6", ""
	case ip != nil && ip.To4() == nil:
		network = "tcp6"
	case ip != nil:
		network = "tcp4"
	}
	l, err := net.Listen(network, net.JoinHostPort(host, port))
	if optional && (errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, syscall.EAFNOSUPPORT)) {
		return nil, nil
	}
	return l, err
}

// listenUnix opens a unix socket. A file that a dead server left is replaced; one
// that a living server may answer on is not.
func listenUnix(path string, mode os.FileMode) (net.Listener, error) {
	nc, err := net.Dial("unix", path)
	switch {
	case err == nil:
		nc.Close()
		return nil, fmt.Errorf("listen unix %s: another server answers there", path)
	case errors.Is(err, syscall.ECONNREFUSED):
		if info, err := os.Lstat(path); err == nil && info.Mode().Type() == os.ModeSocket {
			if err := os.Remove(path); err != nil {
				return nil, err
			}
		}
	case errors.Is(err, syscall.EAGAIN):
		return nil, fmt.Errorf("listen unix %s: another server is there and too busy to answer", path)
	}
	l, err := net.Listen("unix", path)
	if err != nil || mode == 0 {
		return l, err
	}
	if err := os.Chmod(path, mode); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}
