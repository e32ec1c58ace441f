package commands

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"sluice/commands/config"
	"sluice/engine"
	"sluice/engine/memstore"
)

// A fakeDisk is a journal and a persistence that do what a test says.
type fakeDisk struct {
	refuses error
	busy    bool
	fails   error
}

func (d *fakeDisk) Refuses() error                         { return d.refuses }
func (d *fakeDisk) Append(engine.Instant, []engine.Record) {}
func (d *fakeDisk) Commit() error                          { return nil }
func (d *fakeDisk) Save() (bool, error)                    { return !d.busy, d.fails }
func (d *fakeDisk) BackgroundSave() (bool, error)          { return !d.busy, d.fails }
func (d *fakeDisk) Failing() error                         { return d.refuses }
func (d *fakeDisk) LastSave() time.Time                    { return time.Unix(1_700_000_000, 5) }
func (d *fakeDisk) Fields() []engine.Field {
	return []engine.Field{{Name: "loading"}, {Name: "aof_last_write_status", Text: "ok"}, {Name: "rdb_saves", Number: 3}}
}

func TestPersistence(t *testing.T) {
	disk := &fakeDisk{}
	store := memstore.NewWith(memstore.Options{Journal: disk})
	t.Cleanup(store.Close)
	service := NewService(store, config.New(), slog.New(slog.DiscardHandler), "1.2.3")
	service.Persistence = disk
	c := service.Open(context.Background(), &testPeer{}, "127.0.0.1:1", "127.0.0.1:6390")
	noSpace := fmt.Errorf("%w: no space left on device", engine.ErrUnkept)
	for _, step := range []struct {
		disk fakeDisk
		say  string
		want string
	}{
		{fakeDisk{}, "SAVE", "OK"},
		{fakeDisk{}, "BGSAVE", "Background saving started"},
		{fakeDisk{}, "BGREWRITEAOF", "Background append only file rewriting started"},
		{fakeDisk{busy: true}, "SAVE", "(error) ERR Background save already in progress"},
		{fakeDisk{busy: true}, "BGSAVE SCHEDULE", "(error) ERR Background save already in progress"},
		{fakeDisk{busy: true}, "BGREWRITEAOF", "(error) ERR Background save already in progress"},
		{fakeDisk{fails: errors.New("no space left on device")}, "SAVE", "(error) ERR no space left on device"},
		{fakeDisk{}, "LASTSAVE", "(integer) 1700000000"},
		{fakeDisk{}, "INFO persistence", `"# Persistence\r\nloading:0\r\naof_last_write_status:ok\r\nrdb_saves:3\r\n"`},
		{fakeDisk{}, "CL.THROTTLE k 0 1 60", "0 1 0 -1 60"},

		// While nothing can be kept, what would change something is refused.
		{fakeDisk{refuses: noSpace}, "CL.THROTTLE k 0 1 60", "1 1 0 60 60"},
		{fakeDisk{refuses: noSpace}, "CL.THROTTLE other 0 1 60", "(error) MISCONF changes can not be written to disk: no space left on device"},
		{fakeDisk{refuses: noSpace}, "CL.THROTTLE other 0 1 60 0", "0 1 1 -1 0"},
		{fakeDisk{refuses: noSpace}, "PING", "PONG"},
		{fakeDisk{refuses: noSpace}, "DEL k", "(error) MISCONF changes can not be written to disk: no space left on device"},
		{fakeDisk{refuses: noSpace}, "DEL other", "(integer) 0"},
		{fakeDisk{refuses: noSpace}, "EXISTS k", "(integer) 1"},
		{fakeDisk{refuses: noSpace}, "FLUSHALL", "(error) MISCONF changes can not be written to disk: no space left on device"},
		{fakeDisk{}, "DEL k", "(integer) 1"},

		// The last chance to keep what is in memory only.
		{fakeDisk{refuses: noSpace}, "SHUTDOWN", "(error) ERR Errors trying to SHUTDOWN. Check logs."},
		{fakeDisk{refuses: noSpace}, "SHUTDOWN SAVE", "(error) ERR Errors trying to SHUTDOWN. Check logs."},
		{fakeDisk{refuses: noSpace}, "SHUTDOWN NOSAVE", "(no reply)"},
		{fakeDisk{refuses: noSpace}, "SHUTDOWN FORCE", "(no reply)"},
	} {
		*disk = step.disk
		words, _ := config.Words([]byte(step.say))
		reply := render(c.Do(words))
		if got := fmt.Sprint(reply); got != "["+step.want+"]" {
			t.Errorf("%s, over %+v:\n%s, not\n%s", step.say, step.disk, got, step.want)
		}
	}
}
