package server

import (
	"strings"
	"testing"

	"github.com/tidwall/redcon"
)

// withoutErrors is replies with every error that is not of the protocol as -E: what
// a command says of its arguments is not the reader's business.
func withoutErrors(t testing.TB, replies string) string {
	var b strings.Builder
	for rest := replies; rest != ""; {
		n, reply := redcon.ReadNextRESP([]byte(rest))
		if n == 0 {
			t.Fatalf("no reply begins %.100q", rest)
		}
		if reply.Type == redcon.Error && !strings.HasPrefix(rest, "-ERR Protocol error: ") {
			b.WriteString("-E\r\n")
		} else {
			b.WriteString(rest[:n])
		}
		rest = rest[n:]
	}
	return b.String()
}
