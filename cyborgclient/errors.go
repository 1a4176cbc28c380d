package cyborgclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

// The kinds of errors, for errors.Is.
var (
	// ErrInvalid says that an argument was refused before anything was sent.
	ErrInvalid = errors.New("invalid argument")
	// ErrInvalidAnswer says that an answer of success is not what Cyborg answers:
	// another status, no JSON, without its list, or with an object that has no uuid. What was
	// asked for may have been done.
	ErrInvalidAnswer = errors.New("invalid answer")
	// ErrNotFound says that there is no such object, or that it belongs to
	// another project.
	ErrNotFound = errors.New("not found")
	// ErrAmbiguousProfile says that several profiles answer to one name.
	ErrAmbiguousProfile = errors.New("ambiguous device profile")
	// ErrExists says that a profile of that name exists.
	ErrExists = errors.New("already exists")
	// ErrInUse says that ARQs still refer to the profile.
	ErrInUse = errors.New("in use")
	// ErrNoARQs says that the profile asks for no accelerator, so that no ARQ
	// was made.
	ErrNoARQs = errors.New("no ARQs")
	// ErrBadState says that an ARQ is not in a state that allows the operation,
	// for example that it is already Bound.
	ErrBadState = errors.New("bad state of an ARQ")
	// ErrInstanceHasARQs says that the instance already has ARQs: all ARQs of
	// an instance must be bound in one request.
	ErrInstanceHasARQs = errors.New("instance already has ARQs")
	// ErrNotResolved says that binding has not ended yet (423).
	ErrNotResolved = errors.New("not resolved yet")
	// ErrNoProvider says that Match found no provider, or several, for an ARQ.
	ErrNoProvider = errors.New("no single provider")
	// ErrImageConflict says that an image and a profile, or an image alone, say
	// in two ways what a device is to be programmed with.
	ErrImageConflict = errors.New("conflict about what to program")
	// ErrServiceTokenNeeded says that the server demands a service token for
	// this operation (since the fix of CVE-2026-40214): the client must be made
	// with one of WithServiceCloud, WithServiceAuth, WithServiceToken and
	// WithOwnServiceToken.
	ErrServiceTokenNeeded = errors.New("service token needed")
	// ErrUnauthorized says that the token, or a service token, was refused.
	ErrUnauthorized = errors.New("unauthorized")
	// ErrForbidden says that the caller's role does not allow the operation.
	ErrForbidden = errors.New("forbidden")
	// ErrUnreachable says that the request failed below HTTP, that a 404 came from
	// something that is not Cyborg, or that a redirect led elsewhere and was not
	// followed.
	ErrUnreachable = errors.New("service unreachable")
	// ErrUnavailable says that Cyborg, or a proxy in front of it, cannot answer for
	// the time being (429, 502, 503, 504), after the repetitions: try again later,
	// the host is not to blame. After 502 and 504 the request may have been carried
	// out.
	ErrUnavailable = errors.New("service unavailable")
	// ErrVersion says that the server is too old: it does not have the
	// microversion, or the operation at all.
	ErrVersion = errors.New("not supported by this version")
)

// Error is the error of every call of this package. It unwraps to its kind,
// which is one of the sentinels, and to its cause.
type Error struct {
	// Op is what was tried, with the object: "bind ARQs of instance 7c…".
	Op string
	// StatusCode is that of the answer, 0 when there was none.
	StatusCode int
	// Fault is Cyborg's own text, without the traceback that may follow it. It
	// can have several lines.
	Fault string
	// RequestID is the id of the request in the service's logs.
	RequestID string
	// Err is the kind, or the cause, or both joined.
	Err error
	// ARQs is what a failed Bind or Unbind left behind: the ARQs of the request in
	// its order, after a Bind then others that the instance has. An ARQ of a Bind
	// that the instance does not have was not touched, and one of an Unbind that
	// is not found does not exist; only its UUID is set then. ARQs is nil when
	// nothing was sent and when they could not be read.
	ARQs []ARQ

	refused bool
	hint    string   // what to do, for the text
	goal    ARQState // of a failed Bind or Unbind
	reached int      // ARQs of it that are as was asked
	asked   int      // ARQs of it
}

// Refused says that the service itself surely refused the request without
// acting on it, so that there is nothing to undo: an answer of 4xx in Cyborg's
// own form, or the 401 of Keystone's middleware in front of it. It is false when
// there was no answer, when something else on the way may have answered, for
// 5xx, and for refusals that come after a part of the work:
//
//   - those of Cyborg's conductor, which are known by the traceback in them;
//   - a bind that ends in a 4xx of the devices or of Nova ("Bad API response
//     from Nova" comes although the ARQs are Bound). Of a bind, only what is
//     decided before the first ARQ counts: role, version and the form of the
//     request.
//
// A request that was not sent at all (ErrInvalid) is not refused by the service.
func (e *Error) Refused() bool { return e.refused }

// Error prints the operation, the status, the first line of the fault and the
// request id.
func (e *Error) Error() string {
	var text strings.Builder
	text.WriteString(e.Op)
	if e.StatusCode == 0 {
		fmt.Fprintf(&text, ": %v", e.Err)
	} else {
		line, _, _ := strings.Cut(e.Fault, "\n")
		if len(line) > longestLine {
			line = strings.ToValidUTF8(line[:longestLine], "") + "…"
		}
		fmt.Fprintf(&text, ": %d %s", e.StatusCode, line)
	}
	if e.ARQs != nil {
		fmt.Fprintf(&text, " (%d of %d ARQs are %s)", e.reached, e.asked, strings.ToLower(string(e.goal)))
	}
	if e.hint != "" {
		fmt.Fprintf(&text, " (%s)", e.hint)
	}
	if e.RequestID != "" {
		fmt.Fprintf(&text, " (request %s)", e.RequestID)
	}
	return text.String()
}

