package fakecyborg

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"

	"github.com/novacyborg/novacyborg/fakecyborg/journal"
)

// journalParameters are the query parameters that narrow the journal.
var journalParameters = []string{"kind", "scope", "operation", "method", "status", "request_id", "fault", "instance", "arq", "after", "finished"}

// filter reads the parameters.
func (c *controlCall) filter() (journal.Filter, *controlAnswer) {
	f := journal.Filter{
		Kind: c.query.Get("kind"), Scope: c.query.Get("scope"), Operation: c.query.Get("operation"), Method: c.query.Get("method"),
		RequestID: c.query.Get("request_id"), Fault: c.query.Get("fault"), Instance: c.query.Get("instance"), ARQ: c.query.Get("arq"),
	}
	for name, into := range map[string]*int{"status": &f.Status, "after": &f.After} {
		text := c.query.Get(name)
		if text == "" {
			continue
		}
		number, err := strconv.Atoi(text)
		if err != nil || number < 0 {
			return f, new(refuseControl(http.StatusBadRequest, "query: "+name, fmt.Errorf("want a whole number, got %q", text)))
		}
		*into = number
	}
	switch text := c.query.Get("finished"); text {
	case "", "false":
	case "true":
		f.Finished = true
	default:
		return f, new(refuseControl(http.StatusBadRequest, "query: finished", fmt.Errorf("want true or false, got %q", text)))
	}
	return f, nil
}

// readJournal exports the journal as JSON lines.
func (c *controlCall) readJournal() controlAnswer {
	filter, refusal := c.filter()
	if refusal != nil {
		return *refusal
	}
	return c.lines(filter)
}

func (c *controlCall) lines(filter journal.Filter) controlAnswer {
	var out bytes.Buffer
	if err := c.server.journal.WriteLines(&out, filter.Match); err != nil {
		return refuseControl(http.StatusInternalServerError, "", err)
	}
	return controlAnswer{status: http.StatusOK, contentType: "application/jsonl", body: out.Bytes()}
}

func (c *controlCall) clearJournal() controlAnswer {
	c.server.journal.Clear(c.query.Get("scope"))
	return noContent()
}
