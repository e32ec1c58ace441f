package commands

func serverCommands() []*Command { return nil }
