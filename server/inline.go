package server

import "sluice/commands/config"

// inline reads a command typed as a line: words between spaces, quoted as in
// redis-cli ("\x41\n" with escapes, 'as it is'). Its arguments are copies.
func (f *frameReader) inline() (args [][]byte, done bool, err error) {
	line, done := f.line('\n')
	if !done {
		if f.to-f.at > maxLine {
			return nil, false, ProtocolError("too big inline request")
		}
		return nil, false, nil
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	args, ok := config.Words(line)
	if !ok {
		return nil, false, ProtocolError("unbalanced quotes in request")
	}
	return args, true, nil
}
