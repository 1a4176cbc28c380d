package fault

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Status answers with an error, in a form of the server, instead of doing what
// was asked.
type Status struct {
	// Code is the HTTP status, 400 to 599.
	Code int `json:"code"`
	// Text is the faultstring; the default says that it was asked for.
	Text string `json:"text"`
	// Form is the form of the text. The default is that in which the status
	// usually comes: [Keystone] for 401, [Routing] for 404 of no text, 405 and 406,
	// [Lock] for 423, [Gateway] for 502 to 504, else [Controller].
	Form Form `json:"form"`
	// RetryAfter is the number of seconds in the header Retry-After, 0 for none.
	RetryAfter int `json:"retry_after"`
	// After waits before the answer, as a gateway does that gives up.
	After time.Duration `json:"after"`
	// AfterEffect does what was asked for first, and answers with the error all
	// the same.
	AfterEffect bool `json:"after_effect"`
}

// Kind is "status".
func (Status) Kind() string { return "status" }

var forms = []Form{Controller, Conductor, Routing, Lock, Keystone, Gateway}

// Check wants an error status and a known form.
func (s Status) Check() error {
	switch {
	case s.Code < http.StatusBadRequest || s.Code > 599:
		return wrong("code", strconv.Itoa(s.Code), "want 400 to 599")
	case s.Form != "" && !slices.Contains(forms, s.Form):
		return wrong("form", string(s.Form), "known are "+joined(forms))
	case s.RetryAfter < 0:
		return wrong("retry_after", strconv.Itoa(s.RetryAfter), "want seconds, 0 or more")
	case s.After < 0:
		return wantTime("after", s.After)
	}
	return nil
}

// joined lists names.
func joined[T ~string](names []T) string {
	texts := make([]string, 0, len(names))
	for _, name := range names {
		texts = append(texts, string(name))
	}
	return strings.Join(texts, ", ")
}

// Meet refuses.
func (s Status) Meet(x Exchange) Reply {
	if s.AfterEffect {
		x.Proceed()
	}
	if s.After > 0 && !sleep(x.Context(), s.After) {
		return Reply{Lost: Closed}
	}
	reply := x.Refuse(s.Code, cmp.Or(s.Form, s.usualForm()), cmp.Or(s.Text, "A fault was asked for"))
	if s.RetryAfter > 0 {
		reply.Header["Retry-After"] = []string{strconv.Itoa(s.RetryAfter)}
	}
	return reply
}

func (s Status) usualForm() Form {
	switch s.Code {
	case http.StatusUnauthorized:
		return Keystone
	case http.StatusMethodNotAllowed, http.StatusNotAcceptable:
		return Routing
	case http.StatusLocked:
		return Lock
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return Gateway
	case http.StatusNotFound:
		if s.Text == "" {
			return Routing
		}
	}
	return Controller
}
