package fakecyborg

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	faults "github.com/novacyborg/novacyborg/fakecyborg/fault"
)

// exchange is one request on its way through the server. Its steps run in the
// order of the real one's: token, microversion, routing, Accept, policy,
// arguments, handler; the first fault is the answer.
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
	// id is the id of the request.
	id string
	// lost is the answer when there is no route.
	lost *fault
	// scope is the value of the header X-Fake-Scope.
	scope string
	// sent is the body as it was sent.
	sent []byte
	// rule is the name of the rule that hit the exchange.
	rule string
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if s.serveControl(w, request) || s.serveIdentity(w, request) {
		return
	}
	if request.Method == http.MethodOptions {
		s.front.preflight(w)
		return
	}
	x := s.newExchange(request)
	record := x.begin()
	reply := x.run()
	if x.rule != "" && reply.Header != nil {
		reply.Header[faultHeader] = []string{x.rule}
	}
	x.end(record, reply)
	x.deliver(request.Context(), w, reply)
}

func (s *Server) newExchange(request *http.Request) *exchange {
	x := &exchange{
		Request: request, server: s, segments: s.locate(request.URL.Path), answer: make(http.Header, 8),
		id: "req-" + uuid.NewString(), scope: request.Header.Get(scopeHeader),
	}
	x.route, x.parameters, x.lost = s.routes.find(x.Method, x.segments)
	if x.lost == nil && otherForm(request.URL.Path) {
		x.lost = routing(http.StatusNotFound, "")
		x.lost.undescribed = true
	}
	s.front.apply(x)
	return x
}

// run takes the exchange through its steps and returns the answer.
func (x *exchange) run() faults.Reply {
	if err := x.enter(); err != nil {
		return x.reply(x.refuse(err))
	}
	return x.meetFault()
}

// perform does what the request asks for.
func (x *exchange) perform() (int, []byte) {
	result, err := x.handle()
	if kept := x.server.keeper.keep(); kept != nil {
		err = kept
	}
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

// enter takes the exchange through what comes before the operation.
func (x *exchange) enter() error {
	for _, step := range []func() *fault{
		x.authenticate,
		x.checkPath,
		x.negotiate,
		x.checkRoute,
		x.authorize,
	} {
		if refusal := step(); refusal != nil {
			return refusal
		}
	}
	return nil
}

func (x *exchange) handle() (any, error) {
	if refusal := x.readArguments(); refusal != nil {
		return nil, refusal
	}
	return x.route.run(x)
}

// checkPath refuses a path that is no text.
func (x *exchange) checkPath() *fault {
	if utf8.ValidString(x.URL.Path) {
		return nil
	}
	return routing(http.StatusBadRequest, "")
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

// checkRoute ends what has no route, and looks at the forms that the client takes.
func (x *exchange) checkRoute() *fault {
	if x.lost != nil && !x.lost.late {
		return x.lost
	}
	if refusal := x.checkAccept(); refusal != nil {
		return refusal
	}
	return x.lost
}

func (x *exchange) checkAccept() *fault {
	if strings.HasSuffix(x.URL.Path, forms[0]) || acceptsJSON(x.Header) { // the path's form counts first
		return nil
	}
	return routing(http.StatusNotAcceptable, "")
}

// refuse turns an error into an answer. What is no fault is a defect of the
// fake; it is told in the server's dialect.
func (x *exchange) refuse(err error) (int, []byte) {
	refusal := asFault(err)
	x.dropVersionHeaders(refusal)
	if refusal.status == http.StatusUnauthorized {
		x.answer["WWW-Authenticate"] = []string{fmt.Sprintf("Keystone uri=%q", x.server.authenticator.KeystoneURL(x.Request))}
	}
	if refusal.status == http.StatusMethodNotAllowed {
		x.answer["Allow"] = []string{refusal.allow}
	}
	body, err := refusal.body(x.Request)
	if err != nil {
		x.server.logger.Error("render fault", "error", err)
	}
	x.answer["Content-Type"] = []string{refusal.contentType(x.Request)}
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
// spelling, and there is no Date, as uwsgi sends none. What a fault cuts off is
// promised by the header, but not sent.
func (x *exchange) write(ctx context.Context, w http.ResponseWriter, reply faults.Reply) {
	header := w.Header()
	maps.Copy(header, reply.Header)
	header[lengthHeader(reply.Status)] = []string{strconv.Itoa(len(reply.Body))}
	header["x-openstack-request-id"] = []string{x.id}
	header["Date"] = nil
	w.WriteHeader(reply.Status)
	body := reply.Body
	if reply.Lost == faults.Part {
		body = body[:reply.Cut]
	}
	_, err := w.Write(body)
	if errors.Is(err, http.ErrBodyNotAllowed) {
		err = nil
	}
	x.log(ctx, reply.Status, err)
}

// lengthHeader is Content-Length, spelled for a 204 so that net/http, which
// drops it there, lets it pass: the real server sends it always.
func lengthHeader(status int) string {
	if status == http.StatusNoContent {
		return "content-length"
	}
	return "Content-Length"
}

func (x *exchange) log(ctx context.Context, status int, err error) {
	logger := x.server.logger
	if !logger.Enabled(ctx, slog.LevelInfo) {
		return
	}
	attributes := []slog.Attr{
		slog.String("request_id", x.id), slog.String("operation", x.operation()),
		slog.String("method", x.Method), slog.String("path", x.URL.Path), slog.Int("status", status),
	}
	if x.rule != "" {
		attributes = append(attributes, slog.String("fault", x.rule))
	}
	if err != nil {
		attributes = append(attributes, slog.Any("error", err))
	}
	logger.LogAttrs(ctx, slog.LevelInfo, "exchange", attributes...)
}
