package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed claims.yaml
var claimsFile []byte

// claim says which tests of a stage are rows of the page.
type claim struct {
	Stage   string `yaml:"stage"`
	Package string `yaml:"package"` // without the module's path
	// Test matches the whole name of a test. Its groups operation, peer and release fill in what the keys below leave out.
	Test      string `yaml:"test"`
	Operation string `yaml:"operation"`
	Peer      string `yaml:"peer"`
	Release   string `yaml:"release"`

	pattern *regexp.Regexp
}

// readClaims reads and checks the list.
func readClaims(text []byte) ([]claim, error) {
	var claims []claim
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&claims); err != nil {
		return nil, fmt.Errorf("claims.yaml: %w", err)
	}
	for i, c := range claims {
		if c.Stage == "" || c.Package == "" || c.Test == "" {
			return nil, fmt.Errorf("claims.yaml: claim %d needs stage, package and test", i+1)
		}
		pattern, err := regexp.Compile("^(?:" + c.Test + ")$")
		if err != nil {
			return nil, fmt.Errorf("claims.yaml: claim %d: %w", i+1, err)
		}
		claims[i].pattern = pattern
	}
	return claims, nil
}

// ofStages keeps the claims of the stages named, of all when none is, and counts those of each other stage.
func ofStages(claims []claim, names string) (kept []claim, left map[string]int) {
	left = make(map[string]int)
	wanted := strings.Fields(names)
	for _, c := range claims {
		if len(wanted) == 0 || slices.Contains(wanted, c.Stage) {
			kept = append(kept, c)
		} else {
			left[c.Stage]++
		}
	}
	return kept, left
}

// says returns one of operation, peer and release for a test: what the test said itself, its name, or the claim.
func (c claim) says(what, fixed string, r result) string {
	if told := r.attrs[what]; told != "" {
		return told
	}
	if fixed != "" {
		return fixed
	}
	at := c.pattern.SubexpIndex(what)
	if at < 0 {
		return ""
	}
	return strings.ReplaceAll(c.pattern.FindStringSubmatch(r.test)[at], "_", " ")
}
