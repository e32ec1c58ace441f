package server

import "sluice/commands/config"

// inline reads a command typed as a line: words between spaces, quoted as in
// redis-cli ("\x41\n" with escapes, 'as it is'). Its arguments are copies.
func (f *frameReader) inline(limits *Limits) (args [][]byte, done bool, err error) {
	safe := speaksTLS(f.buf[f.at:f.to])
	line, done, tooLong := f.line('\n')
	switch {
	case safe:
		return nil, false, ProtocolError("this port does not speak TLS")
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

// speaksTLS spots the beginning of a TLS handshake, which has no end of a line: its
// client would wait for an answer, and we for the rest.
func speaksTLS(b []byte) bool { return len(b) > 2 && b[0] == 0x16 && b[1] == 3 && b[2] <= 4 }
