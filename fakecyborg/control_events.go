package fakecyborg

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	faults "github.com/novacyborg/novacyborg/fakecyborg/fault"
	"github.com/novacyborg/novacyborg/fakecyborg/journal"
)

// listEvents is the journal of the events alone.
func (c *controlCall) listEvents() controlAnswer {
	filter, refusal := c.filter()
	if refusal != nil {
		return *refusal
	}
	filter.Kind = journal.Event
	return c.lines(filter)
}

// SendEvent tells Nova an event by hand, whatever state anything is in; no fault
// touches it. The error is what Cyborg would make of Nova's answer.
func (s *Server) SendEvent(ctx context.Context, event Event) error {
	return s.sendEvent(ctx, "", event)
}

func (s *Server) sendEvent(ctx context.Context, scope string, event Event) error {
	what := notice{scope: scope, told: []told{{Event: event}}}
	return s.notifier.transmit(ctx, what, []faults.Delivery{{Tag: event.Tag}})
}

func (c *controlCall) postEvent() controlAnswer {
	data, refusal := c.read()
	if refusal != nil {
		return *refusal
	}
	event := Event{Name: "accelerator-request-bound", Status: "completed"}
	if err := decodeStrictly(data, &event); err != nil {
		return refuseInput(err)
	}
	for key, value := range map[string]string{"server_uuid": event.ServerUUID, "tag": event.Tag} {
		if value == "" {
			return refuseControl(http.StatusBadRequest, "body: "+key, errors.New("is missing"))
		}
	}
	if err := c.server.sendEvent(c.Context(), c.Header.Get(scopeHeader), event); err != nil {
		return refuseControl(http.StatusBadGateway, "", fmt.Errorf("nova: %s", asFault(err).text))
	}
	return jsonAnswer(http.StatusOK, event)
}

// decodeStrictly reads one JSON object whose keys are all known.
func decodeStrictly(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	if err == nil {
		if _, more := decoder.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is something behind the object")
		}
	}
	if err != nil {
		return fmt.Errorf("byte %d: %w", decoder.InputOffset(), err)
	}
	return nil
}
