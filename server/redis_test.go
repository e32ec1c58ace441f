package server

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A reference is a real redis-server that knows PING, ECHO and QUIT only, and so
// can be told anything. It runs once for all tests, until stopRedis.
type reference struct {
	cmd    *exec.Cmd
	leash  io.Closer
	dir    string
	socket string
	mu     sync.Mutex // one stream at a time
	turns  net.Conn   // a second client: what it is answered comes after a turn of Redis's loop
}

var (
	startRedisOnce sync.Once
	redis          *reference
	redisErr       error
)

// realRedis is the reference; a test that needs it fails where there is none.
func realRedis(t testing.TB) *reference {
	t.Helper()
	startRedisOnce.Do(func() { redis, redisErr = startRedis() })
	if redisErr != nil {
		t.Fatalf("this test compares with a real redis-server (make test installs it): %v", redisErr)
	}
	return redis
}

func startRedis() (*reference, error) {
	dir, err := os.MkdirTemp("", "sluice-redis-")
	if err != nil {
		return nil, err
	}
	r := &reference{dir: dir, socket: filepath.Join(dir, "s")}
	args := []string{"--port", "0", "--unixsocket", r.socket, "--save", "", "--dir", dir,
		"--user", "default", "on", "nopass", "-@all", "+ping", "+echo"}
	for _, always := range []string{"hello", "auth", "reset"} {
		args = append(args, "--rename-command", always, "")
	}
	// The shell ends it when our end of the pipe is closed, also if we are killed.
	const script = `redis-server "$@" >"$0" & read x; kill -9 $!; wait`
	r.cmd = exec.Command("sh", append([]string{"-c", script, filepath.Join(dir, "log")}, args...)...)
	if r.leash, err = r.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := r.cmd.Start(); err != nil {
		return nil, err
	}
	for range 500 {
		if r.turns, err = net.Dial("unix", r.socket); err == nil {
			return r, nil
		}
		time.Sleep(10 * time.Millisecond) // there is nothing else to wait on
	}
	log, _ := os.ReadFile(filepath.Join(dir, "log"))
	stop(r)
	return nil, fmt.Errorf("redis-server does not answer: %w\n%s", err, log)
}

func stopRedis() {
	if redis != nil {
		stop(redis)
	}
}

func stop(r *reference) {
	if r.turns != nil {
		r.turns.Close()
	}
	r.leash.Close()
	_ = r.cmd.Wait()
	os.RemoveAll(r.dir)
}

// converse has Redis answer a stream.
func (r *reference) converse(t testing.TB, stream string) outcome {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	nc, err := net.Dial("unix", r.socket)
	if err != nil {
		t.Fatalf("redis-server is gone: %v", err)
	}
	defer nc.Close()
	if _, err := nc.Write([]byte(stream)); err != nil && !errors.Is(err, syscall.EPIPE) {
		t.Fatal(err)
	}
	for range 4 + len(stream)/(16<<10) { // Redis reads 16 KB a turn
		r.turn(t)
	}
	return whatCame(t, nc)
}

// whatCame is all that has come on a connection by now, and whether its end has.
func whatCame(t testing.TB, nc net.Conn) (o outcome) {
	raw, err := nc.(*net.UnixConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 1<<18)
	err = raw.Read(func(fd uintptr) bool {
		for {
			n, err := syscall.Read(int(fd), buf)
			if n > 0 {
				o.replies += string(buf[:n])
			} else if !errors.Is(err, syscall.EINTR) {
				o.closed = !errors.Is(err, syscall.EAGAIN)
				return true
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func (r *reference) turn(t testing.TB) {
	if _, err := r.turns.Write([]byte("PING\r\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.turns.Read(make([]byte, 64)); err != nil {
		t.Fatal(err)
	}
}
