package commands

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"sluice/engine"
)

// An Error is an error reply, its first word the prefix that clients look at.
type Error string

func (e Error) Error() string { return string(e) }

// The errors that more than one command gives, in Redis's words.
const (
	errSyntax    Error = "ERR syntax error"
	errInteger   Error = "ERR value is not an integer or out of range"
	errFloat     Error = "ERR value is not a valid float"
	errWrongType Error = "WRONGTYPE Operation against a key holding the wrong kind of value"
	errFull      Error = "OOM command not allowed when used memory > 'maxmemory'."
	errNoAuth    Error = "NOAUTH Authentication required."
	errWrongPass Error = "WRONGPASS invalid username-password pair or user is disabled."
	errDBRange   Error = "ERR DB index is out of range"
	errInternal  Error = "ERR internal error"
	errEnding    Error = "ERR the connection is ending"
	errExecAbort Error = "EXECABORT Transaction discarded because of previous errors."
	errNoExec    Error = "ERR EXEC without MULTI"
	errNoDiscard Error = "ERR DISCARD without MULTI"
	errNested    Error = "ERR MULTI calls can not be nested"
	errLateWatch Error = "ERR WATCH inside MULTI is not allowed"
	errNoMulti   Error = "ERR Command not allowed inside a transaction"
	errBadCursor Error = "ERR invalid cursor"
)

func errorf(format string, args ...any) Error { return Error(fmt.Sprintf(format, args...)) }

func errArity(c *Command) Error {
	return errorf("ERR wrong number of arguments for '%s' command", c.FullName())
}

// errUnknown is Redis's answer to a command it does not know. What clients look
// for are its words, so it quotes the arguments as Redis does, up to 128 bytes.
func errUnknown(args [][]byte) Error {
	var b strings.Builder
	fmt.Fprintf(&b, "ERR unknown command '%.128s', with args beginning with: ", printable(args[0]))
	start := b.Len()
	for _, arg := range args[1:] {
		left := 128 - (b.Len() - start)
		if left <= 0 {
			break
		}
		fmt.Fprintf(&b, "'%.*s' ", left, printable(arg))
	}
	return Error(b.String())
}

func errUnknownSubcommand(c *Command, name []byte) Error {
	return errorf("ERR unknown subcommand '%.128s'. Try %s HELP.", printable(name), strings.ToUpper(c.Name))
}

// printable is text that an error line can hold, byte for byte otherwise.
func printable(b []byte) string {
	text := bytes.Clone(b[:min(len(b), 256)])
	for i, c := range text {
		if c == '\r' || c == '\n' {
			text[i] = ' '
		}
	}
	return string(text)
}

// toError is the error reply for an error of the engine or of a store. What is
// not known stays out of the reply: known is false and the caller logs it.
func toError(err error) (reply Error, known bool) {
	var own Error
	var outOfRange engine.RangeError
	var tooSlow engine.FillError
	switch {
	case errors.As(err, &own):
		return own, true
	case errors.Is(err, context.Canceled):
		return errEnding, true
	case errors.Is(err, engine.ErrWrongKind):
		return errWrongType, true
	case errors.Is(err, engine.ErrFull):
		return errFull, true
	case errors.Is(err, engine.ErrUnkept):
		return Error("MISCONF " + err.Error()), true
	case errors.As(err, &outOfRange), errors.As(err, &tooSlow):
		return Error("ERR " + err.Error()), true
	}
	return errInternal, false
}
