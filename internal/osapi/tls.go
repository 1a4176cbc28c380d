package osapi

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// tlsConfig reads verify, cacert, cert and key. It is nil when none is there.
func (e cloudEntry) tlsConfig() (*tls.Config, error) {
	verify, err := e.verify()
	if err != nil {
		return nil, err
	}
	ca, cert, key := e.text("cacert"), e.text("cert"), e.text("key")
	if verify && ca == "" && cert == "" && key == "" {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: !verify} //nolint:gosec // the operator says so
	if config.RootCAs, err = certPool(ca); err != nil {
		return nil, err
	}
	config.Certificates, err = clientCertificates(cert, key)
	return config, err
}

// verify reads verify and its opposite, insecure, which goes over it as in
// openstacksdk.
func (e cloudEntry) verify() (bool, error) {
	verify, ok := truth(cmp.Or(e.text("verify"), "true"))
	if !ok {
		return false, errors.New("verify is neither true nor false")
	}
	insecure, ok := truth(cmp.Or(e.text("insecure"), "false"))
	if !ok {
		return false, errors.New("insecure is neither true nor false")
	}
	return verify && !insecure, nil
}

// truth reads the words that YAML 1.1, which Python reads, has for true and
// false.
func truth(text string) (value, ok bool) {
	switch strings.ToLower(text) {
	case "true", "yes", "on", "1":
		return true, true
	case "false", "no", "off", "0":
		return false, true
	}
	return false, false
}

// certPool is nil, the system's own, without a path.
func certPool(path string) (*x509.CertPool, error) {
	if path == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(expandHome(path))
	if err != nil {
		return nil, fmt.Errorf("cacert: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("cacert: %s holds no certificate in PEM form", path)
	}
	return pool, nil
}

func clientCertificates(cert, key string) ([]tls.Certificate, error) {
	switch {
	case cert == "" && key == "":
		return nil, nil
	case cert == "" || key == "":
		return nil, errors.New("cert and key must be given together")
	}
	pair, err := tls.LoadX509KeyPair(expandHome(cert), expandHome(key))
	if err != nil {
		return nil, fmt.Errorf("client certificate: %w", err)
	}
	return []tls.Certificate{pair}, nil
}

func expandHome(path string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	if home, err := os.UserHomeDir(); ok && err == nil {
		return filepath.Join(home, rest)
	}
	return path
}
