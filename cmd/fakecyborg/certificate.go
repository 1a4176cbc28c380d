package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"net"
	"slices"
	"time"
)

// How long a certificate that is made holds, and how far a client's clock may be
// behind.
const (
	certificateLife = 365 * 24 * time.Hour
	clockLag        = 24 * time.Hour
)

// newCertificate makes a CA, and a certificate of it for those names and
// addresses. The CA's key is forgotten; its certificate is returned as PEM.
func newCertificate(names []string) (tls.Certificate, []byte, error) {
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	authority := template("fakecyborg CA")
	authority.IsCA, authority.BasicConstraintsValid, authority.MaxPathLenZero = true, true, true
	authority.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	caDER, err := x509.CreateCertificate(rand.Reader, authority, authority, caKey.Public(), caKey)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	leaf := template("fakecyborg")
	leaf.KeyUsage, leaf.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	addNames(leaf, names)
	leafDER, err := x509.CreateCertificate(rand.Reader, leaf, authority, key.Public(), caKey)
	return tls.Certificate{Certificate: [][]byte{leafDER, caDER}, PrivateKey: key}, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: caDER}), err
}

func template(name string) *x509.Certificate {
	return &x509.Certificate{
		Subject:   pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-clockLag),
		NotAfter:  time.Now().Add(certificateLife),
	}
}

// addNames sorts names from addresses; each is there once.
func addNames(certificate *x509.Certificate, names []string) {
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if ip := net.ParseIP(name); ip != nil {
			certificate.IPAddresses = append(certificate.IPAddresses, ip)
		} else if name != "" {
			certificate.DNSNames = append(certificate.DNSNames, name)
		}
	}
}
