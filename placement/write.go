package placement

import (
	"context"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/allocations"

	"github.com/novacyborg/novacyborg/internal/osapi"
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

// intended is the outcome of a write of which nobody knows whether it went through.
func (w write) intended() Claim {
	claim := w.claim()
	claim.Generation = 0
	if claim.Allocations == nil {
		claim.Allocations = make(map[string]map[string]int64)
	}
	return claim
}

// put sends a write until it went through or is refused for good. On error the claim is zero when the write surely did
// not happen, and what was intended, with generation 0, when that is not known.
func (c *Client) put(ctx context.Context, op string, w write) (Claim, error) {
	minor, err := c.allocationVersion(ctx, &w)
	if err != nil {
		return Claim{}, err
	}
	sending := &sending{Client: c, write: w, op: op, minor: minor}
	err = retry(ctx, func() (bool, error) { return sending.once(ctx) })
	switch {
	case err == nil:
		return sending.claim(), nil
	case sending.lost > 0:
		return sending.intended(), err
	}
	return Claim{}, err
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

// update sends the write once.
func (s *sending) update(ctx context.Context) error {
	return s.call(ctx, putAllocations, s.op, func(ctx context.Context) (gophercloud.Result, error) {
		answer := allocations.Update(osapi.AtMostOnce(ctx), s.at(s.minor), segment(s.consumer.UUID), s.write)
		return answer.Result, answer.Err
	})
}
