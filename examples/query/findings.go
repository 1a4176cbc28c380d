package main

import (
	"errors"
	"slices"
	"strconv"
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
	if where, inPort := strings.CutPrefix(finding.Where, "port "); inPort {
		id, profile, _ := strings.Cut(where, ", ")
		if file, path := f.inProfile(profile, finding.Key); file != nil {
			return inputfile.Place(file.name, file.content, path...)
		}
		i := slices.IndexFunc(f.in.Ports, func(p requestspec.Port) bool { return p.ID == id })
		return inputfile.Place(f.ports.name, f.ports.content, "ports", strconv.Itoa(i), finding.Key)
	}
	if file, path := f.inProfile(finding.Where, finding.Key); file != nil {
		return inputfile.Place(file.name, file.content, path...)
	}
	if finding.Where == "image" && f.image.name != "" {
		return inputfile.Place(f.image.name, f.image.content, "properties", finding.Key)
	}
	path := []string{finding.Key}
	if _, spec := f.in.Flavor.ExtraSpecs[finding.Key]; spec {
		path = []string{"extra_specs", finding.Key}
	}
	return inputfile.Place(f.flavor.name, f.flavor.content, path...)
}

// inProfile returns the file of the profile that a place names and the path of a key in it; nil if there is none.
func (f files) inProfile(where, key string) (*source, []string) {
	rest, ok := strings.CutPrefix(where, "device profile ")
	if !ok {
		return nil, nil
	}
	name, index, inGroup := strings.Cut(rest, ", group ")
	i := slices.IndexFunc(f.profiles, func(p requestspec.Profile) bool { return p.Name == name })
	if i < 0 {
		return nil, nil
	}
	path := []string{"groups"}
	if inGroup {
		path = append(path, index, key)
	}
	return &f.profileFiles[i], path
}
