package main

import "fmt"

// partners are the flags that mean nothing without another one; those of [authFlags]
// are not among them.
var partners = []struct {
	name    string
	has     func(*settings) bool
	meaning string
}{
	{"placement-token", (*settings).placementElsewhere, "is for the Placement at an URL: add -placement URL"},
	{"placement-wait", (*settings).placementElsewhere, "is for the Placement at an URL: add -placement URL"},
	{"tls-names", func(s *settings) bool { return s.tlsCAFile != "" }, "is about the certificate of -tls-ca-file: add that"},
}

// checkPartners refuses a flag that was given, by the command line or a variable,
// without the one that it needs.
func (s *settings) checkPartners() error {
	for _, partner := range partners {
		if s.given[partner.name] && !partner.has(s) {
			return fmt.Errorf("-%s %s", partner.name, partner.meaning)
		}
	}
	return nil
}

// placementElsewhere tells whether Placement is at an URL.
func (s *settings) placementElsewhere() bool {
	return s.placement != "" && s.placement != embedded
}
