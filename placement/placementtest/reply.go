package placementtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// reply is what a handler answers.
type reply struct {
	status int
	// body is JSON, already written out; nil for none.
	body []byte
	// location is a path below the prefix; empty for none.
	location string
	// cached asks for the caching headers that the API has from 1.15 on.
	cached bool
}

// jsonReply renders a value.
func jsonReply(status int, v any) *reply {
	body, err := encode(v)
	if err != nil {
		return &reply{status: http.StatusInternalServerError, body: []byte(strconv.Quote(err.Error()))}
	}
	return &reply{status: status, body: body, cached: true}
}

// encode writes JSON with <, > and & as they are, as Python does: texts of errors have them, and clients look for those.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// noContent is the answer of a write without a body.
func noContent() *reply { return &reply{status: http.StatusNoContent} }

// write sends the reply.
func (p *reply) write(w http.ResponseWriter, r *request, prefix string) {
	h := w.Header()
	if p.location != "" {
		h.Set("Location", "http://"+r.Host+prefix+p.location)
	}
	if p.cached && r.atLeast(15) {
		h.Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
		h.Set("Cache-Control", "no-cache")
	}
	if p.body != nil {
		h.Set("Content-Type", "application/json")
		h.Set("Content-Length", strconv.Itoa(len(p.body)))
	}
	w.WriteHeader(p.status)
	_, _ = w.Write(p.body) //nolint:gosec // JSON, sent as such
}

// writeFault sends an error in the form that the request's Accept header asks for. Mirrors json_error_formatter of
// placement/util.py and the error pages of WebOb.
func writeFault(w http.ResponseWriter, r *request, f *fault, maxMinor int) {
	h := w.Header()
	if f.allow != "" {
		h.Set("Allow", f.allow)
	}
	title := http.StatusText(f.status)
	detail := openings[f.status] + "\n\n " + strings.ReplaceAll(f.reason, "\n", " ") + "  "
	var body []byte
	switch errorForm(r.Header.Values("Accept")) {
	case "text/html":
		h.Set("Content-Type", "text/html; charset=UTF-8")
		body = fmt.Appendf(nil, "<html>\n <head>\n  <title>%d %s</title>\n </head>\n <body>\n  <h1>%d %s</h1>\n  %s\n </body>\n</html>",
			f.status, title, f.status, title, html.EscapeString(detail))
	case "text/plain":
		h.Set("Content-Type", "text/plain; charset=UTF-8")
		body = fmt.Appendf(nil, "%d %s\n\n%s", f.status, title, detail)
	default:
		h.Set("Content-Type", "application/json")
		body = errorJSON(r, f, title, detail, maxMinor)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(f.status)
	_, _ = w.Write(body) //nolint:gosec // escaped above in the form that needs it
}

// errorItem is one element of an error reply's list.
type errorItem struct {
	Status     int    `json:"status"`
	Title      string `json:"title"`
	Detail     string `json:"detail"`
	Code       string `json:"code,omitempty"`
	RequestID  string `json:"request_id"`
	MaxVersion string `json:"max_version,omitempty"`
	MinVersion string `json:"min_version,omitempty"`
}

// errorJSON renders the errors form, or the bare one that a request without a token gets.
func errorJSON(r *request, f *fault, title, detail string, maxMinor int) []byte {
	var v any
	if f.status == http.StatusUnauthorized {
		v = map[string]string{"code": "401 " + title, "title": title, "message": detail}
	} else {
		item := errorItem{Status: f.status, Title: title, Detail: detail, RequestID: r.id}
		if r.atLeast(23) {
			item.Code = f.code
		}
		if f.versions {
			item.MinVersion, item.MaxVersion = "1.0", version{major: 1, minor: maxMinor}.String()
		}
		v = map[string]any{"errors": []errorItem{item}}
	}
	body, err := encode(v)
	if err != nil {
		return []byte(strconv.Quote(err.Error()))
	}
	return body
}
