package simulator

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"path/filepath"
	"time"
)

// An Enterprise Server mostly stands behind a certificate authority of its
// company, which no machine trusts by itself.

// caName is where the authority's certificate lies under Root.
const caName = "ca.pem"

// certify makes a certificate authority and a certificate of this machine that it
// signed. Both live as long as the process: nobody keeps the authority's key.
func (s *Server) certify() (*tls.Config, error) {
	now := s.now()
	template := func(name string, serial int64) *x509.Certificate {
		return &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name}, NotBefore: now.Add(-24 * time.Hour),
			NotAfter: now.Add(30 * 24 * time.Hour), BasicConstraintsValid: true}
	}
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a certificate authority: %w", err)
	}
	ca := template("simulator authority", 1)
	ca.IsCA, ca.KeyUsage = true, x509.KeyUsageCertSign
	rawCA, err := x509.CreateCertificate(rand.Reader, ca, ca, &caKey.PublicKey, caKey)
	if err != nil {
		return nil, fmt.Errorf("making a certificate authority: %w", err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a certificate: %w", err)
	}
	leaf := template("simulator", 2)
	leaf.KeyUsage, leaf.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	leaf.DNSNames, leaf.IPAddresses = []string{"localhost"}, []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	raw, err := x509.CreateCertificate(rand.Reader, leaf, ca, &key.PublicKey, caKey)
	if err != nil {
		return nil, fmt.Errorf("making a certificate: %w", err)
	}
	if err := writeFile(s.CAFile(), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: rawCA}), 0o644); err != nil {
		return nil, fmt.Errorf("writing the authority's certificate: %w", err)
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{{Certificate: [][]byte{raw}, PrivateKey: key}}}, nil
}

// CAFile is the certificate of the authority that signs for an Enterprise Server.
func (s *Server) CAFile() string { return filepath.Join(s.cfg.Root, caName) }
