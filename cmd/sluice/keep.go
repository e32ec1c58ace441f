package main

import (
	"errors"
	"log/slog"
	"time"

	"sluice/commands"
	"sluice/commands/config"
	"sluice/engine"
	"sluice/persistence"
)

// openDirectory takes the data directory that the config names, or is nil if it
// names none. Options that are set later take effect at once.
func openDirectory(cfg *config.Config, log *slog.Logger) (*persistence.Directory, error) {
	path := cfg.String(config.Dir)
	if path == "" {
		return nil, nil
	}
	o := persistence.Options{Logger: log}
	keepAs(cfg, &o)
	d, err := persistence.Open(path, o)
	if err != nil {
		return nil, err
	}
	for _, name := range []config.Name{
		config.AppendOnly, config.AppendFsync, config.Save, config.RewritePercentage, config.RewriteMinSize, config.OnDiskError,
	} {
		cfg.Try(name, func() error { return d.Tune(func(o *persistence.Options) { keepAs(cfg, o) }) })
	}
	return d, nil
}

// keepAs reads the options about keeping. The config has let nothing wrong in.
func keepAs(cfg *config.Config, o *persistence.Options) {
	o.AppendOnly = cfg.Bool(config.AppendOnly)
	o.Policy, _ = persistence.ParsePolicy(cfg.String(config.AppendFsync))
	o.OnError, _ = persistence.ParseOnError(cfg.String(config.OnDiskError))
	o.Save, _ = persistence.ParseSaveRules(cfg.String(config.Save))
	o.Growth = persistence.Growth{
		Percentage: cfg.Number(config.RewritePercentage),
		MinBytes:   cfg.Number(config.RewriteMinSize),
	}
}

// bringBack brings a new store to the state that the directory has.
func bringBack(store engine.Keeper, d *persistence.Directory, log *slog.Logger) error {
	r, err := d.Recover(store)
	if err != nil {
		return err
	}
	if r.Files > 0 {
		log.Info("states are back", "keys", r.Keys, "records", r.Records, "files", r.Files, "took", r.Took.Round(time.Millisecond))
	}
	return nil
}

// A keeper is a directory as the commands see it.
type keeper struct{ *persistence.Directory }

var _ commands.Persistence = keeper{}

func (k keeper) Save() (bool, error) { return began(k.Directory.Save()) }

func (k keeper) BackgroundSave() (bool, error) { return began(k.Directory.BackgroundSave()) }

func began(err error) (bool, error) {
	if errors.Is(err, persistence.ErrSaving) {
		return false, nil
	}
	return true, err
}

func (k keeper) Failing() error { return k.Status().Failing }

func (k keeper) LastSave() time.Time { return k.Status().LastSave }

func (k keeper) Fields() []engine.Field {
	status := k.Status()
	return status.Fields()
}
