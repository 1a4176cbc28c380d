package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// maxSecret is how long a file with a secret may be.
const maxSecret = 64 << 10

// ErrExposed says that everybody on the machine can read or change a file with a secret.
var ErrExposed = errors.New("everybody can read or change this file with a secret: chmod o-rw it")

// Secret returns what is in a file with a secret, without blanks around it. It refuses a file that everybody can read or
// change, with an error that wraps ErrExposed, and one that is empty. No error shows what is in it.
func Secret(path string) (string, error) {
	file, err := os.Open(path) //nolint:gosec // whoever runs the pool names the file
	if err != nil {
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return "", err
	case info.IsDir():
		return "", fmt.Errorf("%s: it is a folder, not a file with a secret", path)
	case info.Mode().Perm()&0o006 != 0:
		return "", fmt.Errorf("%s: mode %04o: %w", path, info.Mode().Perm(), ErrExposed)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxSecret+1))
	if err != nil {
		return "", err
	}
	secret := strings.TrimSpace(string(text))
	if secret == "" || len(text) > maxSecret {
		return "", fmt.Errorf("%s: the file with a secret has %d bytes; it may have 1 to %d", path, len(text), maxSecret)
	}
	return secret, nil
}

// CheckFiles reads each file that the configuration names and that must be there at the start. Its errors name file, line
// and key of the configuration.
func (c *Config) CheckFiles() error {
	f := &faults{}
	secret := func(path string, at ...any) {
		if path != "" {
			_, err := Secret(path)
			f.wrong(err, at...)
		}
	}
	secret(c.HTTP.TokenFile, "http", "token_file")
	secret(c.Quota.TokenFile, "quota", "token_file")
	secret(c.JoinTokenFile, "join_token_file")
	c.HTTP.TLS.checkFiles(f, "http", "tls")
	c.Quota.TLS.checkFiles(f, "quota", "tls")
	for i, cloud := range c.Clouds {
		if cloud.OpenNebula != nil {
			secret(cloud.OpenNebula.AuthFile, "clouds", i, "opennebula", "auth_file")
		}
		if cloud.Exec != nil {
			_, err := cloud.Exec.Environment()
			f.wrong(err, "clouds", i, "exec", "env_file")
		}
	}
	if err := f.err(); err != nil {
		return located(c.name, c.root, err)
	}
	return nil
}
