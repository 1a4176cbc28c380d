package placement

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/allocations"
)

// write replaces all allocations of a consumer. It is the body of PUT /allocations/{consumer}, with the field that
// gophercloud's own options lack: mappings.
type write struct {
	consumer    Consumer
	allocations map[string]map[string]int64
	mapping     map[string][]string
	// before is the consumer's generation before the write; nil says that the consumer is new.
	before *int64
}

// ToAllocationUpdateMap makes the body.
func (w write) ToAllocationUpdateMap() (map[string]any, error) {
	taken := make(map[string]any, len(w.allocations))
	for provider, resources := range w.allocations {
		taken[provider] = map[string]any{"resources": resources}
	}
	body := map[string]any{
		"allocations":         taken,
		"project_id":          w.consumer.ProjectID,
		"user_id":             w.consumer.UserID,
		"consumer_generation": w.before,
	}
	if len(w.mapping) > 0 {
		body["mappings"] = w.mapping
	}
	return body, nil
}

// claim is the outcome of the write when it went through.
func (w write) claim() Claim {
	return Claim{Consumer: w.consumer, Generation: value(w.before) + 1, Allocations: w.allocations}
}

// isDone tells whether what a consumer holds is exactly what this write leaves behind: the same content one
// generation on. Nobody else's write can look like that, because the generation moves only once from before.
func (w write) isDone(held *ConsumerAllocations) bool {
	if len(w.allocations) == 0 {
		return len(held.Allocations) == 0
	}
	return held.Consumer == w.consumer && held.Generation == value(w.before)+1 &&
		equalAllocations(held.Allocations, w.allocations)
}

// put sends a write until it went through or is refused for good. A conflict, or a reply that got lost, is settled by
// reading what the consumer holds, so that neither an own success is taken for a failure nor a foreign allocation is
// overwritten. The claim is valid on error, too, with generation 0: it says what may have been written.
func (c *Client) put(ctx context.Context, op string, w write) (Claim, error) {
	unknown := w.claim()
	unknown.Generation = 0
	minor, err := c.allocationVersion(ctx, &w)
	if err != nil {
		return unknown, err
	}
	err = retryConflicts(ctx, func() error {
		sent := wrap(op, allocations.Update(ctx, c.at(minor), w.consumer.UUID, w).ExtractErr())
		if sent == nil {
			return nil
		}
		return c.settle(ctx, op, &w, sent)
	})
	if err != nil {
		return unknown, err
	}
	return w.claim(), nil
}

// allocationVersion returns the microversion of a write; mappings are left out where the server does not know them.
func (c *Client) allocationVersion(ctx context.Context, w *write) (int, error) {
	if len(w.mapping) == 0 {
		return baseline, nil
	}
	known, err := c.offers(ctx, mappings)
	if err != nil || known {
		return mappings, err
	}
	w.mapping = nil
	return baseline, nil
}

// settle looks at what the consumer holds after a write failed in a way that leaves the outcome open. It returns nil
// when the write did go through, an ErrConcurrentUpdate when it is worth another try, and else the final error.
func (c *Client) settle(ctx context.Context, op string, w *write, sent error) error {
	conflict := errors.Is(sent, ErrConcurrentUpdate)
	if !conflict && wasAnswered(sent) {
		return capacity(sent)
	}
	held, err := c.Allocations(ctx, w.consumer.UUID)
	if err != nil {
		return errors.Join(sent, err)
	}
	switch {
	case w.isDone(held):
		return nil
	case !conflict || w.mayRepeat(held):
		w.adopt(held, sent)
		return sent
	case w.before == nil:
		return refuse(ErrConsumerExists, op, "it holds allocations of %d providers at generation %d", len(held.Allocations), held.Generation)
	}
	return refuse(ErrConsumerChanged, op, "its generation is %d, not %d", held.Generation, *w.before)
}

// wasAnswered tells whether Placement itself refused a write, so that it surely did not happen.
func wasAnswered(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.StatusCode != 0 && e.StatusCode < http.StatusInternalServerError
}

// mayRepeat tells whether the consumer is still as it was before the write, so that only the providers were busy.
func (w write) mayRepeat(held *ConsumerAllocations) bool {
	if len(held.Allocations) == 0 {
		return value(w.before) == 0
	}
	return w.before != nil && held.Generation == *w.before
}

// adopt takes over the empty consumer record with generation 0 that Placement leaves behind when it refuses a new
// consumer because a provider is missing: the next write must name that generation instead of null.
// See placement/handlers/allocation.py:_set_allocations_for_consumer.
func (w *write) adopt(held *ConsumerAllocations, conflict error) {
	if len(held.Allocations) > 0 || value(w.before) != 0 {
		return
	}
	if w.before == nil && strings.Contains(conflict.Error(), "expected 0 ") {
		w.before = new(int64)
		return
	}
	w.before = nil
}

// capacity tells a lack of room from other conflicts: Placement has no code of its own for it.
func capacity(err error) error {
	var e *Error
	if errors.As(err, &e) && e.StatusCode == http.StatusConflict && e.kind == nil {
		e.kind = ErrNoCapacity
	}
	return err
}
