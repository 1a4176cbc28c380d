package main

import (
	"fmt"
	"strings"

	"github.com/novacyborg/novacyborg/placement/placementtest"
)

// authMode is one way to tell callers apart, the same for all that is served.
type authMode struct {
	name, meaning string
	// placement sets up the embedded Placement.
	placement []placementtest.Option
}

// authModes are the modes there are; the first is the default.
var authModes = []authMode{{
	name: "none", meaning: "no token is asked for or looked at, everybody is admin",
	placement: []placementtest.Option{placementtest.WithoutAuth()},
}}

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
