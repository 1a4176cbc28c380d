package cyborgclient

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// AllBound says that a Bind has worked in spite of its error: every ARQ of it is
// Bound, to the host, provider and instance that were asked for. That happens
// when Nova refuses the event, which Cyborg answers with an error after it has
// bound (cyborg/common/nova_client.py), and when the answer is lost.
func (e *Error) AllBound() bool { return e.ARQs != nil && e.bound == e.asked }

// readOutcome tells the error of a failed bind what has become of its ARQs.
func (c *Client) readOutcome(ctx context.Context, bindings []Binding, failure *Error) {
	if failure.StatusCode == 0 && errors.Is(failure.Err, ErrVersion) {
		return // nothing was sent
	}
	arqs, err := c.ARQsByInstance(ctx, bindings[0].Instance)
	if err != nil {
		return
	}
	failure.asked = len(bindings)
	failure.ARQs = make([]ARQ, 0, len(bindings))
	for _, b := range bindings {
		i := slices.IndexFunc(arqs, func(arq ARQ) bool { return sameUUID(arq.UUID, b.ARQ) })
		if i < 0 {
			failure.ARQs = append(failure.ARQs, ARQ{UUID: b.ARQ})
			continue
		}
		if b.describes(arqs[i]) {
			failure.bound++
		}
		failure.ARQs = append(failure.ARQs, arqs[i])
		arqs = slices.Delete(arqs, i, i+1)
	}
	failure.ARQs = append(failure.ARQs, arqs...)
}

// describes says that the ARQ is bound as the binding asks.
func (b Binding) describes(arq ARQ) bool {
	return arq.State == StateBound && arq.Hostname == b.Hostname &&
		sameUUID(arq.DeviceRPUUID, b.DeviceRP) && sameUUID(arq.InstanceUUID, b.Instance)
}

// sameUUID compares two uuids, each with or without dashes.
func sameUUID(a, b string) bool {
	return strings.EqualFold(strings.ReplaceAll(a, "-", ""), strings.ReplaceAll(b, "-", ""))
}
