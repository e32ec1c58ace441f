package persistence

import (
	"time"

	"sluice/engine"
)

// Fields are the facts of the status by the names that Redis's INFO has for them.
// A snapshot is what both BGSAVE and BGREWRITEAOF make here, so both tell of it.
func (s *Status) Fields() []engine.Field {
	fields := []engine.Field{
		number("loading", s.Loading),
		number("async_loading", 0),
		number("rdb_changes_since_last_save", s.Changes),
		number("rdb_bgsave_in_progress", s.Saving),
		number("rdb_last_save_time", s.LastSave.Unix()),
		status("rdb_last_bgsave_status", s.LastSaveError),
		number("rdb_last_bgsave_time_sec", wholeSeconds(s.LastSaveTook)),
		number("rdb_current_bgsave_time_sec", s.savingSeconds()),
		number("rdb_saves", s.Saves),
		number("rdb_last_load_keys_loaded", s.Recovered.Keys),
		number("aof_enabled", s.LogEnabled),
		number("aof_rewrite_in_progress", s.LogEnabled && s.Saving),
		number("aof_rewrite_scheduled", 0),
		number("aof_last_rewrite_time_sec", wholeSeconds(s.LastSaveTook)),
		number("aof_current_rewrite_time_sec", s.savingSeconds()),
		status("aof_last_bgrewrite_status", s.LastSaveError),
		status("aof_last_write_status", s.Failing),
	}
	if s.LogEnabled {
		fields = append(fields,
			number("aof_current_size", s.LogBytes+s.BaseBytes),
			number("aof_base_size", s.BaseBytes),
			number("aof_pending_rewrite", 0),
			number("aof_buffer_length", s.PendingBytes),
			number("aof_pending_bio_fsync", s.FsyncPending),
			number("aof_delayed_fsync", s.FsyncDelayed),
		)
	}
	return append(fields, s.ownFields()...)
}

// ownFields are the facts that Redis has no name for.
func (s *Status) ownFields() []engine.Field {
	fields := []engine.Field{
		{Name: "on_disk_error", Text: s.OnError.String()},
		number("disk_failures", s.Failures),
	}
	if s.Failing != nil {
		fields = append(fields,
			engine.Field{Name: "disk_failing", Text: s.Failing.Error()},
			number("disk_failing_since", s.FailingSince.Unix()),
		)
	}
	return fields
}

// number is a field of an integer, or of a truth: 1 or 0.
func number[T int | int64 | bool](name string, v T) engine.Field {
	f := engine.Field{Name: name}
	switch v := any(v).(type) {
	case int:
		f.Number = int64(v)
	case int64:
		f.Number = v
	case bool:
		if v {
			f.Number = 1
		}
	}
	return f
}

func status(name string, err error) engine.Field {
	if err != nil {
		return engine.Field{Name: name, Text: "err"}
	}
	return engine.Field{Name: name, Text: "ok"}
}

// wholeSeconds is a duration in seconds, -1 for none yet.
func wholeSeconds(d time.Duration) int64 {
	if d < 0 {
		return -1
	}
	return int64(d / time.Second)
}

func (s *Status) savingSeconds() int64 {
	if !s.Saving {
		return -1
	}
	return wholeSeconds(s.SavingFor)
}
