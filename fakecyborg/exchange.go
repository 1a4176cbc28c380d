package fakecyborg

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"strconv"

	"github.com/google/uuid"
)

// exchange is one request on its way through the server. Its steps run in the
// order of the real one's: token, microversion, routing, Accept, arguments,
// handler; the first fault is the answer.
type exchange struct {
	*http.Request
	server     *Server
	segments   []string
	route      *route
	parameters map[string]string
	caller     caller
	version    microversion
	// negotiated says that version is one that the server has.
	negotiated bool
	query      query
	body       any
	// answer is the header of the answer.
	answer http.Header
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if s.serveControl(w, request) {
		return
	}
	x := &exchange{Request: request, server: s, segments: mount(request.URL.Path), answer: make(http.Header, 8)}
	status, body := x.run()
	x.write(request.Context(), w, status, body)
}

// run takes the exchange through its steps and returns the answer.
func (x *exchange) run() (int, []byte) {
	result, err := x.handle()
	if err != nil {
		return x.refuse(err)
	}
	if result == nil {
		return x.route.status, nil
	}
	body, err := encode(result)
	if err != nil {
		return x.refuse(err)
	}
	x.answer["Content-Type"] = []string{"application/json"}
	return x.route.status, body
}

func (x *exchange) handle() (any, error) {
	route, parameters, lost := x.server.routes.find(x.Method, x.segments)
	x.route, x.parameters = route, parameters
	x.caller = authenticate(x.Request)
	for _, step := range []func() *fault{
		x.negotiate,
		func() *fault { return lost },
		x.checkAccept,
		x.readArguments,
	} {
		if refusal := step(); refusal != nil {
			return nil, refusal
		}
	}
	return route.run(x)
}

// negotiate settles the microversion; the version document at / has none.
func (x *exchange) negotiate() *fault {
	if len(x.segments) == 0 {
		return nil
	}
	version, known, refusal := x.server.release.negotiate(x.Header)
	x.version = version
	x.negotiated = refusal == nil
	if known {
		x.server.release.versionHeaders(x.answer, version, x.negotiated)
	}
	return refusal
}

func (x *exchange) checkAccept() *fault {
	if acceptsJSON(x.Header) {
		return nil
	}
	return routing(http.StatusNotAcceptable, "")
}

// refuse turns an error into an answer. What is no fault is a defect of the
// fake; it is told in the server's dialect.
func (x *exchange) refuse(err error) (int, []byte) {
	refusal := asFault(err)
	x.dropVersionHeaders(refusal)
	if refusal.status == http.StatusMethodNotAllowed {
		x.answer["Allow"] = []string{refusal.allow}
	}
	body, err := refusal.body(x.Request)
	if err != nil {
		x.server.logger.Error("render fault", "error", err)
	}
	x.answer["Content-Type"] = []string{"application/json"}
	return refusal.status, body
}

// dropVersionHeaders takes back what negotiation set: errors of routing replace
// the whole answer, and only those of negotiation itself tell the range.
func (x *exchange) dropVersionHeaders(refusal *fault) {
	if refusal.kind != fromRouting || !x.negotiated {
		return
	}
	for _, name := range []string{"Vary", "OpenStack-API-Minimum-Version", "OpenStack-API-Maximum-Version", versionHeader} {
		delete(x.answer, name)
	}
}

// write sends the answer. The names of the headers have the real server's
// spelling, and there is no Date, as uwsgi sends none.
func (x *exchange) write(ctx context.Context, w http.ResponseWriter, status int, body []byte) {
	requestID := "req-" + uuid.NewString()
	header := w.Header()
	maps.Copy(header, x.answer)
	header[lengthHeader(status)] = []string{strconv.Itoa(len(body))}
	header["x-openstack-request-id"] = []string{requestID}
	header["Date"] = nil
	w.WriteHeader(status)
	_, err := w.Write(body)
	if errors.Is(err, http.ErrBodyNotAllowed) {
		err = nil
	}
	x.log(ctx, requestID, status, err)
}

// lengthHeader is Content-Length, spelled for a 204 so that net/http, which
// drops it there, lets it pass: the real server sends it always.
func lengthHeader(status int) string {
	if status == http.StatusNoContent {
		return "content-length"
	}
	return "Content-Length"
}

func (x *exchange) log(ctx context.Context, requestID string, status int, err error) {
	operation := ""
	if x.route != nil {
		operation = x.route.name
	}
	attributes := []any{
		slog.String("request_id", requestID), slog.String("operation", operation),
		slog.String("method", x.Method), slog.String("path", x.URL.Path), slog.Int("status", status),
	}
	if err != nil {
		attributes = append(attributes, slog.Any("error", err))
	}
	x.server.logger.InfoContext(ctx, "exchange", attributes...)
}
