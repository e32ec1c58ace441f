package bench

import (
	"embed"
	"fmt"
	"strings"
)

// A Workload is a command to send again and again, and how its first reply must look.
type Workload struct {
	Name    string
	Doc     string
	Command string // a template: {key} is a key's digits, {sha} the script's digest
	Script  string // the Lua script to load first, "" for none
	Check   func(reply any) error
}

//go:embed scripts/*.lua
var scripts embed.FS

// Workloads is what can be asked for by name. All limiters have the same limit, 100
// at once and about 100 a day: keys outlive a measurement, and few calls are refused
// but for a hot key. With its 12 digits each key has 17 bytes.
func Workloads() []Workload {
	return []Workload{
		{Name: "gcra", Doc: "CL.THROTTLE, as redis-cell has it", Command: "CL.THROTTLE gcra:{key} 99 100 86400", Check: integers(5)},
		{Name: "token-bucket", Doc: "TB.TAKE", Command: "TB.TAKE tbkt:{key} 100 0.001", Check: integers(5)},
		{Name: "fixed-window", Doc: "FW.INCR", Command: "FW.INCR fwin:{key} 100 1d", Check: integers(5)},
		{Name: "sliding-window", Doc: "SW.HIT", Command: "SW.HIT swin:{key} 100 1d", Check: integers(5)},
		{Name: "sliding-log", Doc: "SL.HIT", Command: "SL.HIT slog:{key} 100 1d", Check: integers(5)},
		{Name: "leaky-bucket", Doc: "LB.ADD", Command: "LB.ADD lbkt:{key} 100 0.001", Check: integers(5)},
		{Name: "concurrency", Doc: "CC.ACQUIRE", Command: "CC.ACQUIRE conc:{key} 100 1d", Check: elements(6)},
		{Name: "lease-held", Doc: "CC.ACQUIRE by who holds a lease", Command: "CC.ACQUIRE held:{key} 100 1d TOKEN worker-1", Check: elements(6)},
		{Name: "all-of-three", Doc: "RL.ALL of three limiters", Command: "RL.ALL alla:{key} CL.THROTTLE 99 100 86400 " +
			"AND allb:{key} FW.INCR 5000 1d AND allc:{key} SW.HIT 100 1d", Check: elements(6)},
		{Name: "incr", Doc: "INCR of Redis, which limits nothing", Command: "INCR incr:{key}", Check: integer},
		lua("fixed-window", "a script: INCR and EXPIRE", "lfix:{key} 100 86400", elements(2)),
		lua("token-bucket", "a script: a hash of tokens and time", "ltbk:{key} 100 0.001 1", elements(2)),
		lua("gcra", "a script: one arrival time", "lgcr:{key} 100 100 86400", elements(4)),
		lua("sliding-window", "a script: a sorted set of calls", "lslw:{key} 100 86400 {key}", elements(2)),
	}
}

// lua is the workload of a script in scripts/.
func lua(name, doc, arguments string, check func(any) error) Workload {
	text, err := scripts.ReadFile("scripts/" + name + ".lua")
	if err != nil {
		panic("bench: the script of a workload is not embedded: " + err.Error())
	}
	return Workload{Name: "lua-" + name, Doc: doc, Command: "EVALSHA {sha} 1 " + arguments, Script: string(text), Check: check}
}

// Find is the workload with a name.
func Find(name string) (Workload, error) {
	var names []string
	for _, w := range Workloads() {
		if w.Name == name {
			return w, nil
		}
		names = append(names, w.Name)
	}
	return Workload{}, fmt.Errorf("no workload is called %q; there are: %s", name, strings.Join(names, ", "))
}

// Custom is the workload of a command line of one's own. Any reply will do that is
// no error.
func Custom(command string) Workload {
	return Workload{Name: "command", Command: command, Check: func(any) error { return nil }}
}

func integer(reply any) error {
	if _, ok := reply.(int64); !ok {
		return fmt.Errorf("the first reply is %v, not an integer", reply)
	}
	return nil
}

// elements checks for an array of n that begins with 0 or 1: granted or limited.
func elements(n int) func(any) error {
	return func(reply any) error {
		array, ok := reply.([]any)
		if !ok || len(array) != n {
			return fmt.Errorf("the first reply is %v, not an array of %d", reply, n)
		}
		if array[0] != int64(0) && array[0] != int64(1) {
			return fmt.Errorf("the first reply is %v, which begins with neither 0 nor 1", reply)
		}
		return nil
	}
}

// integers checks for an array of n integers alone.
func integers(n int) func(any) error {
	return func(reply any) error {
		if err := elements(n)(reply); err != nil {
			return err
		}
		for _, e := range reply.([]any) {
			if err := integer(e); err != nil {
				return err
			}
		}
		return nil
	}
}
