// Command httpdemo is a small HTTP service with a rate limit, as the coding challenge
// "build your own rate limiter" has it. This package owns the environment, wiring,
// signals and exit codes; the middleware and the handlers are package httpdemo.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"
)

// Exit codes, as sluice has them.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

// Bounds on what a client can hold up.
const (
	headerTimeout = 5 * time.Second
	idleTimeout   = 2 * time.Minute
	stopTimeout   = 10 * time.Second
)

func main() {
	os.Exit(run(os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}

func run(args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		if args[0] == "--help" || args[0] == "-h" || args[0] == "help" {
			help(stdout)
			return exitOK
		}
		fmt.Fprintf(stderr, "httpdemo: unknown argument %q: it reads the environment, see --help\n", args[0])
		return exitUsage
	}
	s, err := readEnvironment(getenv)
	if err != nil {
		fmt.Fprintf(stderr, "httpdemo: %v\n", err)
		return exitUsage
	}
	// At debug: that is where granted requests are told of.
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	for _, name := range s.idle {
		log.Warn("a variable is set and changes nothing beside the others", "variable", name)
	}
	if err := serve(s, log); err != nil {
		log.Error("can't serve", "error", err)
		return exitError
	}
	return exitOK
}

// serve answers until a signal asks it to stop, and then ends what it has begun. A
// second signal ends it at once.
func serve(s *settings, log *slog.Logger) error {
	handler, end, err := wire(s, log)
	if err != nil {
		return err
	}
	defer end()
	listener, err := net.Listen("tcp", ":"+strconv.FormatInt(s.port, 10))
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	log.Info("ready", "address", listener.Addr().String(), "algorithm", s.algorithm, "store", s.where())
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	stop() // from here on a signal is deadly
	log.Info("stopping")
	return shutDown(server, s.waitBudget+stopTimeout, log)
}

// shutDown gives requests that wait for their turn the time to get it.
func shutDown(server *http.Server, patience time.Duration, log *slog.Logger) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		log.Warn("clients were cut off")
		return server.Close()
	}
	log.Info("stopped")
	return err
}

// where says where the limiter's state is.
func (s *settings) where() string {
	switch len(s.storeAddrs) {
	case 0:
		return "in process"
	case 1:
		return s.storeAddrs[0]
	}
	return fmt.Sprintf("%d servers", len(s.storeAddrs))
}
