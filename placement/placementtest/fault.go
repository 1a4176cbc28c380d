package placementtest

import (
	"fmt"
	"net/http"
)

// Error codes of placement/errors.py.
const (
	codeUndefined          = "placement.undefined_code"
	codeInventoryInUse     = "placement.inventory.inuse"
	codeConcurrentUpdate   = "placement.concurrent_update"
	codeDuplicateName      = "placement.duplicate_name"
	codeProviderInUse      = "placement.resource_provider.inuse"
	codeCannotDeleteParent = "placement.resource_provider.cannot_delete_parent"
	codeProviderNotFound   = "placement.resource_provider.not_found"
	codeDuplicateKey       = "placement.query.duplicate_key"
	codeBadValue           = "placement.query.bad_value"
	codeMissingValue       = "placement.query.missing_value"
)

// fault is a refusal: what becomes an error reply.
type fault struct {
	status int
	code   string
	reason string
	// allow lists the methods of the path, for 405.
	allow string
	// versions makes the reply say which microversions there are, for 406.
	versions bool
}

// Error gives the status and the reason.
func (f *fault) Error() string { return fmt.Sprintf("%d %s", f.status, f.reason) }

// newFault makes a fault with the default error code.
func newFault(status int, format string, args ...any) *fault {
	return &fault{status: status, code: codeUndefined, reason: fmt.Sprintf(format, args...)}
}

// with replaces the error code.
func (f *fault) with(code string) *fault {
	f.code = code
	return f
}

func badRequest(format string, args ...any) *fault {
	return newFault(http.StatusBadRequest, format, args...)
}

func notFound(format string, args ...any) *fault {
	return newFault(http.StatusNotFound, format, args...)
}

func conflict(format string, args ...any) *fault {
	return newFault(http.StatusConflict, format, args...)
}

// openings are the first sentences of an error's detail, one per status.
var openings = map[int]string{
	http.StatusBadRequest:            "The request is malformed or asks for something that cannot be.",
	http.StatusUnauthorized:          "The request carries no token that this service accepts.",
	http.StatusForbidden:             "The caller may not use this resource.",
	http.StatusNotFound:              "The resource could not be found.",
	http.StatusMethodNotAllowed:      "The path does not take this method.",
	http.StatusNotAcceptable:         "The resource has no form that the request accepts.",
	http.StatusConflict:              "The request collides with the present state of the resource.",
	http.StatusUnsupportedMediaType:  "The body's media type is not supported here.",
	http.StatusRequestEntityTooLarge: "The body is too long for this service.",
	http.StatusInternalServerError:   "The service cannot answer this.",
	http.StatusServiceUnavailable:    "The service gave up before it had an answer.",
}
