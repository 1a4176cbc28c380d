package condor

import (
	"fmt"
	"strings"
)

// quote returns a name as a ClassAd string. Refused is what has no place in one: control characters, backslashes, which
// HTCondor's parsers read in two ways, and the dollar sign, which begins a macro in a configuration.
func quote(text string) (string, error) {
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' || r == '$' }) {
		return "", &Error{Op: fmt.Sprintf("quote %q", text), Class: ErrName, Detail: "control characters, backslashes and $ cannot be in it"}
	}
	return inQuotes(text), nil
}

// inQuotes returns a text without backslashes as a ClassAd string.
func inQuotes(text string) string { return `"` + strings.ReplaceAll(text, `"`, `\"`) + `"` }

// named checks the name of a worker or another daemon: it becomes an argument, and part of a pattern.
func named(name string) error {
	if daemon.MatchString(name) {
		return nil
	}
	return &Error{Op: fmt.Sprintf("daemon %q", name), Class: ErrName, Detail: "a name has letters, digits and . _ - @ :"}
}

// shellQuote returns an argument as a POSIX shell reads it back.
func shellQuote(argument string) string {
	return `'` + strings.ReplaceAll(argument, `'`, `'\''`) + `'`
}
