package bench

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"sluice/commands/config"
	"sluice/server/pki"
)

// A Server is one that was started for a measurement, and ends with it.
type Server struct {
	Addr string
	PID  int
	TLS  *tls.Config // that trusts it, nil if it speaks none

	cmd    *exec.Cmd
	dir    string
	said   bytes.Buffer // what it printed, to be read after it has exited
	exited chan struct{}
}

// StartServer runs a command line, in which {port} is a free port of this machine and
// {dir} an empty folder, and waits until it answers PING. With {cert} in it, {cert}, {key}
// and {ca} are files of certificates that were made for it, and it is to speak TLS.
func StartServer(ctx context.Context, line string) (*Server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "sluice-bench-")
	if err != nil {
		return nil, err
	}
	s := &Server{Addr: net.JoinHostPort("127.0.0.1", port), dir: dir, exited: make(chan struct{})}
	words := []string{"{port}", port, "{dir}", dir}
	if strings.Contains(line, "{cert}") {
		var files pki.Files
		files, s.TLS, err = localTLS(filepath.Join(dir, "tls"))
		words = append(words, "{cert}", files.Cert, "{key}", files.Key, "{ca}", files.CA)
	}
	if err == nil {
		err = s.start(strings.NewReplacer(words...).Replace(line))
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	if err := s.ready(ctx); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port), nil
}

func (s *Server) start(line string) error {
	words, ok := config.Words([]byte(line))
	if !ok || len(words) == 0 {
		return fmt.Errorf("%q is no command line", line)
	}
	var args []string
	for _, word := range words {
		args = append(args, string(word))
	}
	s.cmd = exec.Command(args[0], args[1:]...)
	s.cmd.Dir = s.dir
	s.cmd.Stdout, s.cmd.Stderr = &s.said, &s.said
	if err := s.cmd.Start(); err != nil {
		return err
	}
	s.PID = s.cmd.Process.Pid
	go func() {
		_ = s.cmd.Wait()
		close(s.exited)
	}()
	return nil
}

// ready waits for the first PONG.
func (s *Server) ready(ctx context.Context) error {
	late := time.After(patience)
	for {
		if c, err := dial(s.Addr, "", s.TLS); err == nil {
			_, err := c.ask("PING")
			c.Close()
			if err == nil {
				return nil
			}
		}
		select {
		case <-s.exited:
			return fmt.Errorf("%s ended at once: %s", s.cmd, bytes.TrimSpace(s.said.Bytes()))
		case <-late:
			return fmt.Errorf("%s did not answer PING within %s", s.cmd, patience)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Stop ends the server, with force if it does not end when it is asked to, and
// removes its folder.
func (s *Server) Stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-s.exited:
	case <-time.After(2 * patience):
		_ = s.cmd.Process.Kill()
		<-s.exited
	}
	return os.RemoveAll(s.dir)
}
