package bench

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// Bounds on what a server may send, so that a wrong peer is an error and not a flood.
const (
	maxLine     = 64 << 10
	maxBulk     = 512 << 20
	maxElements = 1 << 20
	maxTexts    = 8 // different errors whose texts are kept
)

// Replies counts the replies in a stream of RESP2, in whatever pieces it comes. It
// keeps no reply: to know where one ends it counts the values that are still to come,
// since an array is but a promise of more of them.
type Replies struct {
	Errors int64            // error replies, those within arrays too
	Texts  map[string]int64 // how often each came; later kinds count as "other"

	pending int    // values to come until the reply is complete
	skip    int    // bytes of a bulk string to come, with its line end
	line    []byte // the beginning of a line whose end has not come
}

// Count takes the next piece of the stream and returns how many replies end in it.
func (r *Replies) Count(piece []byte) (replies int, err error) {
	for len(piece) > 0 {
		if r.skip > 0 {
			n := min(r.skip, len(piece))
			r.skip -= n
			piece = piece[n:]
			if r.skip == 0 {
				replies += r.value()
			}
			continue
		}
		end := bytes.IndexByte(piece, '\n')
		if end < 0 {
			return replies, r.keep(piece)
		}
		line := piece[:end+1]
		piece = piece[end+1:]
		if len(r.line) > 0 {
			if err := r.keep(line); err != nil {
				return replies, err
			}
			line, r.line = r.line, r.line[:0]
		}
		done, err := r.take(line)
		if err != nil {
			return replies, err
		}
		replies += done
	}
	return replies, nil
}

// keep holds on to part of a line.
func (r *Replies) keep(part []byte) error {
	if len(r.line)+len(part) > maxLine {
		return errors.New("a reply has a line that does not end")
	}
	r.line = append(r.line, part...)
	return nil
}

// value ends a value, and says whether (1 or 0) a reply ends with it.
func (r *Replies) value() int {
	if r.pending > 1 {
		r.pending--
		return 0
	}
	r.pending = 0
	return 1
}

// take reads a line with its end, and returns 1 if a reply ends with it.
func (r *Replies) take(line []byte) (int, error) {
	if len(line) < 3 || line[len(line)-2] != '\r' {
		return 0, fmt.Errorf("%.40q is no line of a reply", line)
	}
	text := line[1 : len(line)-2]
	switch line[0] {
	case ':', '+':
		return r.value(), nil
	case '-':
		r.errored(text)
		return r.value(), nil
	case '$':
		n, err := length(text, maxBulk)
		if err != nil || n < 0 {
			return r.null(err)
		}
		r.skip = n + len("\r\n")
		return 0, nil
	case '*':
		n, err := length(text, maxElements)
		if err != nil || n <= 0 {
			return r.null(err)
		}
		r.pending = max(r.pending, 1) - 1 + n
		return 0, nil
	}
	return 0, fmt.Errorf("a reply begins with %q, which RESP2 has not", line[0])
}

// null is a value that has no content, unless its length is wrong.
func (r *Replies) null(err error) (int, error) {
	if err != nil {
		return 0, err
	}
	return r.value(), nil
}

func (r *Replies) errored(text []byte) {
	r.Errors++
	if r.Texts == nil {
		r.Texts = map[string]int64{}
	}
	if _, known := r.Texts[string(text)]; !known && len(r.Texts) >= maxTexts {
		text = []byte("other")
	}
	r.Texts[string(text)]++
}

func length(text []byte, most int) (int, error) {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < -1 || n > most {
		return 0, fmt.Errorf("%.40q is no length", text)
	}
	return n, nil
}
