package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// allowed are the licences, by their SPDX ids, that may be linked into a program under Apache-2.0 and given away.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MPL-2.0"}

// covered is how much of a licence file has to be known text, in percent. The rest are names and years.
const covered = 75

// row is one line of the page: a module, its licence files, and what they say.
type row struct {
	module   module
	files    []string
	licences []string
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([-.].*)?$`)

// rowsOf classifies all modules; the error names every one that may not be linked.
func rowsOf(modules []module) ([]row, error) {
	var rows []row
	var faults []error
	for _, m := range modules {
		found, err := classify(m)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s %s: %w", m.Path, m.Version, err))
		}
		rows = append(rows, found)
	}
	return rows, errors.Join(faults...)
}

// classify reads the licence files of a module: those in its top folder and in the folders of what is linked, where
// code of others may lie.
func classify(m module) (row, error) {
	found := row{module: m}
	for _, folder := range m.folders {
		entries, err := os.ReadDir(filepath.Join(m.Dir, folder))
		if err != nil {
			return found, err
		}
		for _, entry := range entries {
			if entry.IsDir() || !licenceFile.MatchString(entry.Name()) {
				continue
			}
			if err := found.add(filepath.ToSlash(filepath.Join(folder, entry.Name()))); err != nil {
				return found, err
			}
		}
	}
	slices.Sort(found.licences)
	found.licences = slices.Compact(found.licences)
	if len(found.licences) == 0 {
		return found, errors.New("it has no licence file")
	}
	return found, nil
}

// add reads one licence file.
func (r *row) add(file string) error {
	r.files = append(r.files, file)
	text, err := os.ReadFile(filepath.Join(r.module.Dir, file))
	if err != nil {
		return err
	}
	names, err := licencesIn(text)
	if err != nil && isLicence(path.Base(file)) {
		return fmt.Errorf("%s: %w", file, err)
	}
	r.licences = append(r.licences, names...)
	return nil
}

// isLicence tells a licence from what goes with one: notices of the authors and grants of patents.
func isLicence(name string) bool {
	name = strings.ToLower(name)
	return !strings.HasPrefix(name, "notice") && !strings.HasPrefix(name, "patents")
}

// licencesIn names the licences that a text consists of.
func licencesIn(text []byte) ([]string, error) {
	coverage := licensecheck.Scan(text)
	if coverage.Percent < covered {
		return nil, fmt.Errorf("only %.0f %% of it is a known licence", coverage.Percent)
	}
	var names []string
	for _, match := range coverage.Match {
		if match.IsURL {
			continue
		}
		if !slices.Contains(allowed, match.ID) {
			return nil, fmt.Errorf("the licence %s is none of %s", match.ID, strings.Join(allowed, ", "))
		}
		names = append(names, match.ID)
	}
	return names, nil
}
