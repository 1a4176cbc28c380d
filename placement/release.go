package placement

import "context"

// Release gives back all that a claim holds, if the consumer's allocations are still the ones of the claim. A consumer
// that holds nothing any more, or a zero Claim, is no error. It fails with ErrConsumerChanged, and leaves everything as it is, when
// somebody wrote the consumer's allocations since. It mirrors
// nova/scheduler/client/report.py:delete_allocation_for_instance, but never deletes by force.
func (c *Client) Release(ctx context.Context, claim Claim) error {
	op := "release consumer " + claim.Consumer.UUID
	claim, err := c.resolve(ctx, op, claim)
	if err != nil || len(claim.Allocations) == 0 {
		return err
	}
	_, err = c.put(ctx, op, write{consumer: claim.Consumer, before: &claim.Generation})
	return err
}

// resolve fills in the generation of a claim whose outcome is not known. The claim comes back empty when the consumer
// holds nothing.
func (c *Client) resolve(ctx context.Context, op string, claim Claim) (Claim, error) {
	switch {
	case claim.Generation != 0:
		return claim, nil
	case claim.Allocations == nil:
		return Claim{}, nil
	}
	held, err := c.Allocations(ctx, claim.Consumer.UUID)
	switch {
	case err != nil:
		return claim, err
	case len(held.Allocations) == 0:
		return Claim{Consumer: claim.Consumer}, nil
	case held.Consumer != claim.Consumer || !equalAllocations(held.Allocations, claim.Allocations):
		return claim, refuse(ErrConsumerChanged, op, "it holds other allocations than were claimed")
	}
	claim.Generation = held.Generation
	return claim, nil
}
