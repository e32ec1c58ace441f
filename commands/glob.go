package commands

// glob matches a text against a pattern in Redis's language: * is any bytes, ?
// one byte, [abc], [a-z] and [^a] one byte of a class, \x the byte x.
//
// Every element but * matches exactly one byte, so when a match fails behind a *
// only the last * need try a longer stretch: the time is at most the product of
// both lengths, whatever the pattern. A fold ignores the case of ASCII letters.
type glob struct {
	pattern []byte
	fold    bool
}

// all says whether the pattern matches everything.
func (g glob) all() bool { return len(g.pattern) == 1 && g.pattern[0] == '*' }

func (g glob) matches(text []byte) bool {
	p, t := 0, 0
	star, resume := -1, 0 // behind the last *, and where its stretch ends so far
	for t < len(text) {
		if p < len(g.pattern) && g.pattern[p] == '*' {
			p++
			star, resume = p, t
			continue
		}
		if p < len(g.pattern) {
			if next, ok := g.one(p, text[t]); ok {
				p, t = next, t+1
				continue
			}
		}
		if star < 0 {
			return false
		}
		resume++
		p, t = star, resume
	}
	for p < len(g.pattern) && g.pattern[p] == '*' {
		p++
	}
	return p == len(g.pattern)
}

// one matches the element at p against a byte, and tells where the next begins.
func (g glob) one(p int, b byte) (next int, ok bool) {
	switch c := g.pattern[p]; {
	case c == '?':
		return p + 1, true
	case c == '[':
		return g.class(p+1, b)
	case c == '\\' && p+1 < len(g.pattern):
		return p + 2, g.fit(g.pattern[p+1]) == g.fit(b)
	default:
		return p + 1, g.fit(c) == g.fit(b)
	}
}

// class matches a byte against the class whose [ is before p. As in Redis a class
// that nobody closed ends with the pattern, and a range may be the wrong way round.
func (g glob) class(p int, b byte) (next int, ok bool) {
	b = g.fit(b)
	negated := p < len(g.pattern) && g.pattern[p] == '^'
	if negated {
		p++
	}
	for p < len(g.pattern) && g.pattern[p] != ']' {
		rest := g.pattern[p:]
		switch {
		case rest[0] == '\\' && len(rest) >= 2:
			ok = ok || g.fit(rest[1]) == b
			p += 2
		case len(rest) >= 3 && rest[1] == '-':
			low, high := g.fit(rest[0]), g.fit(rest[2])
			ok = ok || min(low, high) <= b && b <= max(low, high)
			p += 3
		default:
			ok = ok || g.fit(rest[0]) == b
			p++
		}
	}
	return min(p+1, len(g.pattern)), ok != negated
}

// fit is a byte as it is compared.
func (g glob) fit(b byte) byte {
	if g.fold && 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}
