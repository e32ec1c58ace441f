package config

// Words cuts a line into words as redis.conf's lines and inline commands are cut:
// between spaces, with "double quotes\n" that know escapes and 'single ones' that
// do not. It says false for a quote that is not closed or not followed by a space.
// The words are copies.
func Words(line []byte) (words [][]byte, ok bool) {
	for {
		for len(line) > 0 && isSpace(line[0]) {
			line = line[1:]
		}
		if len(line) == 0 || line[0] == 0 {
			return words, true
		}
		word, rest, ok := firstWord(line)
		if !ok {
			return nil, false
		}
		words = append(words, word)
		line = rest
	}
}

func firstWord(line []byte) (word, rest []byte, ok bool) {
	word = []byte{}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case endsWord(c):
			return word, line[i:], true
		case c == '"' || c == '\'':
			part, n := quoted(line[i:])
			if n == 0 {
				return nil, nil, false
			}
			rest = line[i+n:]
			if len(rest) > 0 && !isSpace(rest[0]) && rest[0] != 0 {
				return nil, nil, false
			}
			return append(word, part...), rest, true
		default:
			word = append(word, c)
		}
	}
	return word, nil, true
}

// endsWord says whether a word ends before a byte. Not all spaces do that, as in Redis.
func endsWord(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == 0 }

// quoted reads a quoted part, and says how many bytes it took: 0 if it is not closed.
func quoted(line []byte) (part []byte, n int) {
	quote := line[0]
	for i := 1; i < len(line); i++ {
		c := line[i]
		switch {
		case c == quote:
			return part, i + 1
		case c == 0:
			return nil, 0
		case c != '\\' || i+1 >= len(line):
			part = append(part, c)
		case quote == '\'':
			if line[i+1] == '\'' {
				c = '\''
				i++
			}
			part = append(part, c)
		default:
			b, taken := escape(line[i+1:])
			part = append(part, b)
			i += taken
		}
	}
	return nil, 0
}

// escape reads what follows a backslash between double quotes.
func escape(s []byte) (b byte, taken int) {
	if s[0] == 'x' && len(s) >= 3 {
		if hi, lo := hexDigit(s[1]), hexDigit(s[2]); hi >= 0 && lo >= 0 {
			return byte(hi<<4 | lo), 3
		}
	}
	switch s[0] {
	case 'n':
		return '\n', 1
	case 'r':
		return '\r', 1
	case 't':
		return '\t', 1
	case 'b':
		return '\b', 1
	case 'a':
		return '\a', 1
	}
	return s[0], 1
}

func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
