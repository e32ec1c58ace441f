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

// strangers is what a client may send before it has said who it is.
var strangers = Limits{Arguments: 10, Bulk: 16 << 10, Command: 64 << 10}

// maxLine bounds an inline command and a length's digits, as in Redis.
const maxLine = 64 << 10

// A ProtocolError is what the client is told before the connection ends.
type ProtocolError string

func (e ProtocolError) Error() string { return "ERR Protocol error: " + string(e) }

// A frameReader cuts the bytes of a connection into commands. It holds one buffer,
// grows it only for bytes that have come, never looks at a byte twice while a
// command is incomplete, and allocates nothing in steady state. What it finds does
// not depend on how the bytes were cut on their way.
//
//	buf[:from]     commands that were answered
//	buf[from:at]   the command being read, as far as it is parsed
//	buf[at:to]     bytes that have come and are not parsed
//
// A batch is space, filled, next until there is none, and rest.
type frameReader struct {
	buf          []byte
	from, at, to int
	searched     int      // bytes behind at that hold no line end
	missing      int      // arguments of the command still to come, 0 between commands
	bulk         int      // length of the argument being read, or noBulk
	spans        []span   // arguments so far, relative to from
	args         [][]byte // of the last command, behind those that are kept
	kept         int
}

type span struct{ from, to int }

const (
	noBulk      = -1
	smallBuffer = 4 << 10  // all that most connections ever need
	largeBuffer = 64 << 10 // for pipelines: fewer reads
)

func newFrameReader() *frameReader {
	return &frameReader{buf: make([]byte, smallBuffer), bulk: noBulk}
}

// space is where bytes that come go. It is never empty.
func (f *frameReader) space() []byte {
	if f.to == len(f.buf) {
		f.resize(2 * len(f.buf))
	}
	return f.buf[f.to:]
}

// filled says that n bytes have come into the space.
func (f *frameReader) filled(n int) { f.to += n }

// rest makes room for the next batch: what is not answered moves to the front, a
// full buffer becomes a large one, and a huge one goes when its command is done.
func (f *frameReader) rest() {
	full := f.to == len(f.buf)
	if f.from > 0 {
		copy(f.buf, f.buf[f.from:f.to])
		f.at -= f.from
		f.to -= f.from
		f.from = 0
	}
	switch {
	case full && len(f.buf) < largeBuffer:
		f.resize(largeBuffer)
	case len(f.buf) > largeBuffer:
		f.trim()
	}
}

// trim gives back what a connection does not need while it says nothing.
func (f *frameReader) trim() {
	if f.to <= smallBuffer && len(f.buf) > smallBuffer {
		f.resize(smallBuffer)
		f.args = nil
		if f.missing == 0 {
			f.spans = nil
		}
	}
}

// large says whether there is something to trim.
func (f *frameReader) large() bool { return len(f.buf) > smallBuffer }

func (f *frameReader) resize(size int) {
	buf := make([]byte, size)
	copy(buf, f.buf[:f.to])
	f.buf = buf
	clear(f.args[:cap(f.args)]) // or they would keep the old buffer alive
}

// next is the next command, or nil if it has not all come yet. The arguments are
// slices of the buffer: good until next, space or rest is called.
func (f *frameReader) next(limits *Limits) ([][]byte, error) {
	if args := f.whole(limits); args != nil {
		return args, nil
	}
	for f.missing == 0 {
		f.from = f.at
		if f.at == f.to {
			return nil, nil
		}
		if f.buf[f.at] != '*' {
			args, done, err := f.inline(limits)
			if err != nil || !done || len(args) > 0 {
				return args, err
			}
			continue
		}
		n, done, err := f.length(&arguments, limits.Arguments, limits)
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
	f.args = f.args[:f.kept]
	for _, s := range f.spans {
		f.args = append(f.args, f.buf[f.from+s.from:f.from+s.to:f.from+s.to])
	}
	return f.args[f.kept:len(f.args):len(f.args)], nil
}

// whole is next for a command that has all come and has short lengths, as nearly every
// one has: it has no state to keep. It is nil, and has changed nothing, if that is not
// what comes next.
func (f *frameReader) whole(limits *Limits) [][]byte {
	b := f.buf[f.at:f.to]
	n, at := shortLength(b, '*')
	if f.missing > 0 || n == 0 || n > limits.Arguments {
		return nil
	}
	args := f.args[:f.kept]
	for range n {
		size, taken := shortLength(b[at:], '$')
		from := at + taken
		end := from + size
		if taken == 0 || size > limits.Bulk || end > limits.Command || end+2 > len(b) {
			return nil
		}
		args = append(args, b[from:end:end])
		at = end + 2
	}
	f.from = f.at
	f.at += at
	f.searched = 0
	f.args = args
	return args[f.kept:len(args):len(args)]
}

// keep has next leave the last command's arguments alone, until forget.
func (f *frameReader) keep() { f.kept = len(f.args) }

// forget ends what keep began.
func (f *frameReader) forget() { f.kept = 0 }

// argument reads one argument, $3\r\nfoo\r\n.
func (f *frameReader) argument(limits *Limits) (done bool, err error) {
	if f.bulk == noBulk {
		n, done, err := f.length(&bulkBytes, limits.Bulk, limits)
		if err != nil || !done {
			return false, err
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

// line takes bytes up to an end: '\n' alone, or '\r' with whatever follows it. It
// is too long if the end does not come within maxLine bytes.
func (f *frameReader) line(end byte) (line []byte, done, tooLong bool) {
	rest := f.buf[f.at:f.to]
	i := bytes.IndexByte(rest[f.searched:], end)
	if i < 0 {
		f.searched = len(rest)
		return nil, false, len(rest) > maxLine
	}
	i += f.searched
	taken := i + 1
	if end == '\r' {
		taken++
	}
	if i > maxLine || taken > len(rest) {
		f.searched = i
		return nil, false, i > maxLine
	}
	f.searched = 0
	f.at += taken
	return rest[:i], true, false
}
