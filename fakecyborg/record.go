package fakecyborg

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"

	faults "github.com/novacyborg/novacyborg/fakecyborg/fault"
	"github.com/novacyborg/novacyborg/fakecyborg/journal"
)

// scopeHeader marks the requests of one test among others: faults and entries of
// the journal can be narrowed to it.
const scopeHeader = "X-Fake-Scope"

// How a connection can end without an answer.
var (
	errDropped = errors.New("the connection was ended without an answer")
	errReset   = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
)

// Journal records every exchange and every event.
func (s *Server) Journal() *journal.Journal { return s.journal }

// WithJournal sets how much the journal keeps; see [journal.Limits] for what it
// keeps otherwise.
func WithJournal(limits journal.Limits) Option {
	return func(c *config) error {
		c.journal = limits
		return nil
	}
}

// begin reads the body and opens an entry.
func (x *exchange) begin() *journal.Open {
	x.sent = x.bodyOf()
	return x.server.journal.Begin(journal.Entry{
		Scope: x.scope, Operation: x.operation(), RequestID: x.id,
		Method: x.Method, Path: x.URL.Path, Query: x.URL.RawQuery, RequestHeader: x.Header,
	}, x.sent)
}

// end completes the entry, before anything is sent: who has the answer finds the
// entry complete.
func (x *exchange) end(record *journal.Open, reply faults.Reply) {
	outcome := journal.Outcome{
		Status: reply.Status, Header: reply.Header, Body: reply.Body,
		RequestID: x.id, Caller: x.caller.Project, Fault: x.rule,
	}
	switch reply.Lost {
	case faults.Part:
		outcome.Error = fmt.Sprintf("the answer was cut after %d bytes of its body", reply.Cut)
	case faults.Closed:
		outcome.Error = errDropped.Error()
	case faults.Reset:
		outcome.Error = "the connection was reset"
	case faults.Nothing:
	}
	record.End(outcome)
}
