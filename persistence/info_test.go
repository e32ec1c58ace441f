package persistence

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The names are Redis's: exporters and operators read them.
func TestFields(t *testing.T) {
	text := func(s Status) string {
		var b strings.Builder
		for _, f := range s.Fields() {
			if f.Text == "" {
				f.Text = strconv.FormatInt(f.Number, 10)
			}
			b.WriteString(f.Name + ":" + f.Text + " ")
		}
		return b.String()
	}
	for _, c := range []struct {
		name   string
		status Status
		has    []string
		lacks  []string
	}{
		{"nothing yet", Status{LastSave: time.Unix(3, 0), LastSaveTook: -1},
			[]string{"loading:0 ", "rdb_bgsave_in_progress:0 ", "rdb_last_save_time:3 ", "rdb_last_bgsave_status:ok ", "rdb_last_bgsave_time_sec:-1 ", "rdb_current_bgsave_time_sec:-1 ", "aof_enabled:0 ", "aof_last_write_status:ok ", "on_disk_error:refuse "},
			[]string{"aof_current_size", "disk_failing"}},
		{"saving, with a log", Status{LogEnabled: true, Saving: true, SavingFor: 2500 * time.Millisecond, LogBytes: 3, BaseBytes: 4, Changes: 5, FsyncPending: true, FsyncDelayed: 6, PendingBytes: 8},
			[]string{"rdb_changes_since_last_save:5 ", "rdb_bgsave_in_progress:1 ", "rdb_current_bgsave_time_sec:2 ", "aof_rewrite_in_progress:1 ", "aof_enabled:1 ", "aof_current_size:7 ", "aof_base_size:4 ", "aof_buffer_length:8 ", "aof_pending_bio_fsync:1 ", "aof_delayed_fsync:6 "},
			nil},
		{"failing", Status{OnError: MemoryOnly, Failing: errors.New("no space"), FailingSince: time.Unix(9, 0), Failures: 2, LastSaveError: errors.New("no space")},
			[]string{"rdb_last_bgsave_status:err ", "aof_last_write_status:err ", "on_disk_error:memory-only ", "disk_failures:2 ", "disk_failing:no space ", "disk_failing_since:9 "},
			nil},
	} {
		got := text(c.status)
		for _, want := range c.has {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in %s", c.name, want, got)
			}
		}
		for _, not := range c.lacks {
			if strings.Contains(got, not) {
				t.Errorf("%s: %q is in %s", c.name, not, got)
			}
		}
	}
}
