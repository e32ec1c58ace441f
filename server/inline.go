package server

import "sluice/commands/config"

// inline reads a command typed as a line: words between spaces, quoted as in
// redis-cli ("\x41\n" with escapes, 'as it is'). Its arguments are copies.
func (f *frameReader) inline(limits *Limits) (args [][]byte, done bool, err error) {
	line, done, tooLong := f.line('\n')
	switch {
	case tooLong:
		return nil, false, ProtocolError("too big inline request")
	case !done:
		return nil, false, nil
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	args, ok := config.Words(line)
	switch {
	case !ok:
		return nil, false, ProtocolError("unbalanced quotes in request")
	case len(args) > limits.Arguments:
		return nil, false, ProtocolError("too many words in request")
	}
	return args, true, nil
}
