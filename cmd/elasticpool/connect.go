package main

import (
	"cmp"
	"crypto/tls"
	"flag"
	"fmt"
	"path/filepath"

	"github.com/novacyborg/novacyborg/elasticpool/config"
	"github.com/novacyborg/novacyborg/elasticpool/console"
)

// socketName is the control socket's name in the pool's state directory.
const socketName = "control.sock"

// connection is how a running pool is found.
type connection struct {
	config, socket, url, tokenFile string
	caFile, certFile, keyFile      string
}

func (c *connection) define(flags *flag.FlagSet) {
	flags.StringVar(&c.config, "config", "", "configuration `file` of the pool")
	flags.StringVar(&c.socket, "socket", "", "control socket, a `path`; without it that of the configuration")
	flags.StringVar(&c.url, "url", "", "HTTP address of the pool, a `URL`, instead of its socket")
	flags.StringVar(&c.tokenFile, "token-file", "", "`file` with the token for -url")
	flags.StringVar(&c.caFile, "ca-file", "", "`file` with the CA of an https -url; without it those of the system")
	flags.StringVar(&c.certFile, "cert-file", "", "`file` with the certificate that -url asks for")
	flags.StringVar(&c.keyFile, "key-file", "", "`file` with the key of that certificate")
}

// client returns a client of the running pool.
func (c *connection) client(p *program) (*console.Client, error) {
	if c.url != "" {
		token, err := readToken(c.tokenFile)
		if err != nil {
			return nil, err
		}
		secure, err := c.tls()
		return console.NewClient(c.url, token, secure), err
	}
	if c.socket == "" {
		loaded, err := loadConfig(p, c.config)
		if err != nil {
			return nil, err
		}
		c.socket = filepath.Join(loaded.State, socketName)
	}
	return console.NewSocketClient(c.socket), nil
}

// tls returns how the client speaks TLS.
func (c *connection) tls() (*tls.Config, error) {
	if (c.certFile == "") != (c.keyFile == "") {
		return nil, fmt.Errorf("%w: -cert-file and -key-file go together", errUsage)
	}
	secure := &tls.Config{MinVersion: tls.VersionTLS12}
	var err error
	if c.caFile != "" {
		if secure.RootCAs, err = config.Certificates(c.caFile); err != nil {
			return nil, err
		}
	}
	if c.certFile != "" {
		certificate, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
		if err != nil {
			return nil, fmt.Errorf("-cert-file %s with -key-file %s: %w", c.certFile, c.keyFile, err)
		}
		secure.Certificates = []tls.Certificate{certificate}
	}
	return secure, nil
}

// loadConfig reads the configuration that the flag or the variable names.
func loadConfig(p *program, path string) (*config.Config, error) {
	path = cmp.Or(path, p.environ("ELASTICPOOL_CONFIG"))
	if path == "" {
		return nil, fmt.Errorf("%w: say which pool: -config FILE, or the variable ELASTICPOOL_CONFIG", errUsage)
	}
	return config.Load(path)
}

// readToken reads a secret from a file; no file, no secret.
func readToken(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	return config.Secret(path)
}
