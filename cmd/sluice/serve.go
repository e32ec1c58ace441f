package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"sluice/commands"
	"sluice/commands/config"
	"sluice/engine/memstore"
	"sluice/persistence"
	"sluice/server"
)

// collectAt is the garbage, in hundredths of what is alive, at which it is collected: a
// fifth of the heap. States are nothing to walk for the collector, so that is cheap.
const collectAt = 25

func serve(args, environ []string, stdout, stderr io.Writer) int {
	if slices.Contains(args, "--help") || slices.Contains(args, "-h") {
		serveHelp(stdout)
		return exitOK
	}
	cfg, err := configure(args, environ)
	if err != nil {
		fmt.Fprintln(stderr, "sluice:", err)
		return exitUsage
	}
	log := newLog(cfg, stderr)
	debug.SetGCPercent(collectAt)
	dir, err := openDirectory(cfg, log)
	if err != nil {
		log.Error("can't start", "error", err)
		return exitError
	}
	store := newStore(cfg, dir)
	defer store.Close()
	snapshot, err := serveFrom(store, dir, cfg, log)
	if err != nil {
		log.Error("can't start", "error", err)
	}
	if dir != nil {
		if e := dir.Close(snapshot); e != nil {
			log.Error("the last states are not kept", "error", e)
			err = e
		}
	}
	if err != nil {
		return exitError
	}
	log.Info("stopped")
	return exitOK
}

func newStore(cfg *config.Config, dir *persistence.Directory) *memstore.Store {
	options := memstore.Options{
		MaxBytes: cfg.Reader(config.MaxMemory),
		Evict:    func() bool { return cfg.Number(config.MaxMemoryPolicy) == 1 },
	}
	if dir != nil {
		options.Journal = dir
	}
	return memstore.NewWith(options)
}

// serveFrom is the life of a server: states come back from the directory, if there is
// one, and clients are served until it is to stop. It says whether a snapshot is to be
// the end of it, or why the server could not start.
func serveFrom(store *memstore.Store, dir *persistence.Directory, cfg *config.Config, log *slog.Logger) (snapshot bool, err error) {
	service := commands.NewService(store, cfg, log, fullVersion())
	if dir != nil {
		if err := bringBack(store, dir, log); err != nil {
			return false, err
		}
		service.Persistence = keeper{dir}
	}
	srv, err := server.New(service)
	if err != nil {
		return false, err
	}
	choice := untilStopped(srv, service, log)
	return choice == commands.SaveNow || choice == commands.SaveIfConfigured && cfg.String(config.Save) != "", nil
}

// configure reads the options in the order of their strength: the file, then the
// environment over it, then flags over both.
func configure(args, environ []string) (*config.Config, error) {
	cfg := config.New()
	if len(args) > 0 && !strings.HasPrefix(args[0], "--") {
		if err := cfg.ReadFile(args[0]); err != nil {
			return nil, err
		}
		args = args[1:]
	}
	if err := cfg.ReadEnv(environ); err != nil {
		return nil, err
	}
	return cfg, cfg.ReadFlags(args)
}

func serveHelp(w io.Writer) {
	fmt.Fprintln(w, "Usage: sluice serve [CONFIG-FILE] [--OPTION VALUE]...")
	fmt.Fprintln(w, "\nEach option is a flag, an environment variable (--maxclients is SLUICE_MAXCLIENTS)")
	fmt.Fprintln(w, "and a line of the config file (maxclients 10000), in that order of strength.")
	fmt.Fprintln(w)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, o := range config.Options {
		fmt.Fprintf(table, "  --%s\t%s\t%q\t%s\n", o.Name, o.Type.Usage, o.Default, o.Doc)
	}
	table.Flush()
}

// newLog writes to w at the level the config says, also when that changes.
func newLog(cfg *config.Config, w io.Writer) *slog.Logger {
	levels := []slog.Level{slog.LevelDebug, slog.LevelDebug, slog.LevelInfo, slog.LevelInfo, slog.LevelWarn, slog.LevelError} // in the option's order
	level := new(slog.LevelVar)
	follow := func() { level.Set(levels[cfg.Number(config.LogLevel)]) }
	follow()
	cfg.OnSet(config.LogLevel, follow)
	options := &slog.HandlerOptions{Level: level}
	if cfg.String(config.LogFormat) == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// untilStopped serves until a signal or SHUTDOWN asks it to stop, and then
// answers what it has begun. A second signal stops it at once.
func untilStopped(srv *server.Server, service *commands.Service, log *slog.Logger) (choice commands.SaveChoice) {
	signal.Ignore(syscall.SIGXFSZ) // a file as long as it may be is an error of the write
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	asked := make(chan commands.SaveChoice, 1)
	service.Shutdown = func(choice commands.SaveChoice) {
		select {
		case asked <- choice:
		default:
		}
	}
	ended := make(chan struct{})
	go func() {
		srv.Serve()
		close(ended)
	}()
	for _, addr := range srv.Addrs() {
		log.Info("ready", "network", addr.Network(), "address", addr.String(), "version", service.Version)
	}
	select {
	case s := <-signals:
		log.Info("stopping", "signal", s.String())
	case choice = <-asked:
		log.Info("stopping", "command", "SHUTDOWN")
	}
	ctx, cancel := context.WithTimeout(context.Background(),
		time.Duration(service.Config.Number(config.ShutdownTimeout))*time.Second)
	defer cancel()
	go func() {
		<-signals
		log.Warn("stopping at once: second signal")
		os.Exit(exitError)
	}()
	if err := srv.Stop(ctx); err != nil {
		log.Warn("clients were cut off", "error", err)
	} else {
		<-ended
	}
	return choice
}
