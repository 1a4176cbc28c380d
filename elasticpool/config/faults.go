package config

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// faults are what is wrong with a configuration, each with its place.
type faults struct{ errs []error }

// that notes a fault unless ok.
func (f *faults) that(ok bool, message string, at ...any) {
	if !ok {
		f.errs = append(f.errs, &elasticpool.PolicyError{Path: slices.Clone(at), Message: message})
	}
}

// wrong notes an error, if it is one.
func (f *faults) wrong(err error, at ...any) {
	if err != nil {
		f.that(false, err.Error(), at...)
	}
}

// told notes the errors of a package that says "package: key[0]: what is wrong", joined or not.
func (f *faults) told(err error, by string, at ...any) {
	if err == nil {
		return
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		line = strings.TrimPrefix(line, by+": ")
		path := at
		if key, message, found := strings.Cut(line, ": "); found {
			if steps := keySteps(key); steps != nil {
				path, line = under(at, steps...), message
			}
		}
		f.that(false, line, path...)
	}
}

// keySteps returns the steps of a key such as schedds[0], or nil if that is no key.
func keySteps(key string) []any {
	name, index, indexed := strings.Cut(key, "[")
	if name == "" || strings.ContainsAny(name, " \"") {
		return nil
	}
	if !indexed {
		return []any{name}
	}
	n, err := strconv.Atoi(strings.TrimSuffix(index, "]"))
	if err != nil {
		return nil
	}
	return []any{name, n}
}

func (f *faults) err() error { return errors.Join(f.errs...) }

// under returns the path of something below another.
func under(at []any, steps ...any) []any { return append(slices.Clone(at), steps...) }
