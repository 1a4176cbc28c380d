package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/placement/placementtest"
)

// authMode is one way to tell callers apart, the same for all that is served.
type authMode struct {
	name, meaning string
	// placement sets up the embedded Placement.
	placement []placementtest.Option
	// callers sets up Cyborg.
	callers func(s settings) (fakecyborg.Option, error)
}

// authModes are the modes there are; the first is the default.
var authModes = []authMode{{
	name: "none", meaning: "no token is asked for or looked at, everybody is admin",
	placement: []placementtest.Option{placementtest.WithoutAuth()},
	callers:   everybody,
}, {
	name: "tokens", meaning: "Cyborg knows the tokens of -tokens, the embedded Placement lets everybody in",
	placement: []placementtest.Option{placementtest.WithoutAuth()},
	callers:   knownByTokens,
}}

// preset is the value of -seed and -tokens that asks for the recorded stack.
const preset = "recorded"

func everybody(s settings) (fakecyborg.Option, error) {
	if s.tokens != "" {
		return nil, errors.New("-tokens: add -auth tokens")
	}
	return nil, nil
}

func knownByTokens(s settings) (fakecyborg.Option, error) {
	switch s.tokens {
	case "":
		return nil, errors.New("-auth tokens: add -tokens FILE")
	case preset:
		return fakecyborg.WithPresetTokens(preset), nil
	}
	return fakecyborg.WithTokens(s.tokens), nil
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
	known := make([]string, 0, len(authModes))
	for _, mode := range authModes {
		if mode.name == name {
			return mode, nil
		}
		known = append(known, mode.name)
	}
	return authMode{}, fmt.Errorf("auth %q: unknown, known are %s", name, strings.Join(known, ", "))
}

// describeModes is the help about all modes.
func describeModes() string {
	lines := make([]string, 0, len(authModes))
	for _, mode := range authModes {
		lines = append(lines, mode.name+" ("+mode.meaning+")")
	}
	return strings.Join(lines, ", ")
}
