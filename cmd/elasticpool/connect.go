package main

import (
	"cmp"
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
}

func (c *connection) define(flags *flag.FlagSet) {
	flags.StringVar(&c.config, "config", "", "configuration `file` of the pool")
	flags.StringVar(&c.socket, "socket", "", "control socket, a `path`; without it that of the configuration")
	flags.StringVar(&c.url, "url", "", "HTTP address of the pool, a `URL`, instead of its socket")
	flags.StringVar(&c.tokenFile, "token-file", "", "`file` with the token for -url")
}

// client returns a client of the running pool.
func (c *connection) client(p *program) (*console.Client, error) {
	if c.url != "" {
		token, err := readToken(c.tokenFile)
		return console.NewClient(c.url, token), err
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
