package main

import (
	"crypto/tls"
	"fmt"
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

// serverTLS is how to serve TLS, nil for not at all. A CA that is made writes its
// certificate to the file that the flags name.
func (s *settings) serverTLS() (*tls.Config, error) {
	var certificate tls.Certificate
	var err error
	switch {
	case s.tlsCert != "":
		certificate, err = tls.LoadX509KeyPair(s.tlsCert, s.tlsKey)
		if err != nil {
			err = fmt.Errorf("-tls-cert %s with -tls-key %s: %w", s.tlsCert, s.tlsKey, err)
		}
	case s.tlsCAFile != "":
		certificate, err = s.makeCertificate()
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}, nil
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
