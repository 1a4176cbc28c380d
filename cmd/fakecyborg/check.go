package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

// checkTimeout is how long the answer to -check may take.
const checkTimeout = 5 * time.Second

// checkHealth asks the fake at the URL of -check whether it is ready. A CA that
// made its own certificate is trusted when -tls-ca-file names it.
func checkHealth(ctx context.Context, s settings) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	transport := &http.Transport{DisableKeepAlives: true}
	base := strings.TrimRight(s.check, "/")
	if path, isSocket := strings.CutPrefix(s.check, unixPrefix); isSocket {
		base = s.scheme() + "://localhost"
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", path)
		}
	}
	if s.tlsCAFile != "" {
		pool, err := readPool(s.tlsCAFile)
		if err != nil {
			return err
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+healthPath, http.NoBody) //nolint:gosec // the user names the URL
	if err != nil {
		return err
	}
	response, err := (&http.Client{Transport: transport}).Do(request) //nolint:gosec // the user names the URL
	if err != nil {
		return s.orAuthority(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
	if err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s %s", base+healthPath, response.Status, strings.Join(strings.Fields(string(text)), " "))
	}
	return nil
}

// orAuthority says what to do about a certificate of an authority that is not known.
func (s *settings) orAuthority(err error) error {
	if _, unknown := errors.AsType[x509.UnknownAuthorityError](err); !unknown {
		return err
	}
	if s.tlsCAFile != "" {
		return fmt.Errorf("%w: it is not the one of -tls-ca-file %s", err, s.tlsCAFile)
	}
	return fmt.Errorf("%w: add -tls-ca-file with the file that the fake has written", err)
}

func readPool(path string) (*x509.CertPool, error) {
	text, err := os.ReadFile(path) //nolint:gosec // the user names the file
	if err != nil {
		return nil, fmt.Errorf("-tls-ca-file: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("-tls-ca-file %s: there is no certificate in it", path)
	}
	return pool, nil
}
