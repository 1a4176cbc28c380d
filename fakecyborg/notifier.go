package fakecyborg

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
)

// notifier tells Nova about resolved requests.
// It mirrors cyborg/common/nova_client.py:NovaAPI.
type notifier struct {
	nova   string
	events chan<- Event
	client *http.Client
	logger *slog.Logger
}

// eventsBody is the body of POST /os-server-external-events, and of its answer,
// where each event has a code.
type eventsBody struct {
	Events []Event `json:"events"`
}

// maxReply is how much of Nova's answer is read, 1 MiB.
const maxReply = 1 << 20

func newNotifier(c *config) *notifier {
	return &notifier{nova: c.nova, events: c.events, client: &http.Client{Transport: c.novaTransport}, logger: c.logger}
}

// send delivers events to the channel and to Nova. What Nova refuses is the
// answer to the bind, although its requests stay Bound; nothing is repeated.
func (n *notifier) send(ctx context.Context, events []Event) error {
	if len(events) == 0 {
		return nil
	}
	for _, event := range events {
		n.logger.InfoContext(ctx, "event", slog.String("name", event.Name), slog.String("instance", event.ServerUUID),
			slog.String("tag", event.Tag), slog.String("status", event.Status))
	}
	if err := n.intoChannel(ctx, events); err != nil {
		return err
	}
	if n.nova == "" {
		return nil
	}
	status, reply, err := n.post(ctx, events)
	if err != nil {
		return broken("Remote error: ConnectFailure Unable to establish connection to %s/os-server-external-events: %v", n.nova, err).overRPC()
	}
	if detail := complaint(status, reply, events); detail != "" {
		return badRequest("Bad API response from Nova for os-server-external-events API. Details: %s", detail).overRPC()
	}
	return nil
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
	request.Header.Set("User-Agent", "cyborg-conductor fakecyborg")
	request.Header[versionHeader] = []string{"compute 2.82"}
	request.Header["X-OpenStack-Nova-API-Version"] = []string{"2.82"}
	response, err := n.client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	reply, err := io.ReadAll(io.LimitReader(response.Body, maxReply))
	return response.StatusCode, reply, err
}

// complaint is what Cyborg finds wrong with Nova's answer, "" if nothing. That
// all events are refused with 422 is no complaint: the instance has no host yet.
func complaint(status int, reply []byte, events []Event) string {
	if status == http.StatusOK {
		return ""
	}
	var answer struct {
		Events []struct {
			Code       int    `json:"code"`
			ServerUUID string `json:"server_uuid"`
		} `json:"events"`
	}
	if status != http.StatusMultiStatus || json.Unmarshal(reply, &answer) != nil || len(answer.Events) == 0 {
		return fmt.Sprintf("Failed to send events %s: HTTP %d: %s", pythonEvents(events), status, reply)
	}
	first := answer.Events[0]
	for _, event := range answer.Events {
		if event.Code != first.Code {
			return "All event responses are expected to have the same event code. Instance: " + first.ServerUUID
		}
	}
	if first.Code == http.StatusUnprocessableEntity {
		return ""
	}
	return fmt.Sprintf("Unexpected event code %d for instance %s", first.Code, first.ServerUUID)
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
