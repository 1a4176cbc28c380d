package fakecyborg

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"

	faults "github.com/novacyborg/novacyborg/fakecyborg/fault"
)

// faultHeader names, in an answer that a fault has changed, the rule that did it.
const faultHeader = "X-Fake-Fault"

// Faults are the rules by which this server fails, a Set of package
// fakecyborg/fault. There are none at the start, except those of the seed.
func (s *Server) Faults() *faults.Set { return s.faults }

// operations are the names of the operations that have routes.
func operations() []string {
	names := make([]string, 0, len(routes))
	for _, r := range routes {
		names = append(names, r.name)
	}
	return names
}

// operation is the name of the route, "" when there is none.
func (x *exchange) operation() string {
	if x.route == nil {
		return ""
	}
	return x.route.name
}

// meetFault performs the operation, unless a fault does something else with it.
func (x *exchange) meetFault() faults.Reply {
	if x.server.faults.Empty() {
		return x.reply(x.perform())
	}
	hit, met := x.server.faults.Exchange(x.subject())
	if met == nil {
		return x.reply(x.perform())
	}
	x.hit(hit.Rule)
	return met.Meet((*faulted)(x))
}

func (x *exchange) reply(status int, body []byte) faults.Reply {
	return faults.Reply{Status: status, Header: x.answer, Body: body}
}

// faulted is an exchange as faults see it.
type faulted exchange

// Proceed does what the request asks for.
func (f *faulted) Proceed() faults.Reply {
	x := (*exchange)(f)
	return x.reply(x.perform())
}

// Refuse answers with an error in one of the forms of the server.
func (f *faulted) Refuse(code int, form faults.Form, text string) faults.Reply {
	x := (*exchange)(f)
	if form == faults.Gateway {
		x.answer = http.Header{"Content-Type": {"text/html"}}
		return x.reply(code, gatewayPage(code, text))
	}
	refusal := faultf(code, "%s", text)
	switch form {
	case faults.Conductor:
		refusal.kind = fromConductor
	case faults.Routing:
		refusal.kind = fromRouting
	case faults.Lock:
		refusal.kind = fromLock
	case faults.Keystone:
		refusal.kind = fromAuth
	}
	return x.reply(x.refuse(refusal))
}

// gatewayPage is what a proxy in front of Cyborg answers.
func gatewayPage(code int, text string) []byte {
	title := fmt.Sprintf("%d %s", code, http.StatusText(code))
	return fmt.Appendf(nil, "<html><head><title>%s</title></head>\n<body><h1>%s</h1>\n<p>%s</p>\n</body></html>\n", title, title, html.EscapeString(text))
}

// deliver sends what a fault leaves of the answer.
func (x *exchange) deliver(ctx context.Context, w http.ResponseWriter, reply faults.Reply) {
	switch reply.Lost {
	case faults.Closed:
		x.log(ctx, 0, errDropped)
		dropConnection()
	case faults.Reset:
		x.log(ctx, 0, errReset)
		resetConnection(w)
	default:
		x.write(ctx, w, reply)
	}
}

// dropConnection ends the connection without an answer. The panic is how
// net/http wants to be told; nothing else works for all its protocols.
func dropConnection() { panic(http.ErrAbortHandler) }

// resetConnection ends it so that the client sees a reset, where the protocol
// knows that.
func resetConnection(w http.ResponseWriter) {
	if memory, ok := w.(*memoryWriter); ok {
		memory.drop(errReset)
		return
	}
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		dropConnection()
	}
	if secure, ok := connection.(interface{ NetConn() net.Conn }); ok {
		connection = secure.NetConn()
	}
	if tcp, ok := connection.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = connection.Close()
}

// bodyOf reads the body of a request, and puts it back, with the error that
// reading ended with. One that is longer than the limit stays where it is: it is
// refused.
func (x *exchange) bodyOf() []byte {
	if x.Body == nil || x.Body == http.NoBody || x.ContentLength > maxBody {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(x.Body, maxBody+1))
	again := &again{Reader: bytes.NewReader(data), err: err}
	x.Body = struct {
		io.Reader
		io.Closer
	}{again, x.Body}
	return data
}

// again is a body for the second time.
type again struct {
	*bytes.Reader
	err error
}

// Read ends as the body ended for the first time.
func (a *again) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	if err == io.EOF && a.err != nil {
		err = a.err
	}
	return n, err
}
