package inventory

import (
	"errors"
	"fmt"
)

// What can be wrong with a line; test for them with [errors.Is].
var (
	// ErrLine says that a line is of none of the known forms.
	ErrLine = errors.New("not a line of this kind of listing")
	// ErrTwice says that an address was there before.
	ErrTwice = errors.New("the address is there twice")
)

// Error is what is wrong with one line. It unwraps to a sentinel of this package.
type Error struct {
	// File is the name that was given.
	File string
	// Line counts from 1.
	Line int
	// Text is what cannot be read, cut after 80 characters.
	Text string
	// Err is the reason.
	Err error
}

// Error names file, line and reason.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d: %q: %v", e.File, e.Line, e.Text, e.Err)
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// maxText is how many characters of a line an error shows.
const maxText = 80

func (p *parser) fail(line int, text string, err error) {
	if runes := []rune(text); len(runes) > maxText {
		text = string(runes[:maxText]) + "…"
	}
	p.errs = append(p.errs, &Error{File: p.file, Line: line, Text: text, Err: err})
}
