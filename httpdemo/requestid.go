package httpdemo

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"strings"
)

// requestID keeps the id that a request came with, so that its way can be followed
// through several services, if it is one that logs and headers can carry.
func requestID(r *http.Request) string {
	if outer := exchangeOf(r.Context()); outer != nil {
		return outer.requestID
	}
	if id := r.Header.Get("X-Request-Id"); sane(id) {
		return id
	}
	var raw [16]byte
	_, _ = rand.Read(raw[:]) // it never fails: crypto/rand ends the process instead
	return hex.EncodeToString(raw[:])
}

func sane(id string) bool {
	for i := range len(id) {
		if c := id[i]; !isAlphanumeric(c) && !strings.ContainsRune("-_.:/+=@~", rune(c)) {
			return false
		}
	}
	return len(id) >= 1 && len(id) <= 128
}
