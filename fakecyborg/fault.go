package fakecyborg

import (
	"errors"
	"fmt"
	"net/http"
)

// faultKind is the layer of the real server that an error comes from; each has
// its own text inside error_message.
type faultKind int

const (
	// fromController is raised by a controller or by argument checks (WSME).
	fromController faultKind = iota
	// fromConductor is raised behind the RPC call: its text has a traceback.
	fromConductor
	// fromRouting is raised by routing or version negotiation (pecan, WebOb).
	fromRouting
	// fromAuth is raised by Keystone's middleware, in front of everything.
	fromAuth
	// fromLock is the 423, whose text is the word null.
	fromLock
	// fromScope is an exception of oslo.policy that Cyborg does not know: it blames
	// the server whatever the status.
	fromScope
)

// fault is an answer other than success.
type fault struct {
	status int
	kind   faultKind
	// text is the faultstring, or the description of a routing error.
	text string
	// undescribed makes the description null.
	undescribed bool
	// late says that the forms which the client takes are looked at before.
	late bool
	// allow is the Allow header of a 405.
	allow string
}

// Error is the text without dialect; it shows in logs.
func (f *fault) Error() string {
	return fmt.Sprintf("%d %s: %s", f.status, http.StatusText(f.status), f.text)
}

func faultf(status int, format string, args ...any) *fault {
	return &fault{status: status, kind: fromController, text: fmt.Sprintf(format, args...)}
}

func badRequest(format string, args ...any) *fault {
	return faultf(http.StatusBadRequest, format, args...)
}

func notFound(format string, args ...any) *fault {
	return faultf(http.StatusNotFound, format, args...)
}

// broken is a 500: what Cyborg answers where others say 400.
func broken(format string, args ...any) *fault {
	return faultf(http.StatusInternalServerError, format, args...)
}

func routing(status int, description string) *fault {
	return &fault{status: status, kind: fromRouting, text: description}
}

// overRPC marks a fault as raised in the conductor.
func (f *fault) overRPC() *fault {
	f.kind = fromConductor
	return f
}

// Texts of Python exceptions that escape Cyborg's controllers as a 500.

func noAttribute(v any, name string) *fault {
	return broken("'%s' object has no attribute '%s'", pythonType(v), name)
}

func notIterable(v any) *fault { return broken("'%s' object is not iterable", pythonType(v)) }

func keyError(key string) *fault { return broken("'%s'", key) }

func notUUID(value string) *fault { return badRequest("Expected a uuid but received %s.", value) }

// badUUIDArgument is the 400 of an argument that WSME wants to be a uuid.
func badUUIDArgument(name, value string) *fault {
	return badRequest("Invalid input for field/attribute %s. Value: '%s'. unable to convert to uuid. Error: Expected a uuid but received %s.", name, value, value)
}

func needsMicroversion(minor int) *fault {
	return faultf(http.StatusNotAcceptable, "Request not acceptable. The minimal required API version should be 2.%d", minor)
}

// asFault is the fault in an error; errors that are none become a 500.
func asFault(err error) *fault {
	if f, ok := errors.AsType[*fault](err); ok {
		return f
	}
	return broken("%v", err)
}
