package fakecyborg

import (
	"fmt"
	"html"
	"net/http"
	"strings"
)

// errorBody is the wrapper around every error text.
// It mirrors cyborg/api/middleware/parsable_error.py:ParsableErrorMiddleware.
type errorBody struct {
	Message string `json:"error_message"`
}

// controllerText is the JSON inside error_message of controller errors.
// It mirrors wsme/api.py:format_exception.
type controllerText struct {
	Code   string  `json:"faultcode"`
	String string  `json:"faultstring"`
	Debug  *string `json:"debuginfo"`
}

// routingText is the JSON inside error_message of routing errors.
type routingText struct {
	Code        int     `json:"code"`
	Title       string  `json:"title"`
	Description *string `json:"description"`
}

// authBody is the answer of Keystone's middleware.
// It mirrors keystonemiddleware/auth_token/__init__.py:AuthProtocol._reject_request.
type authBody struct {
	Error authText `json:"error"`
}

type authText struct {
	Code    int    `json:"code"`
	Title   string `json:"title"`
	Message string `json:"message"`
}

// traceback stands for the Python traceback that follows the first line of
// every text that came over RPC.
const traceback = `
Traceback (most recent call last):

  File "oslo_messaging/rpc/server.py", line 174, in _process_incoming
    res = self.dispatcher.dispatch(message)

  File "cyborg/conductor/manager.py", line 1, in dispatch
    raise

`

// body renders the fault in the server's dialect; request decides between the
// forms of routing errors.
func (f *fault) body(request *http.Request) ([]byte, error) {
	if f.keystoneIsAway() {
		return f.unavailable(request)
	}
	if f.kind == fromAuth {
		return encode(authBody{authText{Code: f.status, Title: http.StatusText(f.status), Message: f.text}})
	}
	text, err := f.message(request)
	if err != nil {
		return nil, err
	}
	return encode(errorBody{Message: text})
}

func (f *fault) message(request *http.Request) (string, error) {
	switch f.kind {
	case fromLock:
		return "null", nil
	case fromRouting:
		return f.routingMessage(request)
	case fromConductor:
		return f.controllerMessage(f.text + traceback)
	default:
		return f.controllerMessage(f.text)
	}
}

// maxFaultText bounds a fault's text, in bytes. The real server sends all of
// what it complains about, megabytes if it was sent megabytes.
const maxFaultText = 64 << 10

func (f *fault) controllerMessage(text string) (string, error) {
	if len(text) > maxFaultText {
		text = strings.ToValidUTF8(text[:maxFaultText], "") + "…"
	}
	code := "Client"
	if f.status >= http.StatusInternalServerError || f.kind == fromScope {
		code = "Server"
	}
	message, err := encode(controllerText{Code: code, String: text})
	return string(message), err
}

// routingMessage takes the form that the Accept header ranks highest, as pecan
// and WebOb choose it.
func (f *fault) routingMessage(request *http.Request) (string, error) {
	if request.Method == http.MethodHead {
		return "", nil
	}
	ranges := parseAccept(request.Header)
	quality := ranges.quality("application/json")
	switch {
	case quality > ranges.quality("text/plain") && quality > ranges.quality("text/html"):
		description := &f.text
		if f.undescribed {
			description = nil
		}
		message, err := encode(routingText{Code: f.status, Title: http.StatusText(f.status), Description: description})
		return string(message), err
	case ranges.broken(request.Header), ranges.quality("text/html") >= quality && ranges.quality("text/html") > 0:
		return f.page(request), nil
	default:
		return f.plain(request), nil
	}
}

// explanation is the sentence in the HTML and plain forms.
func (f *fault) explanation(request *http.Request) string {
	switch f.status {
	case http.StatusNotFound:
		return "The resource could not be found."
	case http.StatusServiceUnavailable:
		return unavailableText
	case http.StatusMethodNotAllowed:
		return fmt.Sprintf("The method %s is not allowed for this resource. ", request.Method)
	case http.StatusNotAcceptable:
		accept := "${HTTP_ACCEPT}"
		if values := request.Header.Values("Accept"); len(values) > 0 {
			accept = strings.Join(values, ",")
		}
		return fmt.Sprintf("The resource could not be generated that was acceptable to your browser\n(content of type %s. ", accept)
	}
	return "The server could not comply with the request since it is either malformed or otherwise incorrect."
}

func (f *fault) page(request *http.Request) string {
	status := fmt.Sprintf("%d %s", f.status, http.StatusText(f.status))
	end := "\n\n"
	if f.hasTemplate() {
		end = ""
	}
	return fmt.Sprintf("<html>\n <head>\n  <title>%s</title>\n </head>\n <body>\n  <h1>%s</h1>\n  %s<br /><br />\n%s%s\n </body>\n</html>",
		status, status, html.EscapeString(f.explanation(request)), html.EscapeString(f.text), end)
}

// hasTemplate says whether WebOb has an own text around this status, which ends
// otherwise.
func (f *fault) hasTemplate() bool {
	return f.status == http.StatusMethodNotAllowed || f.status == http.StatusNotAcceptable
}

func (f *fault) plain(request *http.Request) string {
	end := "  "
	if f.hasTemplate() {
		end = ""
	}
	explanation := strings.ReplaceAll(f.explanation(request), "\n", " ")
	return fmt.Sprintf("%d %s\n\n%s\n\n %s%s", f.status, http.StatusText(f.status), explanation, f.text, end)
}
