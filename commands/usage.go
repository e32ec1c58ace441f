package commands

import "strings"

// An argument is a part of a command's usage, as COMMAND DOCS tells it. It is read
// from the row's Usage, so that there is one description of a command's arguments:
//
//	usage   = { choice }
//	choice  = item { "|" item }                one of them
//	item    = ( word | token | group ) [ "..." ]   "...": once or more
//	token   = TOKEN [ word | "<" usage ">" ]   a word in capitals, and its value
//	group   = "[" usage "]" | "<" usage ">"    the first may be left out
//
// "..." at the end of a group repeats the group. What stands before a group that
// repeats it, as in "key [key ...]", is one argument that may come more than once.
type argument struct {
	name     string
	kind     string // Redis's type
	token    string
	optional bool
	multiple bool
	parts    []argument // of a oneof or a block
}

// Redis's types of arguments that hold others or nothing.
const (
	oneOf     = "oneof"
	block     = "block"
	pureToken = "pure-token"
)

// argumentKinds is the types of arguments that are not strings, by their names.
var argumentKinds = map[string]string{
	"key": "key", "pattern": "pattern",
	"max_burst": "integer", "count": "integer", "period": "integer", "quantity": "integer",
	"tokens_per_period": "integer", "capacity": "integer", "limit": "integer", "cost": "integer",
	"ms": "integer", "unix-ms": "integer", "index": "integer", "protover": "integer",
	"cursor": "integer", "client-id": "integer", "maxage": "integer", "version": "integer",
	"refill_per_second": "double", "leak_per_second": "double", "seconds": "double",
}

// parseUsage reads a usage. It is a bug to write one that can not be read.
func parseUsage(usage string) []argument {
	p := &usageParser{words: usageWords(usage), usage: usage}
	args := p.sequence("")
	if len(p.words) > 0 {
		panic("commands: the usage has a bracket too many: " + usage)
	}
	return args
}

// usageWords cuts a usage into words and signs.
func usageWords(usage string) []string {
	for _, sign := range []string{"[", "]", "<", ">", "|", "..."} {
		usage = strings.ReplaceAll(usage, sign, " "+sign+" ")
	}
	return strings.Fields(usage)
}

type usageParser struct {
	words []string
	usage string
}

func (p *usageParser) peek() string {
	if len(p.words) == 0 {
		return ""
	}
	return p.words[0]
}

// accept takes the next word if it is this one.
func (p *usageParser) accept(word string) bool {
	if p.peek() != word {
		return false
	}
	p.words = p.words[1:]
	return true
}

// sequence reads up to the bracket that closes it. A "..." before that bracket is
// left to the group.
func (p *usageParser) sequence(closing string) (args []argument) {
	for len(p.words) > 0 && p.peek() != closing && p.peek() != "..." {
		args = joinRepeated(append(args, p.choice()))
	}
	return args
}

func (p *usageParser) choice() argument {
	choices := []argument{p.item()}
	for p.accept("|") {
		choices = append(choices, p.item())
	}
	if len(choices) == 1 {
		return choices[0]
	}
	return argument{name: nameOf(choices), kind: oneOf, parts: choices}
}

func (p *usageParser) item() argument {
	var a argument
	switch word := p.peek(); {
	case word == "[" || word == "<":
		a = p.group()
	case word == "" || strings.ContainsAny(word, "]>|."):
		panic("commands: the usage lacks an argument or has a sign too many: " + p.usage)
	case strings.ToUpper(word) == word:
		a = p.token()
	default:
		a = p.word()
	}
	// "key ...]" repeats the group, and only the group knows where it ends.
	if p.peek() == "..." && (len(p.words) == 1 || p.words[1] != "]" && p.words[1] != ">") {
		p.accept("...")
		a.multiple = true
	}
	return a
}

func (p *usageParser) word() argument {
	a := argument{name: p.words[0], kind: argumentKinds[p.words[0]]}
	if a.kind == "" {
		a.kind = "string"
	}
	p.words = p.words[1:]
	return a
}

func (p *usageParser) token() argument {
	token := p.words[0]
	p.words = p.words[1:]
	var a argument
	switch next := p.peek(); {
	case next == "<":
		a = p.group()
	case next != "" && strings.ToLower(next) == next && strings.ToUpper(next) != next:
		a = p.word()
	default:
		return argument{name: strings.ToLower(token), kind: pureToken, token: token}
	}
	if a.token != "" {
		a = argument{name: a.name, kind: block, parts: []argument{a}}
	}
	a.token = token
	return a
}

func (p *usageParser) group() argument {
	optional := p.accept("[")
	closing := "]"
	if !optional {
		p.accept("<")
		closing = ">"
	}
	parts := p.sequence(closing)
	repeated := p.accept("...")
	if !p.accept(closing) || len(parts) == 0 {
		panic("commands: the usage has a bracket that is not closed, or is empty: " + p.usage)
	}
	a := parts[0]
	if len(parts) > 1 || a.optional {
		a = argument{name: nameOf(parts), kind: block, parts: parts}
	}
	a.optional = optional
	a.multiple = a.multiple || repeated
	return a
}

// nameOf is a name for several arguments together: all their names or, if they are
// many, the first.
func nameOf(parts []argument) string {
	if len(parts) > 4 {
		return parts[0].name
	}
	names := make([]string, len(parts))
	for i, part := range parts {
		names[i] = part.name
	}
	return strings.Join(names, "_")
}

// joinRepeated makes one argument of the last of a sequence and what stands before
// it, if the last repeats that.
func joinRepeated(args []argument) []argument {
	last := args[len(args)-1]
	if !last.optional || !last.multiple {
		return args
	}
	repeated := []argument{last}
	if last.kind == block {
		repeated = last.parts
	}
	before := args[:len(args)-1]
	if len(before) < len(repeated) {
		return args
	}
	at := len(before) - len(repeated)
	for i, r := range repeated {
		if before[at+i].name != r.name || before[at+i].token != r.token {
			return args
		}
	}
	last.optional = false
	return append(before[:at], last)
}

// length is how many arguments these are at least, and whether there can be more.
func length(args []argument) (least int, more bool) {
	for _, a := range args {
		n, m := a.length()
		least += n
		more = more || m
	}
	return least, more
}

func (a argument) length() (least int, more bool) {
	switch a.kind {
	case oneOf:
		least, more = a.parts[0].length()
		for _, part := range a.parts[1:] {
			n, m := part.length()
			more = more || m || n != least
			least = min(least, n)
		}
	case block:
		least, more = length(a.parts)
	case pureToken:
		least = 0 // the token is counted below
	default:
		least = 1
	}
	if a.token != "" {
		least++
	}
	if a.optional {
		return 0, true
	}
	return least, more || a.multiple
}
