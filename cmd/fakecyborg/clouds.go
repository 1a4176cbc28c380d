package main

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"time"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/minikeystone"
)

// minTokenLife is the least value of -token-life.
const minTokenLife = time.Second

// miniKeystone are the options of the mini Keystone: its users, and where the
// services are that its catalog names.
func (s *settings) miniKeystone(logger *slog.Logger) ([]minikeystone.Option, error) {
	opts := []minikeystone.Option{minikeystone.WithTokenLife(s.tokenLife)}
	if s.place == fakecyborg.MountBare {
		opts = append(opts, minikeystone.WithService("accelerator", "cyborg", "/"))
	}
	if s.placement == embedded {
		opts = append(opts, minikeystone.WithService("placement", "placement", embeddedPath))
	} else if s.placement != "" {
		opts = append(opts, minikeystone.WithService("placement", "placement", s.placement))
	}
	if s.nova != "" {
		opts = append(opts, minikeystone.WithService("compute", "nova", s.nova))
	}
	switch s.tokens {
	case "":
		return opts, nil
	case preset:
		users, err := fakecyborg.PresetTokens(preset)
		return append(opts, minikeystone.WithUsers(users)), err
	}
	users, err := fakecyborg.ReadTokens(s.tokens)
	if err != nil {
		return nil, err
	}
	for _, odd := range users.Oddities() {
		logger.Warn("tokens", "odd", odd)
	}
	return append(opts, minikeystone.WithUsers(users)), nil
}

// announceClouds writes the clouds.yaml of the mini Keystone to the file of
// -clouds-file and prints it. Passwords are printed when everybody knows them, not
// when they are those of the user's own file. Of a socket there is no clouds.yaml.
func announceClouds(stdout io.Writer, s settings, identity *minikeystone.Server, address net.Addr, base string) error {
	switch {
	case identity == nil:
		return nil
	case address.Network() == "unix":
		_, err := fmt.Fprintln(stdout, "# no clouds.yaml: what reads one cannot call a socket")
		return err
	}
	ca, err := absolute(s.tlsCAFile)
	if err != nil {
		return err
	}
	like := minikeystone.Clouds{URL: base, CACert: ca}
	if s.cloudsFile != "" {
		text, err := identity.YAML(like)
		if err != nil {
			return err
		}
		if err := replaceFile(s.cloudsFile, text, 0o600); err != nil {
			return fmt.Errorf("-clouds-file: %w", err)
		}
	}
	like.WithoutSecrets = s.tokens != "" && s.tokens != preset
	text, err := identity.YAML(like)
	if err != nil {
		return err
	}
	if like.WithoutSecrets {
		fmt.Fprintf(stdout, "# clouds.yaml; passwords are in %s, -clouds-file FILE writes them too\n", s.tokens)
	} else {
		fmt.Fprintln(stdout, "# clouds.yaml")
	}
	_, err = stdout.Write(text)
	return err
}

// absolute lets a file be found from everywhere; no file stays none.
func absolute(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	return filepath.Abs(path)
}
