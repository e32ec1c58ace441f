package server

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"

	"sluice/commands/config"
)

// readMaterial is how TLS is spoken with clients, from the files that the config names,
// or a sentence that says which option is to be mended. What a client and we can
// agree on (versions, ciphers) is Go's choice: TLS 1.2 and 1.3.
func readMaterial(cfg *config.Config) (*tls.Config, error) {
	certificate, err := readCertificate(cfg.String(config.TLSCertFile), cfg.String(config.TLSKeyFile))
	if err != nil {
		return nil, err
	}
	t := &tls.Config{
		Certificates: []tls.Certificate{certificate},
		// Small records first, to be readable before more has come, are for web pages.
		// A reply is short or is wanted as a whole.
		DynamicRecordSizingDisabled: true,
	}
	switch ask := cfg.String(config.TLSAuthClients); ask {
	case "no":
		return t, nil
	case "optional":
		t.ClientAuth = tls.VerifyClientCertIfGiven
	default:
		t.ClientAuth = tls.RequireAndVerifyClientCert
	}
	t.ClientCAs, err = readAuthorities(cfg.String(config.TLSCAFile), cfg.String(config.TLSAuthClients))
	return t, err
}

func readCertificate(certFile, keyFile string) (none tls.Certificate, err error) {
	cert, err := readPEM(config.TLSCertFile, certFile)
	if err != nil {
		return none, err
	}
	key, err := readPEM(config.TLSKeyFile, keyFile)
	if err != nil {
		return none, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return none, fmt.Errorf("%s %s and %s %s can't be used: %w", config.TLSCertFile, certFile, config.TLSKeyFile, keyFile, err)
	}
	return pair, nil
}

func readAuthorities(file, ask string) (*x509.CertPool, error) {
	if file == "" {
		return nil, fmt.Errorf("%s must name the authorities that clients' certificates come from, since %s is %s; "+
			"where clients have no certificates, set it to no", config.TLSCAFile, config.TLSAuthClients, ask)
	}
	text, err := readPEM(config.TLSCAFile, file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s: there is no certificate in PEM in %s", config.TLSCAFile, file)
	}
	return pool, nil
}

func readPEM(option config.Name, file string) ([]byte, error) {
	if file == "" {
		return nil, fmt.Errorf("%s must name a file, since there is a %s", option, config.TLSPort)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", option, err)
	}
	return text, nil
}

// speakTLS reads what TLS needs, now and whenever the config changes. Connections keep
// what they began with. Files that can't be used change nothing.
func (s *Server) speakTLS() error {
	read := func() error {
		material, err := readMaterial(s.service.Config)
		if err == nil {
			s.material.Store(material)
		}
		return err
	}
	for _, option := range []config.Name{config.TLSCertFile, config.TLSKeyFile, config.TLSCAFile, config.TLSAuthClients} {
		s.service.Config.Try(option, read)
	}
	return read()
}
