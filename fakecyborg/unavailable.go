package fakecyborg

import "net/http"

// unavailableBody is the JSON form of the answer when Keystone is away.
// It mirrors webob/exc.py:WSGIHTTPException.json_formatter.
type unavailableBody struct {
	Message string `json:"message"`
	Code    string `json:"code"`
	Title   string `json:"title"`
}

const unavailableText = "The server is currently unavailable. Please try again at a later time."

// keystoneIsAway says that the fault is the one which Keystone's middleware
// leaves to WebOb, while it makes the 401 itself.
func (f *fault) keystoneIsAway() bool {
	return f.kind == fromAuth && f.status == http.StatusServiceUnavailable
}

// contentType is that of the fault's body.
func (f *fault) contentType(request *http.Request) string {
	if !f.keystoneIsAway() {
		return "application/json"
	}
	ranges := parseAccept(request.Header)
	html, quality := ranges.quality("text/html"), ranges.quality("application/json")
	switch {
	case html > 0 && html >= quality:
		return "text/html; charset=UTF-8"
	case quality > 0:
		return "application/json"
	}
	return "text/plain; charset=UTF-8"
}

// unavailable is the body when Keystone is away, in the form that the client
// ranks highest.
func (f *fault) unavailable(request *http.Request) ([]byte, error) {
	switch f.contentType(request) {
	case "application/json":
		return encode(unavailableBody{
			Message: unavailableText + "<br /><br />\n" + f.text + "\n\n",
			Code:    "503 Service Unavailable", Title: "Service Unavailable",
		})
	case "text/plain; charset=UTF-8":
		return []byte(f.plain(request)), nil
	}
	return []byte(f.page(request)), nil
}
