// Package commands says what a client can say: one table, a row a command;
// arguments in, a Reply value out. It knows no socket and writes no bytes: how a
// Reply travels is the server's business.
package commands

import (
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"time"

	"sluice/commands/config"
	"sluice/engine"
)

// A Service is what all sessions of a server share.
type Service struct {
	Store    engine.Store
	Config   *config.Config
	Log      *slog.Logger
	Version  string // of this program
	Started  time.Time
	RunID    string // another one at each start
	Sessions *Sessions
	Stats    *Stats
	Table    *Table
	// Persistence is set by the program if it has one.
	Persistence Persistence

	pubSub   pubSub
	monitors monitors
	tracking tracking
	pause    pause
	cluster  bool // it shows the one-node cluster face
	slowlog  slowlog
	latency  latencyMonitor

	// Shutdown asks the program to stop; it returns at once.
	Shutdown func(SaveChoice)
}

// NewService is a service over a store. Its Shutdown is to be set by the program.
func NewService(store engine.Store, cfg *config.Config, log *slog.Logger, version string) *Service {
	s := &Service{
		Store: store, Config: cfg, Log: log, Version: version,
		Started:  time.Now(),
		cluster:  cfg.Bool(config.ClusterEnabled),
		RunID:    newRunID(),
		Sessions: newSessions(),
		Stats:    &Stats{},
		Table:    NewTable(),
		Shutdown: func(SaveChoice) {},
	}
	s.Persistence = memoryOnly{s.Started}
	s.tracking.service = s
	return s
}

// mode is what HELLO and INFO call the server.
func (s *Service) mode() string {
	if s.cluster {
		return "cluster"
	}
	return "standalone"
}

func newRunID() string {
	var id [20]byte
	_, _ = rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}
