package server

import (
	"crypto/tls"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"sluice/commands"
	"sluice/commands/config"
)

// Who may come in, by what the server asks for and what the client shows.
func TestTLSClientCertificates(t *testing.T) {
	shows := map[string]func(t *testing.T, ours, others *vault) []tls.Certificate{
		"nothing": func(*testing.T, *vault, *vault) []tls.Certificate { return nil },
		"right":   func(t *testing.T, ours, _ *vault) []tls.Certificate { return []tls.Certificate{ours.issue(t, "c")} },
		"wrong":   func(t *testing.T, _, others *vault) []tls.Certificate { return []tls.Certificate{others.issue(t, "c")} },
		"expired": func(t *testing.T, ours, _ *vault) []tls.Certificate {
			pair, err := ours.Issue("c", time.Now().Add(-time.Minute))
			if err != nil {
				t.Fatal(err)
			}
			return []tls.Certificate{keyPair(t, pair)}
		},
	}
	lets := map[string]string{"no": "nothing right wrong expired", "optional": "nothing right", "yes": "right"}
	paths(t, func(t *testing.T, service *commands.Service, v *vault) {
		_, addr := overTLS(t, service)
		others := newVault(t)
		for mode, in := range lets {
			if err := service.Config.Set("tls-auth-clients", mode); err != nil {
				t.Fatal(err)
			}
			for what, certificates := range shows {
				for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
					cfg := v.trusts()
					cfg.MinVersion, cfg.MaxVersion = version, version
					shown := certificates(t, v, others)
					cfg.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
						if shown == nil {
							return &tls.Certificate{}, nil
						}
						return &shown[0], nil // also one that the server did not ask for
					}
					if got, want := comesIn(addr.String(), cfg), strings.Contains(" "+in+" ", " "+what+" "); got != want {
						t.Errorf("tls-auth-clients %s, %x: %s comes in: %v", mode, version, what, got)
					}
				}
			}
		}
	})
}

// comesIn says whether a client can say something.
func comesIn(addr string, cfg *tls.Config) bool {
	nc, err := tls.Dial("tcp", addr, cfg)
	if err != nil {
		return false
	}
	defer nc.Close()
	_, _ = io.WriteString(nc, ping)
	answer := make([]byte, 5)
	_, err = io.ReadFull(nc, answer)
	return err == nil && string(answer) == "+PONG"
}

// What can't be used says which option it is about.
func TestTLSFilesThatCannotBeUsed(t *testing.T) {
	v, other := newVault(t), newVault(t)
	junk, missing := v.dir+"/junk", v.dir+"/missing"
	if err := os.WriteFile(junk, []byte("junk"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ cert, key, ca, auth, want string }{
		{"", v.Key, v.CA, "yes", "tls-cert-file must name a file"},
		{v.Cert, "", v.CA, "yes", "tls-key-file must name a file"},
		{v.Cert, v.Key, "", "yes", "tls-ca-cert-file must name the authorities"},
		{v.Cert, v.Key, "", "optional", "since tls-auth-clients is optional"},
		{missing, v.Key, v.CA, "yes", "tls-cert-file: open " + missing},
		{v.Cert, missing, v.CA, "yes", "tls-key-file: open " + missing},
		{v.Cert, v.Key, missing, "yes", "tls-ca-cert-file: open " + missing},
		{junk, v.Key, v.CA, "yes", "tls-cert-file " + junk + " and tls-key-file"},
		{v.Cert, other.Key, v.CA, "yes", "can't be used: tls: private key does not match"},
		{v.Cert, v.Key, junk, "yes", "tls-ca-cert-file: there is no certificate in PEM in"},
		{v.Cert, v.Key, "", "no", ""},
		{v.Cert, v.Key, missing, "no", ""},
	} {
		cfg := config.New()
		for name, text := range map[string]string{"tls-cert-file": test.cert, "tls-key-file": test.key,
			"tls-ca-cert-file": test.ca, "tls-auth-clients": test.auth} {
			if err := cfg.Start(name, text); err != nil {
				t.Fatal(err)
			}
		}
		_, err := readMaterial(cfg)
		if test.want == "" {
			if err != nil {
				t.Errorf("%+v: %v", test, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v", test, err)
		}
	}
}

// A server that can't speak TLS does not start, and holds no port.
func TestTLSRefusesToStart(t *testing.T) {
	port := freePort(t)
	for range 2 {
		_, err := New(newService(t, "port", "0", "tls-port", port))
		if err == nil || !strings.Contains(err.Error(), "tls-cert-file must name a file") {
			t.Error(err)
		}
	}
}

// CONFIG SET has new clients meet new certificates, one that can't be used changes
// nothing, and who is connected stays.
func TestTLSReload(t *testing.T) {
	paths(t, func(t *testing.T, service *commands.Service, v *vault) {
		_, addr := overTLS(t, service)
		old, next := dialTLS(t, addr, v.trusts()), newVault(t)
		for _, test := range []struct {
			say  []string
			want string
			then *vault // whose clients come in after that
		}{
			{[]string{"tls-cert-file", next.Cert}, "-ERR CONFIG SET failed", v},
			{[]string{"tls-key-file", next.Key, "maxclients", "7"}, "-ERR CONFIG SET failed", v},
			{[]string{"tls-cert-file", next.dir, "tls-key-file", next.Key}, "-ERR CONFIG SET failed", v},
			{[]string{"tls-auth-clients", "yes", "tls-ca-cert-file", ""}, "-ERR CONFIG SET failed", v},
			{[]string{"tls-port", "1"}, "-ERR CONFIG SET failed", v},
			{[]string{"tls-cert-file", next.Cert, "tls-key-file", next.Key}, "+OK", next},
			{[]string{"tls-key-file", v.Key, "tls-cert-file", v.Cert}, "+OK", v},
		} {
			if got := old.ask(append([]string{"CONFIG", "SET"}, test.say...)...); !strings.HasPrefix(got, test.want) {
				t.Errorf("%q: %s", test.say, got)
			}
			for _, from := range []*vault{v, next} {
				if comes := comesIn(addr.String(), from.trusts()); comes != (from == test.then) {
					t.Errorf("after %q: comes in %v", test.say, comes)
				}
			}
		}
		if n := service.Config.Number(config.MaxClients); n != 10000 {
			t.Errorf("maxclients became %d", n)
		}
	})
}

// A client refuses a server whose certificate has expired, and the server lives on.
func TestTLSExpiredServer(t *testing.T) {
	v := newVault(t)
	pair, err := v.Issue("late", time.Now().Add(-time.Minute), "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	if err := pair.Save(v.Cert, v.Key); err != nil {
		t.Fatal(err)
	}
	_, addr := overTLS(t, newService(t, v.options()...))
	if _, err := tls.Dial("tcp", addr.String(), v.trusts()); err == nil || !strings.Contains(err.Error(), "expired") {
		t.Error(err)
	}
	if !comesIn(addr.String(), &tls.Config{InsecureSkipVerify: true}) {
		t.Error("who does not look can't come in")
	}
}
