package condor

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

var (
	// ErrOutput says that a tool printed what is not its answer: usage, half a document, no JSON.
	ErrOutput = errors.New("output not understood")
	// ErrTooLarge says that a tool printed more than Config.MaxOutput.
	ErrTooLarge = errors.New("output too large")
	// ErrTimeout says that a tool took longer than Config.Timeout.
	ErrTimeout = errors.New("took too long")
	// ErrFailed says that a tool could not be run, ended with an error, or was killed.
	ErrFailed = errors.New("tool failed")
	// ErrEvicts says that a drain was not asked for because it would end jobs.
	ErrEvicts = errors.New("drain would end jobs")
	// ErrName says that a name cannot be given to HTCondor.
	ErrName = errors.New("not a name for HTCondor")
)

// Error is why HTCondor gave no answer or did not do what it was asked for.
type Error struct {
	Op     string // tool and object: condor_q of schedd head.example.org
	Class  error  // one of the errors above, elasticpool.ErrBusy or elasticpool.ErrNoWorker
	Detail string // in HTCondor's words, shortened
	Err    error  // cause; may be nil
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %v", e.Op, e.Class)
	if e.Err != nil {
		text += fmt.Sprintf(": %v", e.Err)
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

// Unwrap lets errors.Is find the class and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Class}
	}
	return []error{e.Class, e.Err}
}

// token is what a JSON web token looks like. No tool should print one, but a tool that is asked for debugging might.
var token = regexp.MustCompile(`eyJ[A-Za-z0-9_-]{8,}(\.[A-Za-z0-9_-]+)*`)

// shorten makes a tool's words fit into one line of an error, without its advice and without tokens.
func shorten(text string) string {
	const longest = 400
	text, _, _ = strings.Cut(text, "Extra Info:")
	text = strings.Join(strings.Fields(token.ReplaceAllString(text, "(token)")), " ")
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + " …"
	}
	return text
}
