package placement

import (
	"context"
	"encoding/json"

	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/allocations"
)

// ConsumerAllocations is what a consumer holds.
type ConsumerAllocations struct {
	Consumer Consumer
	// Generation is the consumer's generation. It is 0 when the consumer holds nothing.
	Generation int64
	// Type is the consumer's type, such as INSTANCE. It is "unknown" for consumers that were written below
	// microversion 1.38, and "" when the server is older than that or the consumer holds nothing.
	Type string
	// Allocations maps a provider's uuid to the amount taken of each resource class. It is empty, not an error, when
	// the consumer holds nothing or does not exist.
	Allocations map[string]map[string]int64
}

// Allocations returns what a consumer holds.
func (c *Client) Allocations(ctx context.Context, consumer string) (*ConsumerAllocations, error) {
	newest, err := c.serverMax(ctx)
	if err != nil {
		return nil, err
	}
	minor := baseline
	if newest >= consumerTypes {
		minor = consumerTypes
	}
	op := "get allocations of consumer " + consumer
	var found allocations.Allocations
	err = c.fetch(ctx, getAllocations, op, minor, "allocations/"+segment(consumer), func(body []byte) error {
		if err := json.Unmarshal(body, &found); err != nil {
			return err
		}
		if found.Allocations == nil {
			return refuse(nil, op, "the answer has no allocations: is this the endpoint of Placement?")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	held := &ConsumerAllocations{
		Consumer:    Consumer{UUID: consumer, ProjectID: value(found.ProjectID), UserID: value(found.UserID)},
		Generation:  int64(value(found.ConsumerGeneration)),
		Type:        value(found.ConsumerType),
		Allocations: make(map[string]map[string]int64, len(found.Allocations)),
	}
	for provider, allocation := range found.Allocations {
		held.Allocations[provider] = amounts(allocation.Resources)
	}
	return held, nil
}

func amounts(resources map[string]int) map[string]int64 {
	wide := make(map[string]int64, len(resources))
	for class, amount := range resources {
		wide[class] = int64(amount)
	}
	return wide
}

// value returns what p points to, or the zero value when a reply left the field out.
func value[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
