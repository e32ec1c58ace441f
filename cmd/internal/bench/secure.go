package bench

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"

	"sluice/server/pki"
)

// TLSFiles is how a server is to be trusted, and what is shown to it, as redis-cli is
// told.
type TLSFiles struct {
	CA, Cert, Key string
	Insecure      bool // any server is trusted
}

// Config reads the files.
func (f TLSFiles) Config() (*tls.Config, error) {
	t := &tls.Config{InsecureSkipVerify: f.Insecure}
	if f.CA != "" {
		text, err := os.ReadFile(f.CA)
		if err != nil {
			return nil, err
		}
		t.RootCAs = x509.NewCertPool()
		if !t.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("there is no certificate in PEM in %s", f.CA)
		}
	}
	if (f.Cert == "") != (f.Key == "") {
		return nil, errors.New("a certificate needs its key, and a key its certificate")
	}
	if f.Cert != "" {
		pair, err := tls.LoadX509KeyPair(f.Cert, f.Key)
		if err != nil {
			return nil, err
		}
		t.Certificates = []tls.Certificate{pair}
	}
	return t, nil
}

// localTLS makes certificates for servers of this machine in a new folder, and what
// trusts them.
func localTLS(dir string) (pki.Files, *tls.Config, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return pki.Files{}, nil, err
	}
	authority, files, err := pki.Local(dir)
	if err != nil {
		return files, nil, err
	}
	return files, &tls.Config{RootCAs: authority.Pool()}, nil
}

// A wire is what a tls.Conn reads and writes: a connection at first, and once a loop
// has it a file that does not wait. A read that finds nothing then says EAGAIN, after
// which a tls.Conn goes on where it was; what a write leaves over is kept.
type wire struct {
	net.Conn
	file interface { // nil at first
		Read(b []byte) (int, error)
		Write(b []byte) (int, error)
	}
	dry  bool // the last read has left nothing
	kept []byte
}

func (w *wire) Read(b []byte) (int, error) {
	if w.file == nil {
		return w.Conn.Read(b)
	}
	if w.dry {
		return 0, syscall.EAGAIN
	}
	n, err := w.file.Read(b)
	w.dry = n < len(b)
	return n, err
}

func (w *wire) Write(b []byte) (int, error) {
	if w.file == nil {
		return w.Conn.Write(b)
	}
	w.kept = append(w.kept, b...)
	return len(b), w.drain()
}

// drain writes what is kept, as far as that goes.
func (w *wire) drain() error {
	if len(w.kept) == 0 {
		return nil
	}
	n, err := w.file.Write(w.kept)
	w.kept = w.kept[:copy(w.kept, w.kept[n:])]
	return err
}

// secure is TLS on a connection.
type secure struct {
	*tls.Conn
	wire *wire
}

// secured shakes hands. Who the server is to be is in its address, if not in cfg.
func secured(conn net.Conn, addr string, cfg *tls.Config) (*secure, error) {
	cfg = cfg.Clone()
	cfg.DynamicRecordSizingDisabled = true // a batch is to be one record, if it fits
	if host, _, err := net.SplitHostPort(addr); err == nil && cfg.ServerName == "" {
		cfg.ServerName = host
	}
	w := &wire{Conn: conn}
	s := &secure{tls.Client(w, cfg), w}
	if err := s.Handshake(); err != nil {
		return nil, fmt.Errorf("TLS: %w", err)
	}
	return s, nil
}
