// Package program runs the built programs for their end-to-end tests: it starts one,
// follows its log and sees how it ends. It knows nothing of what they do.
package program

import (
	"bufio"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long a program may take to log a line, or to end.
const patience = 20 * time.Second

// A Program is one that runs until the test ends.
type Program struct {
	Name   string
	Cmd    *exec.Cmd
	Log    *Log
	Exited chan struct{} // closed when it has ended
}

// Launch starts a command in a folder of its own. At the end of the test it is killed,
// and a report of the race detector in its log fails the test.
func Launch(t testing.TB, cmd *exec.Cmd) *Program {
	t.Helper()
	p := &Program{Name: filepath.Base(cmd.Path), Cmd: cmd, Exited: make(chan struct{})}
	cmd.Dir = t.TempDir()
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.Log = readLog(stderr)
	go func() {
		<-p.Log.done
		_ = cmd.Wait()
		close(p.Exited)
	}()
	t.Cleanup(func() {
		p.Kill()
		if p.Log.Find("DATA RACE") != "" {
			t.Errorf("%s raced:\n%s", p.Name, p.Log)
		}
	})
	return p
}

// Signal sends a signal.
func (p *Program) Signal(t testing.TB, s syscall.Signal) {
	t.Helper()
	if err := p.Cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// Freeze returns when all threads of the program stand still, by SIGSTOP. Until one of them
// has run and seen the signal, the others go on.
func (p *Program) Freeze(t testing.TB) {
	t.Helper()
	p.Signal(t, syscall.SIGSTOP)
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(p.Cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("it does not stand still: %v, %v", status, err)
	}
}

// Kill ends the program at once, as kill -9 does, if it has not ended.
func (p *Program) Kill() {
	_ = p.Cmd.Process.Kill()
	<-p.Exited
}

// Stop asks the program to end and checks that it ends well.
func (p *Program) Stop(t testing.TB) {
	t.Helper()
	p.Signal(t, syscall.SIGTERM)
	p.WaitExit(t, 0)
}

// WaitExit waits for the end, and checks the exit code.
func (p *Program) WaitExit(t testing.TB, want int) {
	t.Helper()
	select {
	case <-p.Exited:
	case <-time.After(patience):
		t.Fatalf("%s did not end\n%s", p.Name, p.Log)
	}
	if got := p.Cmd.ProcessState.ExitCode(); got != want {
		t.Fatalf("%s: exit code %d, want %d\n%s", p.Name, got, want, p.Log)
	}
}

// A Log is what a program writes to standard error, line by line as it comes.
type Log struct {
	mu    sync.Mutex
	lines []string
	more  chan struct{} // closed and made anew with each line
	done  chan struct{}
}

func readLog(r io.Reader) *Log {
	l := &Log{more: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(l.done)
		for lines := bufio.NewScanner(r); lines.Scan(); {
			l.mu.Lock()
			l.lines = append(l.lines, lines.Text())
			close(l.more)
			l.more = make(chan struct{})
			l.mu.Unlock()
		}
	}()
	return l
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

// Find is the first line with a text in it, "" if there is none yet.
func (l *Log) Find(text string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.lines {
		if strings.Contains(line, text) {
			return line
		}
	}
	return ""
}

// Wait waits for a line that matches, and returns the match.
func (l *Log) Wait(t testing.TB, pattern string) []string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	late := time.After(patience)
	for read := 0; ; {
		l.mu.Lock()
		lines, more := l.lines[read:], l.more
		l.mu.Unlock()
		for _, line := range lines {
			read++
			if m := re.FindStringSubmatch(line); m != nil {
				return m
			}
		}
		select {
		case <-more:
		case <-l.done:
			t.Fatalf("the program ended before it logged %q\n%s", pattern, l)
		case <-late:
			t.Fatalf("the program did not log %q\n%s", pattern, l)
		}
	}
}
