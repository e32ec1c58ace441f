package commands

import (
	"fmt"
	"strings"
	"testing"
)

// sketch writes arguments so that a test can be read: name:kind, TOKEN=, ? for
// optional, + for multiple, parts in parentheses.
func sketch(args []argument) string {
	texts := make([]string, len(args))
	for i, a := range args {
		text := a.name + ":" + a.kind
		if len(a.parts) > 0 {
			text = a.kind + "(" + sketch(a.parts) + ")"
		}
		if a.token != "" {
			text = a.token + "=" + text
		}
		if a.optional {
			text += "?"
		}
		if a.multiple {
			text += "+"
		}
		texts[i] = text
	}
	return strings.Join(texts, " ")
}

func TestParseUsage(t *testing.T) {
	tests := []struct {
		usage, want string
		least       int
		more        bool
	}{
		{"", "", 0, false},
		{"key", "key:key", 1, false},
		{"key capacity [cost] [MAXWAIT ms]", "key:key capacity:integer cost:integer? MAXWAIT=ms:integer?", 2, true},
		{"key [key ...]", "key:key+", 1, true},
		{"[section ...]", "section:string?+", 0, true},
		{"parameter value [parameter value ...]", "block(parameter:string value:string)+", 2, true},
		{"ON|OFF", "oneof(ON=on:pure-token OFF=off:pure-token)", 1, false},
		{"[ASYNC|SYNC]", "oneof(ASYNC=async:pure-token SYNC=sync:pure-token)?", 0, true},
		{"SET unix-ms|REAL", "oneof(SET=unix-ms:integer REAL=real:pure-token)", 1, true},
		{"[TYPE <A|B>]", "TYPE=oneof(A=a:pure-token B=b:pure-token)?", 0, true},
		{"[TYPE <A>]", "TYPE=block(A=a:pure-token)?", 0, true},
		{"[a [B b] [C c d]]", "block(a:string B=b:string? block(C=c:string d:string)?)?", 0, true},
		{"addr|<ID client-id|SKIPME <YES|NO> ...>",
			"oneof(addr:string oneof(ID=client-id:integer SKIPME=oneof(YES=yes:pure-token NO=no:pure-token))+)", 1, true},
		{"key <command ...> [AND key <command ...>]...", "key:key command:string+ block(AND=key:key command:string+)?+", 2, true},
		{"word...", "word:string+", 1, true},
		{"a b [b ...]", "a:string b:string+", 2, true},
		{"a [b ...]", "a:string b:string?+", 1, true},
	}
	for _, test := range tests {
		t.Run(test.usage, func(t *testing.T) {
			args := parseUsage(test.usage)
			if got := sketch(args); got != test.want {
				t.Errorf("\n got %s\nwant %s", got, test.want)
			}
			if least, more := length(args); least != test.least || more != test.more {
				t.Errorf("at least %d, more %t", least, more)
			}
		})
	}
}

func TestWrongUsagesAreBugs(t *testing.T) {
	for _, usage := range []string{"[a", "a]", "<a", "[]", "<>", "[a>", "a ... ]", "a |", "|a", "a||b", "..."} {
		t.Run(usage, func(t *testing.T) {
			defer func() {
				if p := recover(); p == nil || !strings.Contains(fmt.Sprint(p), usage) {
					t.Errorf("%v", p)
				}
			}()
			t.Errorf("%s", sketch(parseUsage(usage)))
		})
	}
}
