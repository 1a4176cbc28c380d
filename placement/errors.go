package placement

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

// The kinds of failure, for errors.Is.
var (
	// ErrNotFound tells that a provider, class or trait does not exist, also where Placement answers 400 for it.
	ErrNotFound = errors.New("not found")
	// ErrUnauthorized tells that the token is missing, wrong or expired.
	ErrUnauthorized = errors.New("not authorized: check the credentials")
	// ErrForbidden tells that the token's role may not do this; the reshaper wants the role service.
	ErrForbidden = errors.New("not allowed for this role")
	// ErrConcurrentUpdate tells that others changed the same object at the same time, more often than was retried.
	ErrConcurrentUpdate = errors.New("changed by others at the same time")
	// ErrNoCapacity tells that a candidate does not fit any more: ask for candidates again or take the next one.
	ErrNoCapacity = errors.New("no room left for this candidate")
	// ErrConsumerExists tells that a new consumer has allocations already, which were left as they are.
	ErrConsumerExists = errors.New("consumer has allocations already")
	// ErrConsumerChanged tells that somebody wrote a consumer's allocations since they were claimed; nothing was changed.
	ErrConsumerChanged = errors.New("allocations were changed by others since the claim")
	// ErrForeign tells that a report would have to change a provider, trait or inventory that others made.
	ErrForeign = errors.New("made by others")
	// ErrInUse tells that something to be removed still serves allocations.
	ErrInUse = errors.New("still in use")
	// ErrVersion tells that the server is too old for what was asked.
	ErrVersion = errors.New("microversion not offered")
	// ErrMapping tells that a request group has no provider, or not exactly one, in a candidate.
	ErrMapping = errors.New("no single provider for the group")
	// ErrOverLimit tells that a project would exceed its limit for a resource class.
	ErrOverLimit = errors.New("over the project's limit")
	// ErrInvalid tells that an argument is not usable; nothing was sent.
	ErrInvalid = errors.New("invalid argument")
	// ErrTree tells that a tree to be reported, or an Owned, is not well-formed; nothing was sent.
	ErrTree = errors.New("invalid provider tree")
)

// Error is a failed operation. It unwraps to one of the kinds above and to the cause.
type Error struct {
	// Op is the operation with its object, such as "claim consumer 7c…".
	Op string
	// StatusCode is the HTTP status, or 0 when there was no answer.
	StatusCode int
	// Code is Placement's error code such as "placement.concurrent_update".
	Code string
	// Detail is Placement's reason, or ours when the operation was refused before it was sent.
	Detail string
	// RequestID is the id of the request in Placement's log.
	RequestID string

	kind  error
	cause error
	// own tells that the answer was in Placement's own form, or in that of Keystone's middleware in front of it.
	own bool
}

// Refused tells whether Placement itself, or Keystone's middleware in front of it, refused the request without acting on
// it. It is false when a proxy may have answered (any other form of answer, 408, 429, 5xx), when there was no answer, and
// when nothing was sent. It speaks of the last request that the operation made; a Claim's own result also counts those
// before it.
func (e *Error) Refused() bool {
	return e.own && e.StatusCode >= http.StatusBadRequest && e.StatusCode < http.StatusInternalServerError &&
		e.StatusCode != http.StatusRequestTimeout && e.StatusCode != http.StatusTooManyRequests
}

// Error returns the operation, the status and the reason.
func (e *Error) Error() string {
	parts := []string{e.Op}
	switch {
	case e.StatusCode != 0:
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%d %s", e.StatusCode, e.Detail)))
	case e.Detail != "":
		parts = append(parts, e.Detail)
	case e.cause != nil:
		parts = append(parts, e.cause.Error())
	}
	if e.kind != nil {
		parts = append(parts, e.kind.Error())
	}
	if e.RequestID != "" {
		return strings.Join(parts, ": ") + " (" + e.RequestID + ")"
	}
	return strings.Join(parts, ": ")
}

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error {
	var errs []error
	for _, err := range []error{e.kind, e.cause} {
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// refuse makes the error of an operation that was not sent, or whose answer does not help.
func refuse(kind error, op, format string, args ...any) *Error {
	return &Error{Op: op, Detail: fmt.Sprintf(format, args...), kind: kind}
}

// wrap makes the error of an operation out of what gophercloud returned.
func wrap(op string, err error) error {
	if err == nil {
		return nil
	}
	failure, ok := osapi.FailureOf(err)
	err = osapi.Transparent(err)
	if !ok {
		return &Error{Op: op, cause: err}
	}
	e := &Error{Op: op, StatusCode: failure.StatusCode, RequestID: failure.RequestID(), cause: err, own: failure.RefusedLogin()}
	e.readBody(failure.Body)
	e.kind = kindOf(e.StatusCode, e.Code)
	if e.own && e.StatusCode == http.StatusBadRequest && unknownName.MatchString(e.Detail) {
		e.kind = ErrNotFound
	}
	return e
}

// readBody takes code, reason and request id from Placement's error list (placement/util.py:json_error_formatter).
func (e *Error) readBody(body []byte) {
	var list struct {
		Errors []struct {
			Code      string `json:"code"`
			Detail    string `json:"detail"`
			RequestID string `json:"request_id"`
		} `json:"errors"`
	}
	if json.Unmarshal(body, &list) != nil || len(list.Errors) == 0 {
		e.Detail = http.StatusText(e.StatusCode)
		return
	}
	e.own = true
	first := list.Errors[0]
	e.Code, e.Detail = first.Code, reason(first.Detail)
	if first.RequestID != "" {
		e.RequestID = first.RequestID
	}
}

// reason drops the stock sentence in front of a detail and folds its blanks.
func reason(detail string) string {
	if _, rest, found := strings.Cut(detail, "\n\n"); found && strings.TrimSpace(rest) != "" {
		detail = rest
	}
	return strings.Join(strings.Fields(detail), " ")
}

// unknownName matches what Placement says of a class, trait or provider that it does not know when it answers 400, for
// which it has no code (placement/exception.py, placement/handlers: trait.py, allocation.py, reshaper.py).
var unknownName = regexp.MustCompile(`No such (resource class|trait)|resource provider '.*' that does not exist|Resource provider \S+ in inventories not found|` +
	`parent provider UUID does not exist`)

// kindOf classifies an answer by status and code (placement/errors.py).
func kindOf(status int, code string) error {
	switch status {
	case http.StatusUnauthorized:
		return ErrUnauthorized
	case http.StatusForbidden:
		return ErrForbidden
	case http.StatusNotFound:
		return ErrNotFound
	case http.StatusNotAcceptable:
		return ErrVersion
	case http.StatusConflict:
		return conflicts[code]
	}
	return nil
}

var conflicts = map[string]error{
	"placement.concurrent_update":                      ErrConcurrentUpdate,
	"placement.duplicate_name":                         ErrForeign,
	"placement.inventory.inuse":                        ErrInUse,
	"placement.resource_provider.inuse":                ErrInUse,
	"placement.resource_provider.cannot_delete_parent": ErrInUse,
}
