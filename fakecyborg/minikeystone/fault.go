package minikeystone

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/google/uuid"
)

// fault is an error in Keystone's form.
// It mirrors keystone/exception.py and keystone/server/flask/application.py.
type fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Title   string `json:"title"`
}

func newFault(status int, format string, args ...any) *fault {
	return &fault{Code: status, Message: fmt.Sprintf(format, args...), Title: http.StatusText(status)}
}

// unauthorized is all that is ever said about a login that is refused.
func unauthorized() *fault {
	return newFault(http.StatusUnauthorized, "The request you have made requires authentication.")
}

func forbidden(action string) *fault {
	return newFault(http.StatusForbidden, "You are not authorized to perform the requested action: identity:%s.", action)
}

func missing(kind, id string) *fault {
	return newFault(http.StatusNotFound, "Could not find %s: %s.", kind, id)
}

// expecting is Keystone's ValidationError.
func expecting(attribute, target string) *fault {
	return newFault(http.StatusBadRequest, "Expecting to find %s in %s. The server could not comply with the request since it is either "+
		"malformed or otherwise incorrect. The client is assumed to be in error.", attribute, target)
}

func notFound(w http.ResponseWriter, _ *http.Request) {
	write(w, http.StatusNotFound, map[string]*fault{"error": newFault(http.StatusNotFound,
		"The requested URL was not found on the server. If you entered the URL manually please check your spelling and try again.")})
}

func methodNotAllowed(w http.ResponseWriter, _ *http.Request) {
	write(w, http.StatusMethodNotAllowed, map[string]*fault{"error": newFault(http.StatusMethodNotAllowed,
		"The method is not allowed for the requested URL.")})
}

// refuse answers with the fault.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, refusal *fault) {
	if refusal.Code == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", fmt.Sprintf("Keystone uri=%q", s.KeystoneURL(r)))
	}
	write(w, refusal.Code, map[string]*fault{"error": refusal})
}

// write sends a value as JSON. The values are all our own, they can be encoded,
// and that the client is gone is not our fault.
func write(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		status, body = http.StatusInternalServerError, nil
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n'))
}

func newRequestID() string { return "req-" + uuid.NewString() }
