package persistence

import (
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"
)

// A Policy says when the log is fsynced. Whatever it is, a change has reached the
// kernel when Commit returns: a killed process loses nothing.
type Policy uint8

// The policies, by what a power loss takes.
const (
	EverySecond Policy = iota // at most a second, and the fsync under way
	Always                    // nothing that was committed
	Never                     // what the kernel had not written yet
)

var policies = [...]string{EverySecond: "everysec", Always: "always", Never: "no"}

func (p Policy) String() string { return policies[p] }

// ParsePolicy is a policy by the name that appendfsync has for it.
func ParsePolicy(s string) (Policy, error) {
	for p, name := range policies {
		if s == name {
			return Policy(p), nil
		}
	}
	return 0, fmt.Errorf("%q is not always, everysec or no", s)
}

// OnError says what becomes of changes while the log can't be written.
type OnError uint8

// The ways to live with a broken disk.
const (
	Refuse     OnError = iota // no change is made: Refuses says why
	MemoryOnly                // changes are made and not kept, until the disk is well
)

var onErrors = [...]string{Refuse: "refuse", MemoryOnly: "memory-only"}

func (o OnError) String() string { return onErrors[o] }

// ParseOnError is OnError by its name.
func ParseOnError(s string) (OnError, error) {
	for o, name := range onErrors {
		if s == name {
			return OnError(o), nil
		}
	}
	return 0, fmt.Errorf("%q is not refuse or memory-only", s)
}

// A SaveRule makes a snapshot due once After has passed since the last one and
// there were as many Changes.
type SaveRule struct {
	After   time.Duration
	Changes int64
}

// ParseSaveRules reads rules as the save option has them: "60 1 300 100" is after
// 60 seconds if there was a change, and after 300 if there were 100. "" is none.
func ParseSaveRules(s string) ([]SaveRule, error) {
	words := strings.Fields(s)
	if len(words)%2 != 0 {
		return nil, errors.New("save takes pairs of seconds and changes")
	}
	var rules []SaveRule
	for i := 0; i < len(words); i += 2 {
		seconds, err1 := strconv.ParseInt(words[i], 10, 32)
		changes, err2 := strconv.ParseInt(words[i+1], 10, 64)
		if err1 != nil || err2 != nil || seconds < 1 || changes < 0 {
			return nil, fmt.Errorf("save: %q is no pair of seconds and changes", words[i]+" "+words[i+1])
		}
		rules = append(rules, SaveRule{time.Duration(seconds) * time.Second, changes})
	}
	return rules, nil
}

// Growth makes a snapshot due once the logs behind the last one have grown to
// Percentage of its size, and to MinBytes at least. A Percentage of 0 never does.
type Growth struct {
	Percentage int64
	MinBytes   int64
}

// Options are what a data directory is opened with. All but Logger, Disk and Now
// can be set anew while it is open: see Tune.
type Options struct {
	AppendOnly bool   // keep a log; else there are snapshots alone
	Policy     Policy // of the log
	OnError    OnError
	Save       []SaveRule
	Growth     Growth

	Logger *slog.Logger     // nil for none
	Disk   Disk             // nil for the directory itself
	Now    func() time.Time // when snapshots are due; nil for time.Now

	// still leaves out the goroutines that fsync, save and mend: a test calls
	// everySecond and housekeep itself.
	still bool
	// ahead is how many zeros are written ahead at a time, for tests; 0 for aheadBytes.
	ahead int64
}
