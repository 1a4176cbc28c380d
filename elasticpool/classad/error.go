package classad

import (
	"errors"
	"fmt"
)

// ErrSyntax is in the tree of every error of Parse that says the text is no ClassAd expression.
var ErrSyntax = errors.New("no ClassAd expression")

// ErrTooLarge is in the tree of every error of Parse that says the text is longer or deeper than the package accepts.
var ErrTooLarge = errors.New("expression is too large")

// Error says where and why a text is not accepted. It unwraps to ErrSyntax or ErrTooLarge.
type Error struct {
	Column int    // place of the fault, in bytes from 1
	Found  string // what is there, as an error message shows it
	Want   string // what was expected there
	reason error
}

// Error names the column, what was found and what was expected.
func (e *Error) Error() string {
	return fmt.Sprintf("column %d: %s: found %s, expected %s", e.Column, e.reason, e.Found, e.Want)
}

// Unwrap returns ErrSyntax or ErrTooLarge.
func (e *Error) Unwrap() error { return e.reason }
