package commands

import (
	"strconv"
	"time"

	"sluice/commands/config"
	"sluice/engine"
)

const errNoDebug Error = "ERR DEBUG command not allowed. If the enable-debug-command option is set to \"local\", " +
	"you can run it from a local connection, otherwise you need to set this option in the configuration file, " +
	"and then restart the server."

// maxMillis is engine.MaxInstant in milliseconds.
const maxMillis = int64(engine.MaxInstant) / int64(time.Millisecond)

// maxSleep bounds DEBUG SLEEP.
const maxSleep = 60 * time.Second

// ifDebugging runs a command only where enable-debug-command allows it.
func ifDebugging(f run) run {
	return func(c *Session, args [][]byte) (Reply, error) {
		switch c.service.Config.String(config.DebugCommand) {
		case "yes":
			return f(c, args)
		case "local":
			if c.local() {
				return f(c, args)
			}
		}
		return Reply{}, errNoDebug
	}
}

// debugClock is the test clock: SET unix-ms, ADVANCE ms or REAL.
func debugClock(c *Session, args [][]byte) (Reply, error) {
	store := c.store
	switch {
	case is(args[2], "SET") && len(args) == 4:
		ms, err := parseIntIn(args[3], "unix-ms", 0, maxMillis)
		if err != nil {
			return Reply{}, err
		}
		store.StopClock(engine.Instant(ms) * engine.Instant(time.Millisecond))
	case is(args[2], "ADVANCE") && len(args) == 4:
		ms, err := parseIntIn(args[3], "ms", -maxMillis, maxMillis)
		if err != nil {
			return Reply{}, err
		}
		store.AdvanceClock(time.Duration(ms) * time.Millisecond)
	case is(args[2], "REAL") && len(args) == 3:
		store.RealClock()
	default:
		return Reply{}, errSyntax
	}
	return OK, nil
}

// debugSleep keeps the caller waiting, in real time. Unlike Redis's it holds up
// nobody else; it ends early when the server stops.
func debugSleep(c *Session, args [][]byte) (Reply, error) {
	wait, err := parseSleep(args[2])
	if err != nil {
		return Reply{}, err
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.ctx.Done():
	}
	return OK, nil
}

func parseSleep(arg []byte) (time.Duration, error) {
	s, err := strconv.ParseFloat(string(arg), 64)
	if err != nil {
		return 0, errFloat
	}
	if !(s >= 0 && s <= maxSleep.Seconds()) {
		return 0, errorf("ERR seconds must be between 0 and %d", int(maxSleep.Seconds()))
	}
	return time.Duration(s * float64(time.Second)), nil
}
