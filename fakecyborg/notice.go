package fakecyborg

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	faults "github.com/novacyborg/novacyborg/fakecyborg/fault"
	"github.com/novacyborg/novacyborg/fakecyborg/journal"
)

// notice is what Nova is to be told in one call.
type notice struct {
	// scope is that of the request that caused it.
	scope string
	// jobs send what is late.
	jobs *generation
	told []told
}

// told is one event, with the host that rules can name.
type told struct {
	Event
	host string
}

func (n notice) subject(i int) faults.Subject {
	t := n.told[i]
	return faults.Subject{
		Operation: faults.Event, Scope: n.scope,
		ARQs: []string{t.Tag}, Hosts: []string{t.host}, Instances: []string{t.ServerUUID},
	}
}

// send delivers the events of a notice, as far as faults let it, now or later.
// What Nova refuses is the answer to the bind, although its requests stay Bound;
// nothing is repeated.
func (n *notifier) send(ctx context.Context, what notice) error {
	if len(what.told) == 0 {
		return nil
	}
	var now []faults.Delivery
	for _, d := range n.deliveries(what) {
		if d.After == 0 {
			now = append(now, d)
			continue
		}
		n.jobs.start(what.jobs, background{kind: "events are still to be sent", of: []string{d.Tag}}, func(ctx context.Context) {
			if sleep(ctx, d.After) {
				n.logFailure(ctx, n.transmit(ctx, what, []faults.Delivery{d}))
			}
		})
	}
	if len(now) == 0 {
		return nil
	}
	return n.transmit(ctx, what, now)
}

// deliveries is what faults make of the events.
func (n *notifier) deliveries(what notice) []faults.Delivery {
	list := make([]faults.Delivery, len(what.told))
	for i, t := range what.told {
		list[i] = faults.Delivery{Tag: t.Tag, Of: i}
	}
	if n.faults.Empty() {
		return list
	}
	for i := range what.told {
		hit, changes := n.faults.Event(what.subject(i))
		if changes == nil {
			continue
		}
		at := slices.IndexFunc(list, func(d faults.Delivery) bool { return d.Of == i })
		list[at].Faults = append(list[at].Faults, hit.Rule)
		list = changes.Change(list, at)
	}
	return list
}

// transmit records and sends deliveries, and returns what Cyborg finds wrong with
// Nova's answer.
func (n *notifier) transmit(ctx context.Context, what notice, list []faults.Delivery) error {
	records := make([]*journal.Open, len(list))
	var live []Event
	whole := 0
	for i, d := range list {
		event := what.told[d.Of].Event
		event.Tag = d.Tag
		records[i] = n.record(ctx, what, d, event)
		if !d.Dropped && d.Refused == 0 {
			live = append(live, event)
		}
		whole = max(whole, d.RefusedWhole)
	}
	if whole > 0 {
		live = nil
	}
	status, reply, err := n.reach(ctx, live)
	if err == nil {
		believed := eventsOf(what, list)
		status, reply = refusals(list, believed, whole, status, reply)
		err = n.judge(status, reply, believed)
	}
	for i, d := range list {
		outcome := journal.Outcome{Fault: strings.Join(d.Faults, ","), Status: codeOf(reply, status, d)}
		if err != nil {
			outcome.Error = asFault(err).text
		}
		records[i].End(outcome)
	}
	return err
}

func (n *notifier) record(ctx context.Context, what notice, d faults.Delivery, event Event) *journal.Open {
	n.logEvent(ctx, event)
	return n.journal.Begin(journal.Entry{
		Kind: journal.Event, Operation: faults.Event, Scope: what.scope, Fault: strings.Join(d.Faults, ","),
		Event: &journal.Sent{Name: event.Name, ServerUUID: event.ServerUUID, Tag: event.Tag, Status: event.Status, Dropped: d.Dropped},
	}, nil)
}

// eventsOf are the events that Cyborg believes to have sent.
func eventsOf(what notice, list []faults.Delivery) []Event {
	events := make([]Event, len(list))
	for i, d := range list {
		events[i] = what.told[d.Of].Event
		events[i].Tag = d.Tag
	}
	return events
}

// refusals puts the refusals of faults into the answer of Nova.
func refusals(list []faults.Delivery, events []Event, whole, status int, reply []byte) (int, []byte) {
	if whole > 0 {
		return whole, fmt.Appendf(nil, `{"error": {"code": %d, "message": "A fault was asked for"}}`, whole)
	}
	if !slices.ContainsFunc(list, func(d faults.Delivery) bool { return d.Refused > 0 }) || status >= http.StatusBadRequest {
		return status, reply
	}
	var nova novaAnswer
	_ = json.Unmarshal(reply, &nova) // an answer that is none refuses nothing
	var all novaAnswer
	for i, d := range list {
		code := d.Refused
		if code == 0 && !d.Dropped {
			code = http.StatusOK
			if len(nova.Events) > 0 {
				code, nova.Events = nova.Events[0].Code, nova.Events[1:]
			}
		}
		all.Events = append(all.Events, novaCode{Code: max(code, http.StatusOK), ServerUUID: events[i].ServerUUID, Tag: d.Tag})
	}
	merged, err := json.Marshal(all)
	if err != nil {
		return status, reply
	}
	return http.StatusMultiStatus, merged
}

// novaAnswer is Nova's answer to events, each with a code.
type novaAnswer struct {
	Events []novaCode `json:"events"`
}

type novaCode struct {
	Code       int    `json:"code"`
	ServerUUID string `json:"server_uuid"`
	Tag        string `json:"tag"`
}

// codeOf is Nova's code for one delivery, 0 for one that Nova never got.
func codeOf(reply []byte, status int, d faults.Delivery) int {
	if d.Dropped || status == 0 {
		return 0
	}
	var nova novaAnswer
	if status == http.StatusMultiStatus && json.Unmarshal(reply, &nova) == nil {
		for _, event := range nova.Events {
			if event.Tag == d.Tag {
				return event.Code
			}
		}
	}
	return status
}

func sleep(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
