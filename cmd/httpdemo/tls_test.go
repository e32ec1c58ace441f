package main

import (
	"net/http"
	"testing"

	"sluice/cmd/internal/program"
	"sluice/server/pki"
)

// TestStoreTLS has demos ask their server over TLS. One that trusts its authority shares
// the limit; one that does not, and one that shows no certificate where one is asked for,
// is left to what it does without a store.
func TestStoreTLS(t *testing.T) {
	_, files, err := pki.Local(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	server := startServer(t, "--port", program.FreePort(t), "--tls-port", program.FreePort(t), "--requirepass", "secret",
		"--tls-cert-file", files.Cert, "--tls-key-file", files.Key, "--tls-ca-cert-file", files.CA, "--tls-auth-clients", "no")
	safe := server.Log.Wait(t, `msg=ready network=tls address=(\S+)`)[1]
	env := []string{"STORE_TLS=yes", "STORE_ADDR=" + safe, "STORE_PASSWORD=secret", "STORE_TIMEOUT=10s",
		"ALGORITHM=fixed-window", "LIMIT=3", "WINDOW=366d", "ON_STORE_FAILURE=closed"}
	trusting := startDemos(t, 2, append(env, "SSL_CERT_FILE="+files.CA)...)
	for i := range 6 {
		want := http.StatusOK
		if i >= 3 {
			want = http.StatusTooManyRequests
		}
		if got := trusting[i%2].get(t, "/limited"); got.status != want {
			t.Errorf("request %d: %d, want %d\n%s", i, got.status, want, trusting[i%2].Log)
		}
	}
	wary := startDemo(t, env...)
	if got := wary.get(t, "/limited"); got.status != http.StatusServiceUnavailable {
		t.Errorf("a demo that does not trust the server answers %d", got.status)
	}
	hand := server.client(t, "secret")
	server.do(t, hand, "CONFIG", "SET", "tls-auth-clients", "yes")
	nameless := startDemo(t, append(env, "SSL_CERT_FILE="+files.CA)...)
	if got := nameless.get(t, "/limited"); got.status != http.StatusServiceUnavailable {
		t.Errorf("a demo without a certificate is answered %d", got.status)
	}
}
