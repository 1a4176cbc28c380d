package fakecyborg

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"

	faults "github.com/novacyborg/novacyborg/fakecyborg/fault"
	"github.com/novacyborg/novacyborg/fakecyborg/journal"
)

// notifier tells Nova about resolved requests.
// It mirrors cyborg/common/nova_client.py:NovaAPI.
type notifier struct {
	nova   string
	events chan<- Event
	client *http.Client
	logger *slog.Logger
	form   EventForm
	// release is how complaints are told.
	release Release
	// absent says that the cloud has no compute service.
	absent bool
	// faults may change what is sent; journal has it; jobs send what is late.
	faults  *faults.Set
	journal *journal.Journal
	jobs    *jobs
}

// eventsBody is the body of POST /os-server-external-events, and of its answer,
// where each event has a code.
type eventsBody struct {
	Events []Event `json:"events"`
}

// maxReply is how much of Nova's answer is read, 1 MiB.
const maxReply = 1 << 20

func newNotifier(c *config) *notifier {
	n := &notifier{
		nova: c.nova, events: c.events, client: &http.Client{Transport: c.novaTransport}, logger: c.logger,
		form: c.release.Events, release: c.release, absent: c.noNova,
	}
	if c.eventForm != nil {
		n.form = *c.eventForm
	}
	return n
}

// reach puts events into the channel and posts them to Nova, as far as there are
// any; without Nova the answer is 200.
func (n *notifier) reach(ctx context.Context, events []Event) (status int, reply []byte, err error) {
	if n.absent {
		return 0, nil, unforeseen(n.release.BindInConductor, "EndpointNotFound", "['internal', 'public'] endpoint for compute service in RegionOne region not found")
	}
	if err := n.intoChannel(ctx, events); err != nil {
		return 0, nil, err
	}
	if n.nova == "" || len(events) == 0 {
		return http.StatusOK, nil, nil
	}
	status, reply, err = n.post(ctx, events)
	if err != nil {
		return 0, nil, unforeseen(n.release.BindInConductor, "ConnectFailure", fmt.Sprintf("Unable to establish connection to %s/os-server-external-events: %v", n.nova, err))
	}
	return status, reply, nil
}

func (n *notifier) logEvent(ctx context.Context, event Event) {
	n.logger.InfoContext(ctx, "event", slog.String("name", event.Name), slog.String("instance", event.ServerUUID),
		slog.String("tag", event.Tag), slog.String("status", event.Status))
}

// logFailure tells of a failure that no answer can tell any more.
func (n *notifier) logFailure(ctx context.Context, err error) {
	if err != nil {
		n.logger.WarnContext(ctx, "event", slog.Any("error", err))
	}
}

// judge is the failure that Nova's answer makes of a bind, nil for none. The
// first releases look at the status only.
func (n *notifier) judge(status int, reply []byte, events []Event) error {
	if !n.release.BindJobs {
		if status < http.StatusBadRequest {
			return nil
		}
		return broken("Failed to send events %s: HTTP %d: %s", pythonEvents(events), status, reply)
	}
	detail, sameCodes := complaint(status, reply, events)
	switch {
	case detail == "":
		return nil
	case sameCodes && n.release.EventCodeFault:
		return unforeseen(n.release.BindInConductor, "TypeError", "'set' object is not subscriptable")
	}
	return n.release.fromBind(badRequest("Bad API response from Nova for os-server-external-events API. Details: %s", detail))
}

func (n *notifier) intoChannel(ctx context.Context, events []Event) error {
	if n.events == nil {
		return nil
	}
	for _, event := range events {
		select {
		case n.events <- event:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (n *notifier) post(ctx context.Context, events []Event) (int, []byte, error) {
	body, err := encode(eventsBody{Events: events})
	if err != nil {
		return 0, nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, n.nova+"/os-server-external-events", bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "*/*")
	request.Header.Set("User-Agent", "cyborg-conductor fakecyborg")
	if n.release.BindJobs {
		request.Header[versionHeader] = []string{"compute 2.82"}
		request.Header["X-OpenStack-Nova-API-Version"] = []string{"2.82"}
	}
	response, err := n.client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	reply, err := io.ReadAll(io.LimitReader(response.Body, maxReply))
	return response.StatusCode, reply, err
}

// complaint is what Cyborg finds wrong with Nova's answer, "" if nothing, and
// whether it is one code for all events. That all are refused with 422 is no
// complaint: the instance has no host yet.
func complaint(status int, reply []byte, events []Event) (detail string, sameCodes bool) {
	if status == http.StatusOK {
		return "", false
	}
	var answer struct {
		Events []struct {
			Code       int    `json:"code"`
			ServerUUID string `json:"server_uuid"`
		} `json:"events"`
	}
	if status != http.StatusMultiStatus || json.Unmarshal(reply, &answer) != nil || len(answer.Events) == 0 {
		return fmt.Sprintf("Failed to send events %s: HTTP %d: %s", pythonEvents(events), status, reply), false
	}
	first := answer.Events[0]
	for _, event := range answer.Events {
		if event.Code != first.Code {
			return "All event responses are expected to have the same event code. Instance: " + first.ServerUUID, false
		}
	}
	if first.Code == http.StatusUnprocessableEntity {
		return "", false
	}
	return fmt.Sprintf("Unexpected event code %d for instance %s", first.Code, first.ServerUUID), true
}

// pythonEvents is Python's text for the list of events.
func pythonEvents(events []Event) string {
	list := make([]any, len(events))
	for i, event := range events {
		o := newObject()
		o.set("name", event.Name)
		o.set("server_uuid", event.ServerUUID)
		o.set("tag", event.Tag)
		o.set("status", event.Status)
		list[i] = o
	}
	return pythonRepr(list)
}