// longestLine bounds what an error prints of a fault, in bytes.
const longestLine = 1000

// Unwrap gives the kind and the cause.
func (e *Error) Unwrap() error { return e.Err }

// RetryElsewhere says whether the same bind could work on another host or
// provider: this one is not known to Cyborg, has no free device left, or its
// agent did not answer. It is false while Cyborg itself is not available
// (ErrUnavailable, ErrUnreachable): another host would meet the same.
func (e *Error) RetryElsewhere() bool {
	for _, text := range elsewhere {
		if strings.Contains(e.Fault, text) {
			return true
		}
	}
	return false
}

// elsewhere lists what Cyborg says when only this host or provider is to blame
// (openstack/cyborg: cyborg/common/exception.py; oslo.messaging for the agent).
var elsewhere = []string{
	"Deployable not found",
	"No row was found for one()", // the same in Train
	"AttachHandle not found",
	"MessagingTimeout",
	"FPGA programming failed",
}

// failedRequest is failed for an answer that tells whether the service acted.
func failedRequest(r request, err error) *Error {
	e := failed(r.text(), err)
	if failure, answered := osapi.FailureOf(err); answered {
		e.refused = refusal(r.method, failure)
		if kind := absence(failure); kind != nil {
			e.hint = r.absenceHint(kind)
		}
	}
	return e
}

// advise says what to do about the errors of service tokens. withToken says that
// the request carried one.
func (e *Error) advise(withToken bool) {
	switch {
	case errors.Is(e.Err, ErrServiceTokenNeeded) && withToken:
		e.hint = "the server demands a service token and did not get the one that was sent"
	case errors.Is(e.Err, ErrServiceTokenNeeded):
		e.hint = "the server demands a service token; make the client with one, for example WithServiceCloud"
	case errors.Is(e.Err, ErrUnauthorized) && withToken:
		e.hint = `the token was refused, or the service token, whose user needs the role "service"`
	}
}

// failed wraps what a request ended with.
func failed(op string, err error) *Error {
	failure, answered := osapi.FailureOf(err)
	err = osapi.Transparent(err)
	if !answered {
		err = withoutAnswer(err)
		return &Error{Op: op, Err: err}
	}
	fault := faultText(failure.StatusCode, failure.Body)
	kind := absence(failure)
	if kind == nil {
		kind = kindOf(failure.StatusCode, fault)
	}
	if kind != nil {
		err = fmt.Errorf("%w: %w", kind, err)
	}
	return &Error{Op: op, StatusCode: failure.StatusCode, Fault: fault, RequestID: failure.RequestID(), Err: err}
}

// withoutAnswer names the kind of an error that came from below HTTP, or from
// an answer of success that is no JSON.
func withoutAnswer(err error) error {
	switch {
	case osapi.Unreachable(err):
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	case garbled(err):
		return fmt.Errorf("%w: %w", ErrInvalidAnswer, err)
	}
	return err
}

// garbled says that an answer of success could not be decoded.
func garbled(err error) bool {
	_, syntax := errors.AsType[*json.SyntaxError](err)
	_, kind := errors.AsType[*json.UnmarshalTypeError](err)
	_, object := errors.AsType[*decodeError](err)
	return syntax || kind || object || errors.Is(err, osapi.ErrNoVersionDocument) || errors.Is(err, osapi.ErrTooLong) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// invalid refuses an argument.
func invalid(op, format string, args ...any) *Error {
	return &Error{Op: op, Err: fmt.Errorf("%w: %w", ErrInvalid, fmt.Errorf(format, args...))}
}

// kindOf sorts an answer by status and, where the status says too little, by
// the words that Cyborg uses.
func kindOf(status int, fault string) error {
	if status < http.StatusMultipleChoices {
		return ErrInvalidAnswer
	}
	if status < http.StatusBadRequest {
		return ErrUnreachable // a redirect that was not followed
	}
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return ErrUnavailable
	case http.StatusUnauthorized:
		return ErrUnauthorized
	case http.StatusForbidden:
		if strings.Contains(fault, "Use the Compute API to manage instance accelerators") {
			return ErrServiceTokenNeeded
		}
		return ErrForbidden
	case http.StatusNotFound:
		return ErrNotFound
	case http.StatusNotAcceptable:
		return ErrVersion
	case http.StatusConflict:
		return ErrExists
	case http.StatusLocked:
		return ErrNotResolved
	case http.StatusBadRequest, http.StatusInternalServerError:
		return kindOfWords(fault)
	}
	return nil
}

func kindOfWords(fault string) error {
	switch {
	case strings.Contains(fault, "already has accelerator requests"):
		return ErrInstanceHasARQs
	case strings.Contains(fault, "Bad state: ") && strings.Contains(fault, " for ARQ: ") && !strings.Contains(fault, " for ARQ: None"):
		return ErrBadState
	case strings.Contains(fault, "Accelerator Requests cannot be requested with state "): // until Victoria
		return ErrBadState
	case strings.Contains(fault, "DeviceProfile with uuid ") && strings.Contains(fault, " already exists"): // until Wallaby, with MySQL 8
		return ErrExists
	case strings.Contains(fault, "DBReferenceError"):
		return ErrInUse
	}
	return nil
}
