package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Type reads the values that an option can have.
type Type struct {
	Usage string // what may be written, for the reference
	parse func(text string) (value, error)
}

// Text is any text.
var Text = Type{"text", func(text string) (value, error) { return value{text: text}, nil }}

// YesNo is yes or no.
var YesNo = Type{"yes|no", func(text string) (value, error) {
	switch strings.ToLower(text) {
	case "yes":
		return value{"yes", 1}, nil
	case "no":
		return value{"no", 0}, nil
	}
	return value{}, errors.New("argument must be 'yes' or 'no'")
}}

// Int is a whole number between bounds.
func Int(low, high int64) Type {
	return Type{fmt.Sprintf("%d..%d", low, high), func(text string) (value, error) {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return value{}, errors.New("argument couldn't be parsed into an integer")
		}
		return bounded(n, low, high)
	}}
}

func bounded(n, low, high int64) (value, error) {
	if n < low || n > high {
		return value{}, fmt.Errorf("argument must be between %d and %d inclusive", low, high)
	}
	return value{strconv.FormatInt(n, 10), n}, nil
}

// Octal is a file mode, or 0 for the one that the umask gives.
var Octal = Type{"0..777", func(text string) (value, error) {
	n, err := strconv.ParseInt(text, 8, 32)
	if err != nil || n < 0 || n > 0o777 {
		return value{}, errors.New("argument must be an octal file mode, 0 to 777")
	}
	return value{strconv.FormatInt(n, 8), n}, nil
}}

var scales = map[string]int64{
	"": 1, "b": 1, "k": 1000, "kb": 1 << 10, "m": 1_000_000, "mb": 1 << 20, "g": 1_000_000_000, "gb": 1 << 30,
}

// Size is a number of bytes: 4096, 64kb, 1mb, 1gb.
func Size(low, high int64) Type {
	return Type{"bytes (1mb, 64kb, …)", func(text string) (value, error) {
		digits := strings.TrimRight(strings.ToLower(text), "bkmg")
		scale, ok := scales[strings.ToLower(text)[len(digits):]]
		n, err := strconv.ParseInt(digits, 10, 64)
		if !ok || err != nil || n < 0 || n > 1<<62/scale {
			return value{}, errors.New("argument must be a memory value")
		}
		return bounded(n*scale, low, high)
	}}
}

// OneOf is one of a few words.
func OneOf(words ...string) Type {
	return Type{strings.Join(words, "|"), func(text string) (value, error) {
		for i, w := range words {
			if strings.EqualFold(w, text) {
				return value{w, int64(i)}, nil
			}
		}
		if len(words) == 1 {
			return value{}, fmt.Errorf("argument can only be '%s'", words[0])
		}
		return value{}, fmt.Errorf("argument must be one of: %s", strings.Join(words, ", "))
	}}
}

// SaveRules is pairs of seconds and changes: "3600 1 300 100".
var SaveRules = Type{"seconds changes ...", func(text string) (value, error) {
	words := strings.Fields(text)
	if len(words)%2 != 0 {
		return value{}, errors.New("argument must be pairs of seconds and changes")
	}
	for i, word := range words {
		n, err := strconv.ParseInt(word, 10, 32)
		if err != nil || n < int64(1-i%2) {
			return value{}, errors.New("argument must be pairs of seconds, from 1 on, and changes")
		}
	}
	return value{text: strings.Join(words, " ")}, nil
}}
