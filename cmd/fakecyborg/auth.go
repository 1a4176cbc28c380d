package main

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/keystone"
	"github.com/novacyborg/novacyborg/fakecyborg/minikeystone"
)

// authMode is one way to tell callers apart, the same for all that is served.
type authMode struct {
	name string
	// flags are those of [authFlags] that mean something to it.
	flags []string
	// needs is the one of them that it cannot do without, and what it takes; "" for
	// none.
	needs string
	// callers makes what tells callers apart; the mini Keystone is nil elsewhere.
	callers func(ctx context.Context, s settings, logger *slog.Logger) ([]fakecyborg.Option, *minikeystone.Server, error)
}

// authModes are the modes there are; the first is the default. docs/fake-auth.md says
// what they mean.
var authModes = []authMode{
	{name: "none", callers: everybody},
	{name: "tokens", flags: []string{"tokens"}, needs: "tokens FILE", callers: knownByTokens},
	{name: "mini-keystone", flags: []string{"tokens", "token-life", "clouds-file"}, callers: knownByMiniKeystone},
	{name: "keystone", flags: []string{"keystone", "keystone-cloud"}, needs: "keystone URL", callers: knownByKeystone},
}

// authFlags are the flags that only some modes know, with their values.
func authFlags(s settings) map[string]string {
	flags := map[string]string{
		"tokens": s.tokens, "clouds-file": s.cloudsFile, "keystone": s.keystone, "keystone-cloud": s.keystoneCloud,
	}
	if s.given["token-life"] {
		flags["token-life"] = s.tokenLife.String()
	}
	return flags
}

// check refuses flags that the mode does not know, and the want of what it needs.
func (m authMode) check(s settings) error {
	given := authFlags(s)
	if needed, _, needs := strings.Cut(m.needs, " "); needs && given[needed] == "" {
		return fmt.Errorf("-auth %s: add -%s", m.name, m.needs)
	}
	for _, mode := range authModes {
		for _, name := range mode.flags {
			if given[name] != "" && !m.knows(name) {
				return fmt.Errorf("-%s: add -auth %s", name, mode.name)
			}
		}
	}
	if s.tokenLife < minTokenLife {
		return fmt.Errorf("-token-life %s: want %s or more", s.tokenLife, minTokenLife)
	}
	return nil
}

func (m authMode) knows(name string) bool {
	return slices.Contains(m.flags, name)
}

func everybody(context.Context, settings, *slog.Logger) ([]fakecyborg.Option, *minikeystone.Server, error) {
	return nil, nil, nil
}

func knownByTokens(_ context.Context, s settings, _ *slog.Logger) ([]fakecyborg.Option, *minikeystone.Server, error) {
	if s.tokens == preset {
		return []fakecyborg.Option{fakecyborg.WithPresetTokens(preset)}, nil, nil
	}
	return []fakecyborg.Option{fakecyborg.WithTokens(s.tokens)}, nil, nil
}

func knownByMiniKeystone(_ context.Context, s settings, logger *slog.Logger) ([]fakecyborg.Option, *minikeystone.Server, error) {
	opts, err := s.miniKeystone(logger)
	if err != nil {
		return nil, nil, err
	}
	server, err := minikeystone.New(opts...)
	if err != nil {
		return nil, nil, err
	}
	return []fakecyborg.Option{fakecyborg.WithAuthenticator(server)}, server, nil
}

func knownByKeystone(ctx context.Context, s settings, logger *slog.Logger) ([]fakecyborg.Option, *minikeystone.Server, error) {
	opts := []keystone.Option{keystone.WithLogger(logger)}
	if s.keystoneCloud != "" {
		opts = append(opts, keystone.WithCloud(s.keystoneCloud))
	}
	validator, err := keystone.New(ctx, s.keystone, opts...)
	if err != nil {
		return nil, nil, err
	}
	// The account tells Nova of the events too, as a real Cyborg's does.
	return []fakecyborg.Option{
		fakecyborg.WithAuthenticator(validator), fakecyborg.WithNovaTransport(validator.Transport()),
	}, nil, nil
}

// mounts are the values of -mount.
var mounts = map[string]fakecyborg.Mount{"devstack": fakecyborg.MountDevstack, "bare": fakecyborg.MountBare}

// findMount returns the mount of that name.
func findMount(name string) (fakecyborg.Mount, error) {
	mount, known := mounts[name]
	if !known {
		return 0, fmt.Errorf("mount %q: unknown, known are bare, devstack", name)
	}
	return mount, nil
}

// findMode returns the mode of that name; the error lists the known ones.
func findMode(name string) (authMode, error) {
	for _, mode := range authModes {
		if mode.name == name {
			return mode, nil
		}
	}
	return authMode{}, fmt.Errorf("auth %q: unknown, known are %s", name, strings.Join(modeNames(), ", "))
}

func modeNames() []string {
	names := make([]string, 0, len(authModes))
	for _, mode := range authModes {
		names = append(names, mode.name)
	}
	return names
}
