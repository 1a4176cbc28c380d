package placement

import "context"

// Move adds a candidate to what a claim holds, so that one consumer holds two hosts while an instance moves. The
// returned claim replaces the old one; afterwards Drop gives back the half that is not needed. It fails as Claim does,
// and with ErrConsumerChanged when the claim is not the consumer's present state; then nothing was changed.
//
// With an error comes a zero Claim when surely nothing was changed: the old claim stays good. Otherwise the returned
// Claim has generation 0 and the intended Allocations: the consumer holds either these or those of the old claim, so
// that Release of both, one of which fails with ErrConsumerChanged, leaves nothing.
// It mirrors the doubled allocation of an evacuation in nova/scheduler/client/report.py:claim_resources.
func (c *Client) Move(ctx context.Context, claim Claim, candidate Candidate) (Claim, error) {
	op := "move consumer " + claim.Consumer.UUID
	if err := candidate.check(op); err != nil {
		return Claim{}, err
	}
	claim, err := c.resolve(ctx, op, claim)
	if err != nil {
		return Claim{}, err
	}
	if claim.Generation == 0 {
		return Claim{}, refuse(ErrConsumerChanged, op, "it holds nothing: claim it instead")
	}
	return c.put(ctx, op, write{
		consumer:    claim.Consumer,
		allocations: sumAllocations(claim.Allocations, candidate.Allocations),
		mapping:     candidate.Mapping,
		before:      &claim.Generation,
	})
}

// Drop gives back a part of what a claim holds: the host that an instance moved away from, or the one that it did not
// reach. The returned claim replaces the old one. Amounts that the claim does not hold are refused with ErrInvalid
// before anything is sent. The claim that comes with an error is as with Move. It mirrors nova/scheduler/client/report.py:remove_provider_tree_from_instance_allocation.
func (c *Client) Drop(ctx context.Context, claim Claim, part map[string]map[string]int64) (Claim, error) {
	op := "drop a part of consumer " + claim.Consumer.UUID
	claim, err := c.resolve(ctx, op, claim)
	if err != nil {
		return Claim{}, err
	}
	rest, err := subtractAllocations(op, claim.Allocations, part)
	if err != nil {
		return Claim{}, err
	}
	return c.put(ctx, op, write{consumer: claim.Consumer, allocations: rest, before: &claim.Generation})
}
