package server

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/engine"
)

// A fakeDisk is a persistence whose Commit does what a test says.
type fakeDisk struct{ commit func() error }

func (d *fakeDisk) Commit() error               { return d.commit() }
func (*fakeDisk) Save() (bool, error)           { return true, nil }
func (*fakeDisk) BackgroundSave() (bool, error) { return true, nil }
func (*fakeDisk) Failing() error                { return nil }
func (*fakeDisk) LastSave() time.Time           { return time.Time{} }
func (*fakeDisk) Fields() []engine.Field        { return nil }

// say is what a script of commands is answered over a disk, the commits it took, and
// the writes.
func overDisk(t *testing.T, fails bool, stream string) (lines []string, commits, writes int) {
	service := newService(t)
	nc := &script{chunks: [][]byte{[]byte(stream)}}
	service.Persistence = &fakeDisk{func() error {
		commits++
		if len(nc.out) > 0 {
			t.Errorf("%q was written before what it tells of was kept", nc.out)
		}
		if fails {
			return fmt.Errorf("%w: no space left on device", engine.ErrUnkept)
		}
		return nil
	}}
	newServer(service, nil).newConn(nc).serve()
	return strings.Split(strings.TrimSuffix(string(nc.out), "\r\n"), "\r\n"), commits, nc.writes
}

// Replies wait until what they tell of is kept, a batch at a time. If it can't be
// kept, those that tell of a change become errors, one for each command, and the
// others, looks and refusals among them, are as ever.
func TestRepliesWaitUntilKept(t *testing.T) {
	const unkept = "-MISCONF changes can not be written to disk: no space left on device"
	stream := strings.Join([]string{
		"PING", "CL.THROTTLE k 0 1 60", "TYPE k", "CL.THROTTLE k 0 1", "MULTI", "PING", "EXEC", "MULTI", "CL.THROTTLE k 0 1 60", "CL.THROTTLE l 0 1 60", "EXEC", "CL.THROTTLE k 0 1 60", "PING last", "",
	}, "\r\n")
	five := func(limited int) []string {
		return []string{"*5", fmt.Sprintf(":%d", limited), ":1", ":0", map[int]string{0: ":-1", 1: ":60"}[limited], ":60"}
	}
	arity := "-ERR wrong number of arguments for 'cl.throttle' command"
	kept := slices.Concat([]string{"+PONG"}, five(0), []string{"+gcra", arity, "+OK", "+QUEUED", "*1", "+PONG", "+OK", "+QUEUED", "+QUEUED", "*2"}, five(1), five(0), five(1), []string{"$4", "last"})
	lost := []string{"+PONG", unkept, "+gcra", arity, "+OK", "+QUEUED", "*1", "+PONG", "+OK", "+QUEUED", "+QUEUED", unkept}
	lost = slices.Concat(lost, five(1), []string{"$4", "last"})
	for fails, want := range map[bool][]string{false: kept, true: lost} {
		got, commits, writes := overDisk(t, fails, stream)
		if !slices.Equal(got, want) {
			t.Errorf("the disk fails: %v; the replies are\n%q, not\n%q", fails, got, want)
		}
		if commits != 1 || writes != 1 {
			t.Errorf("a batch took %d commits and %d writes", commits, writes)
		}
	}
}

// A client that wants no replies has what it changes kept all the same.
func TestSilentClientsAreKept(t *testing.T) {
	if _, commits, _ := overDisk(t, false, "CLIENT REPLY OFF\r\nCL.THROTTLE k 0 1 60\r\n"); commits != 1 {
		t.Errorf("%d commits", commits)
	}
}
