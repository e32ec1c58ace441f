package commands

func keyCommands() []*Command { return nil }
