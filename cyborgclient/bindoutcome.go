package cyborgclient

import (
	"context"
	"errors"
	"slices"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

// AllBound says that a Bind has worked in spite of its error: every ARQ of it is
// Bound, to the host, provider and instance that were asked for. That happens
// when Nova refuses the event, which Cyborg answers with an error after it has
// bound (cyborg/common/nova_client.py), and when the answer is lost.
func (e *Error) AllBound() bool {
	return e.ARQs != nil && e.goal == StateBound && e.reached == e.asked
}

// tellBound tells the error of a failed bind what has become of its ARQs.
func (c *Client) tellBound(ctx context.Context, bindings []Binding, err error) {
	uuids := make([]string, len(bindings))
	for i, b := range bindings {
		uuids[i] = b.ARQ
	}
	read := func(ctx context.Context) ([]ARQ, error) { return c.ARQsByInstance(ctx, bindings[0].Instance) }
	if failure, others := readOutcome(ctx, uuids, err, read); failure != nil {
		failure.goal = StateBound
		for i, b := range bindings {
			if b.describes(failure.ARQs[i]) {
				failure.reached++
			}
		}
		failure.ARQs = append(failure.ARQs, others...)
	}
}

// tellUnbound is tellBound for a failed unbind. Its ARQs may be of several
// instances, and old releases let only admins read single ones.
func (c *Client) tellUnbound(ctx context.Context, uuids []string, err error) {
	read := func(ctx context.Context) ([]ARQ, error) { return c.ARQs(ctx, ARQFilter{}) }
	if failure, _ := readOutcome(ctx, uuids, err, read); failure != nil {
		failure.goal = StateUnbound
		for _, arq := range failure.ARQs {
			if arq.State == StateUnbound {
				failure.reached++
			}
		}
	}
}

// readOutcome gives the error of a PATCH its ARQs and returns it, with the others
// that were read. It is nil when nothing was sent, when the caller gave up and
// when nothing could be read.
func readOutcome(ctx context.Context, uuids []string, err error, read func(context.Context) ([]ARQ, error)) (failure *Error, others []ARQ) {
	failure, failed := errors.AsType[*Error](err)
	if !failed || failure.StatusCode == 0 && errors.Is(err, ErrVersion) || osapi.NeverSent(err) || errors.Is(ctx.Err(), context.Canceled) {
		return nil, nil
	}
	if ctx.Err() != nil {
		late, cancel := afterwards(ctx)
		defer cancel()
		ctx = late
	}
	arqs, err := read(ctx)
	if err != nil {
		return nil, nil
	}
	failure.asked = len(uuids)
	failure.ARQs = make([]ARQ, len(uuids), len(uuids)+len(arqs))
	for i, uuid := range uuids {
		failure.ARQs[i].UUID = uuid
		if at := slices.IndexFunc(arqs, func(arq ARQ) bool { return sameUUID(arq.UUID, uuid) }); at >= 0 {
			failure.ARQs[i] = arqs[at]
			arqs = slices.Delete(arqs, at, at+1)
		}
	}
	return failure, arqs
}

// describes says that the ARQ is bound as the binding asks.
func (b Binding) describes(arq ARQ) bool {
	return arq.State == StateBound && arq.Hostname == b.Hostname &&
		sameUUID(arq.DeviceRPUUID, b.DeviceRP) && sameUUID(arq.InstanceUUID, b.Instance)
}
