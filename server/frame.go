package server

import (
	"bytes"
	"fmt"
)

// Limits bound what one client can make the server hold.
type Limits struct {
	Arguments int // of one command, its name among them
	Bulk      int // bytes of one argument
	Command   int // bytes of one command, all of it
}

// unauthenticated is what a client may send before it has said who it is.
var unauthenticated = Limits{Arguments: 10, Bulk: 16 << 10, Command: 64 << 10}

// maxLine bounds an inline command and a length's digits, as in Redis.
const maxLine = 64 << 10

// A ProtocolError is what the client is told before the connection ends.
type ProtocolError string

func (e ProtocolError) Error() string { return "ERR Protocol error: " + string(e) }

// A frameReader cuts the bytes of a connection into commands. It holds one buffer,
// grows it only for bytes that have come, never looks at a byte twice while a
// command is incomplete, and allocates nothing in steady state.
//
//	buf[:from]     commands that were answered
//	buf[from:at]   the command being read, as far as it is parsed
//	buf[at:to]     bytes that have come and are not parsed
type frameReader struct {
	buf          []byte
	from, at, to int
	searched     int    // bytes behind at that hold no line end
	missing      int    // arguments of the command still to come, 0 between commands
	bulk         int    // length of the argument being read, or noBulk
	spans        []span // arguments so far, relative to from
	args         [][]byte
}

type span struct{ from, to int }

const (
	noBulk      = -1
	smallBuffer = 16 << 10
	largeBuffer = 64 << 10
)

func newFrameReader() *frameReader {
	return &frameReader{buf: make([]byte, smallBuffer), bulk: noBulk}
}

// space is where bytes that come go. It is never empty.
func (f *frameReader) space() []byte {
	switch {
	case f.to < len(f.buf):
	case f.from > 0:
		f.shift(f.buf)
	default:
		f.shift(make([]byte, 2*len(f.buf)))
	}
	return f.buf[f.to:]
}

// shift moves what is not answered to the front of a buffer.
func (f *frameReader) shift(buf []byte) {
	copy(buf, f.buf[f.from:f.to])
	f.buf = buf
	f.at -= f.from
	f.to -= f.from
	f.from = 0
}

// filled says that n bytes have come into the space.
func (f *frameReader) filled(n int) { f.to += n }

// rest fits the buffer to what the connection needs, between two batches: a
// large one for deep pipelines, a small one again after one huge command.
func (f *frameReader) rest() {
	full := f.to == len(f.buf)
	if f.from == f.to {
		f.from, f.at, f.to = 0, 0, 0
	}
	switch {
	case full && len(f.buf) < largeBuffer:
		f.shift(make([]byte, largeBuffer))
	case len(f.buf) > largeBuffer && f.to == 0:
		f.buf = make([]byte, smallBuffer)
	}
}

// next is the next command, or nil if it has not all come yet. The arguments are
// slices of the buffer: good until space or rest is called.
func (f *frameReader) next(limits *Limits) ([][]byte, error) {
	for f.missing == 0 {
		f.from = f.at
		if f.at == f.to {
			return nil, nil
		}
		if f.buf[f.at] != '*' {
			args, done, err := f.inline()
			if err != nil || !done || len(args) > 0 {
				return args, err
			}
			continue
		}
		n, done, err := f.length("multibulk", "mbulk", limits.Arguments, limits)
		if err != nil || !done {
			return nil, err
		}
		f.missing = max(n, 0)
		f.spans = f.spans[:0]
	}
	for f.missing > 0 {
		done, err := f.argument(limits)
		if err != nil || !done {
			return nil, err
		}
		f.missing--
	}
	f.args = f.args[:0]
	for _, s := range f.spans {
		f.args = append(f.args, f.buf[f.from+s.from:f.from+s.to:f.from+s.to])
	}
	return f.args, nil
}

// argument reads one argument, $3\r\nfoo\r\n.
func (f *frameReader) argument(limits *Limits) (done bool, err error) {
	if f.bulk == noBulk {
		n, done, err := f.length("bulk", "bulk", limits.Bulk, limits)
		if err != nil || !done {
			return false, err
		}
		if n < 0 {
			return false, ProtocolError("invalid bulk length")
		}
		if f.at-f.from+n > limits.Command {
			return false, ProtocolError(fmt.Sprintf("command is longer than %d bytes", limits.Command))
		}
		f.bulk = n
	}
	if f.to-f.at < f.bulk+2 {
		return false, nil
	}
	f.spans = append(f.spans, span{f.at - f.from, f.at - f.from + f.bulk})
	f.at += f.bulk + 2
	f.bulk = noBulk
	return true, nil
}

// length reads *n\r\n or $n\r\n. Numbers below zero are as good as any to it; one
// over the limit is an error, whose words depend on what is counted.
func (f *frameReader) length(what, short string, most int, limits *Limits) (n int, done bool, err error) {
	line, done := f.line('\r')
	if !done {
		if f.to-f.at > maxLine {
			return 0, false, ProtocolError("too big " + short + " count string")
		}
		return 0, false, nil
	}
	if what == "bulk" && (len(line) == 0 || line[0] != '$') {
		return 0, false, ProtocolError("expected '$', got '" + string(append(line, '\r')[:1]) + "'")
	}
	n, ok := parseLength(line[1:])
	if !ok {
		return 0, false, ProtocolError("invalid " + what + " length")
	}
	if n > most {
		if limits == &unauthenticated {
			what = "unauthenticated " + what
		} else {
			what = "invalid " + what
		}
		return 0, false, ProtocolError(what + " length")
	}
	return n, true, nil
}

// line takes bytes up to an end: '\n' alone, or '\r' with whatever follows it.
func (f *frameReader) line(end byte) (line []byte, done bool) {
	rest := f.buf[f.at:f.to]
	i := bytes.IndexByte(rest[f.searched:], end)
	if i < 0 {
		f.searched = len(rest)
		return nil, false
	}
	i += f.searched
	skip := 1
	if end == '\r' {
		skip = 2
	}
	if i+skip > len(rest) {
		f.searched = i
		return nil, false
	}
	f.searched = 0
	f.at += i + skip
	return rest[:i], true
}

// parseLength reads a number as Redis reads lengths. What does not fit is as
// wrong as what is no number.
func parseLength(digits []byte) (int, bool) {
	negative := len(digits) > 0 && digits[0] == '-'
	if negative {
		digits = digits[1:]
	}
	if len(digits) == 0 || len(digits) > 18 || digits[0] == '0' && (len(digits) > 1 || negative) {
		return 0, false
	}
	n := 0
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	if negative {
		n = -n
	}
	return n, true
}
