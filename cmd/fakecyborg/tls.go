package main

import (
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"strings"
)

// scheme is that of the URLs which this fake serves.
func (s *settings) scheme() string {
	if s.tlsCAFile != "" || s.tlsCert != "" {
		return "https"
	}
	return "http"
}

// ownCertificate reads that of -tls-cert and -tls-key, nil for none.
func (s *settings) ownCertificate() (*tls.Certificate, error) {
	if s.tlsCert == "" {
		return nil, nil
	}
	certificate, err := tls.LoadX509KeyPair(s.tlsCert, s.tlsKey)
	if err != nil {
		return nil, fmt.Errorf("-tls-cert %s with -tls-key %s: %w", s.tlsCert, s.tlsKey, err)
	}
	return &certificate, nil
}

// secure adds TLS to a listener if the flags ask for it, with the certificate of one's
// own or one that is made. The CA of that one is written to the file that the flags name.
func (s *settings) secure(listener net.Listener, own *tls.Certificate) (net.Listener, error) {
	if s.scheme() == "http" {
		return listener, nil
	}
	if own == nil {
		made, err := s.makeCertificate()
		if err != nil {
			return nil, err
		}
		own = &made
	}
	return tls.NewListener(listener, &tls.Config{
		Certificates: []tls.Certificate{*own}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
	}), nil
}

func (s *settings) makeCertificate() (tls.Certificate, error) {
	certificate, ca, err := newCertificate(s.certificateNames())
	if err != nil {
		return tls.Certificate{}, err
	}
	if err := replaceFile(s.tlsCAFile, ca, everybodyReads); err != nil {
		return tls.Certificate{}, fmt.Errorf("-tls-ca-file %s: %w", s.tlsCAFile, err)
	}
	return certificate, nil
}

// certificateNames are the names and addresses by which clients may call this
// fake.
func (s *settings) certificateNames() []string {
	names := []string{"localhost", "127.0.0.1", "::1"}
	if host, err := os.Hostname(); err == nil {
		names = append(names, host)
	}
	if s.endpoint.network == "tcp" {
		names = append(names, hostOf(s.endpoint.address))
	}
	for name := range strings.SplitSeq(s.tlsName, ",") {
		names = append(names, strings.TrimSpace(name))
	}
	return names
}
