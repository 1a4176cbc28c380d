package main

import (
	"errors"
	"strings"

	"github.com/novacyborg/novacyborg/examples/internal/inputfile"
	"github.com/novacyborg/novacyborg/requestspec"
)

// listed puts each finding of an error on its own line, with the place in the files.
func (f files) listed(err error) error {
	all, ok := errors.AsType[*requestspec.Error](err)
	if !ok {
		return err
	}
	var lines []string
	for _, finding := range all.Causes() {
		lines = append(lines, f.line(finding))
	}
	return errors.New(strings.Join(lines, "\n"))
}

func (f files) line(finding requestspec.Finding) string {
	return f.place(finding) + ": " + finding.Error()
}

// place returns file:line of the key that a finding is about, or the file alone.
func (f files) place(finding requestspec.Finding) string {
	if rest, inProfile := strings.CutPrefix(finding.Where, "device profile "); inProfile && f.profile.name != "" {
		path := []string{"groups"}
		if _, index, inGroup := strings.Cut(rest, ", group "); inGroup {
			path = append(path, index, finding.Key)
		}
		return inputfile.Place(f.profile.name, f.profile.content, path...)
	}
	path := []string{finding.Key}
	if _, spec := f.in.Flavor.ExtraSpecs[finding.Key]; spec {
		path = []string{"extra_specs", finding.Key}
	}
	return inputfile.Place(f.flavor.name, f.flavor.content, path...)
}
