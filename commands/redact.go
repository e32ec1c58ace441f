package commands

import "slices"

// redacted stands for a secret wherever commands are shown: MONITOR, SLOWLOG.
var redacted = []byte("(redacted)")

// redact is a call's arguments with its secrets replaced. The arguments that are
// given stay as they are.
func redact(cmd *Command, args [][]byte) [][]byte {
	switch cmd.FullName() {
	case "auth":
		return hide(args, 1, len(args))
	case "hello":
		for i := 2; i < len(args); i++ {
			if is(args[i], "AUTH") {
				return hide(args, i+1, i+3)
			}
		}
	case "config|set":
		for i := 2; i+1 < len(args); i += 2 {
			if is(args[i], "REQUIREPASS") {
				args = hide(args, i+1, i+2)
			}
		}
	}
	return args
}

func hide(args [][]byte, from, to int) [][]byte {
	args = slices.Clone(args)
	for i := from; i < min(to, len(args)); i++ {
		args[i] = redacted
	}
	return args
}
