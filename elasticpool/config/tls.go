package config

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
)

// TLS is how a server proves who it is, and lets its clients do so. All files are PEM.
type TLS struct {
	CertFile string `yaml:"cert_file"` // the certificate, and behind it those between it and its CA
	KeyFile  string `yaml:"key_file"`  // of the certificate; nobody else may read it
	// ClientCAFile has the CAs of the clients: who has no certificate of one of them is refused. Empty: nobody is asked.
	ClientCAFile string `yaml:"client_ca_file"`
}

// knowsClients says whether only clients with a certificate are let in.
func (t *TLS) knowsClients() bool { return t != nil && t.ClientCAFile != "" }

// check says what is wrong with the keys; the files are read by CheckFiles and Server.
func (t *TLS) check(f *faults, listen string, at ...any) {
	if t == nil {
		return
	}
	f.that(t.CertFile != "", "name the file with the certificate", under(at, "cert_file")...)
	f.that(t.KeyFile != "", "name the file with the certificate's key", under(at, "key_file")...)
	f.that(listen != "", "TLS is for an address: set listen", at...)
}

// checkFiles reads each file.
func (t *TLS) checkFiles(f *faults, at ...any) {
	if t == nil {
		return
	}
	_, err := t.load()
	f.wrong(err, under(at, "cert_file")...)
	if t.ClientCAFile != "" {
		_, err := Certificates(t.ClientCAFile)
		f.wrong(err, under(at, "client_ca_file")...)
	}
}

// load reads the certificate and its key.
func (t *TLS) load() (*tls.Certificate, error) {
	chain, err := os.ReadFile(t.CertFile)
	if err != nil {
		return nil, err
	}
	key, err := Secret(t.KeyFile)
	if err != nil {
		return nil, err
	}
	certificate, err := tls.X509KeyPair(chain, []byte(key))
	if err != nil {
		return nil, fmt.Errorf("%s with %s: %w", t.CertFile, t.KeyFile, err)
	}
	return &certificate, nil
}

// Server returns what a server needs to speak TLS 1.2 or later; nil for a nil TLS. The certificate and its key are read
// again for each connection, so that new ones count without a restart; as long as they cannot be read the last ones are used, and the
// log tells.
func (t *TLS) Server(logger *slog.Logger) (*tls.Config, error) {
	if t == nil {
		return nil, nil //nolint:nilnil // plain: http.Server and others take nil for it
	}
	last, err := t.load()
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	config := &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		mu.Lock()
		defer mu.Unlock()
		if now, err := t.load(); err == nil {
			last = now
		} else {
			logger.Warn("the certificate from before is used", "error", err)
		}
		return last, nil
	}}
	if t.ClientCAFile != "" {
		config.ClientAuth = tls.RequireAndVerifyClientCert
		config.ClientCAs, err = Certificates(t.ClientCAFile)
	}
	return config, err
}

// Certificates reads a file of CA certificates in PEM.
func Certificates(path string) (*x509.CertPool, error) {
	text, err := os.ReadFile(path) //nolint:gosec // whoever runs the program names the file
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, errors.New(path + ": no certificate in it")
	}
	return pool, nil
}
