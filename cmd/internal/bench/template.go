package bench

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"sluice/commands/config"
)

// keyDigits is how many digits {key} becomes. All commands of a workload are of one
// length so, and a batch of them is made once: only digits change from call to call.
const keyDigits = 12

var digitsHole = []byte(strings.Repeat("0", keyDigits))

// A Template is a command as it is sent, with places for the digits of its key.
type Template struct {
	bytes []byte
	holes []int // where digits of the key go
}

// ParseTemplate reads a command line, quoted as in redis-cli, with {key} where the
// digits of a key go. It may have several, or none.
func ParseTemplate(line string) (Template, error) {
	words, ok := config.Words([]byte(line))
	if !ok {
		return Template{}, fmt.Errorf("unbalanced quotes in the command %q", line)
	}
	if len(words) == 0 {
		return Template{}, errors.New("the command is empty")
	}
	var t Template
	t.bytes = fmt.Appendf(nil, "*%d\r\n", len(words))
	for _, word := range words {
		t.argument(bytes.Split(word, []byte("{key}")))
	}
	return t, nil
}

// argument appends one whose parts have a key between them.
func (t *Template) argument(parts [][]byte) {
	length := (len(parts) - 1) * keyDigits
	for _, part := range parts {
		length += len(part)
	}
	t.bytes = fmt.Appendf(t.bytes, "$%d\r\n", length)
	for i, part := range parts {
		if i > 0 {
			t.holes = append(t.holes, len(t.bytes))
			t.bytes = append(t.bytes, digitsHole...)
		}
		t.bytes = append(t.bytes, part...)
	}
	t.bytes = append(t.bytes, "\r\n"...)
}

// A Batch is the bytes of several commands of a template, ready to be sent.
type Batch struct {
	Template
	all []byte
}

// Batch makes room for depth commands.
func (t Template) Batch(depth int) *Batch {
	return &Batch{Template: t, all: bytes.Repeat(t.bytes, depth)}
}

// SetKey makes key the key of the i-th command.
func (b *Batch) SetKey(i int, key uint64) {
	command := b.all[i*len(b.bytes):]
	for _, hole := range b.holes {
		putDigits(command[hole:hole+keyDigits], key)
	}
}

// First is the bytes of the first n commands.
func (b *Batch) First(n int) []byte { return b.all[:n*len(b.bytes)] }

// pairs is 00 to 99: two digits a division.
const pairs = "00010203040506070809101112131415161718192021222324" +
	"25262728293031323334353637383940414243444546474849" +
	"50515253545556575859606162636465666768697071727374" +
	"75767778798081828384858687888990919293949596979899"

func putDigits(to []byte, n uint64) {
	for i := len(to) - 2; i >= 0; i -= 2 {
		pair := n % 100 * 2
		n /= 100
		to[i], to[i+1] = pairs[pair], pairs[pair+1]
	}
}
