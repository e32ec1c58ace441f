package commands

// A Peer is the connection that a session is held over, as far as a session needs
// one. Kill and Push may come from any goroutine and at any time, even before Open
// has returned.
type Peer interface {
	// Kill ends the connection: at once if it waits for its client, otherwise after
	// the command that it runs, whose reply is still sent.
	Kill()

	// Push sends what the client has not asked for, without waiting for anything.
	// Pushes arrive in their order, those that come while a command runs behind its
	// reply. A client that does not read them as fast as they come is closed. The
	// reply is kept: nothing of it may change any more.
	Push(Reply)

	// Slow says that the command under way may take long: nobody else is to wait for
	// it. Only Do's goroutine may call it.
	Slow()

	// Rest has the session wait within a command until over is closed. Meanwhile
	// the replies that were earned go out, and so do pushes. It says false if the
	// connection is to end instead. Only Do's goroutine may call it.
	Rest(over <-chan struct{}) bool
}
