// Package pki makes certificate authorities and certificates for tests and
// measurements. It is nothing to run a service with: keys lie about in files, and
// nobody asks what has become of them.
package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"time"
)

// An Authority is one whose certificates others trust.
type Authority struct {
	PEM []byte // its own certificate

	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// NewAuthority makes an authority.
func NewAuthority(name string) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: number(), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	return &Authority{PEM: encode("CERTIFICATE", der), certificate: certificate, key: key}, err
}

// Pool is what trusts the authority and nobody else.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return pool
}

// A Pair is a certificate and its key, in PEM.
type Pair struct{ Cert, Key []byte }

// Issue makes a certificate that servers at the hosts, and clients, can show until it
// expires.
func (a *Authority) Issue(name string, expires time.Time, hosts ...string) (p Pair, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return p, err
	}
	template := &x509.Certificate{
		SerialNumber: number(), Subject: pkix.Name{CommonName: name},
		NotBefore: expires.Add(-24 * time.Hour), NotAfter: expires,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return p, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	return Pair{encode("CERTIFICATE", der), encode("PRIVATE KEY", secret)}, err
}

// TLS is the pair as crypto/tls wants it.
func (p Pair) TLS() (tls.Certificate, error) { return tls.X509KeyPair(p.Cert, p.Key) }

// Save writes the pair to two files.
func (p Pair) Save(certFile, keyFile string) error {
	if err := os.WriteFile(certFile, p.Cert, 0o600); err != nil {
		return err
	}
	return os.WriteFile(keyFile, p.Key, 0o600)
}

// Files are those of an authority and of a certificate that it issued, in a folder, as
// a server is told of them.
type Files struct{ CA, Cert, Key string }

// Local makes an authority and a certificate for this machine, and writes them to a
// folder.
func Local(dir string) (a *Authority, f Files, err error) {
	f = Files{dir + "/ca.crt", dir + "/tls.crt", dir + "/tls.key"}
	if a, err = NewAuthority("of one machine"); err != nil {
		return nil, f, err
	}
	pair, err := a.Issue("localhost", time.Now().Add(12*time.Hour), "localhost", "127.0.0.1", "::1")
	if err != nil {
		return nil, f, err
	}
	if err := os.WriteFile(f.CA, a.PEM, 0o600); err != nil {
		return nil, f, err
	}
	return a, f, pair.Save(f.Cert, f.Key)
}

func number() *big.Int {
	n, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 100))
	if err != nil {
		panic("pki: the system has no randomness: " + err.Error())
	}
	return n
}

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
