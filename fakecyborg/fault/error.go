package fault

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// What can be wrong with a rule.
var (
	// ErrUnknownOperation is a rule for an operation that there is not.
	ErrUnknownOperation = errors.New("unknown operation")
	// ErrUnknownKind is a fault that there is not.
	ErrUnknownKind = errors.New("unknown kind of fault")
	// ErrPlace is a fault at an operation where it cannot happen.
	ErrPlace = errors.New("the fault cannot happen there")
	// ErrSelection is a selection that contradicts itself.
	ErrSelection = errors.New("contradiction")
	// ErrName is a name that another rule has, or that cannot be one.
	ErrName = errors.New("unusable name")
	// ErrValue is a value that is none.
	ErrValue = errors.New("unusable value")
	// ErrSyntax is a text that is not a list of rules.
	ErrSyntax = errors.New("not a rule")
)

// Error says what is wrong with a rule and where.
type Error struct {
	// Place is file and line, where there is a file, and the path of keys:
	// "faults.yaml:3: [1].fault.code".
	Place string
	// Err is the reason; it unwraps to one of the Err… of this package.
	Err error
}

// Error names the place and the reason, in one line.
func (e *Error) Error() string {
	text := e.Err.Error()
	if e.Place != "" {
		text = e.Place + ": " + text
	}
	return strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(text)
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// wrong is a value that a key of a fault cannot have.
func wrong(key, value, want string) error {
	return &Error{Place: key, Err: fmt.Errorf("%w %q, %s", ErrValue, value, want)}
}

func wantTime(key string, value time.Duration) error {
	if value > 0 {
		return nil
	}
	return wrong(key, value.String(), `want a time above 0, such as "2s"`)
}

// below puts an error below a key.
func below(key string, err error) *Error {
	if inner, ok := errors.AsType[*Error](err); ok {
		return &Error{Place: strings.TrimSuffix(key+"."+inner.Place, "."), Err: inner.Err}
	}
	return &Error{Place: key, Err: err}
}
