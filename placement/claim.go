package placement

import "context"

// Consumer is who allocations belong to: an instance, with its project and user.
type Consumer struct {
	UUID      string `json:"uuid"`
	ProjectID string `json:"project_id"`
	UserID    string `json:"user_id"`
}

// Claim is a consumer's allocation as it was written. It is all that Release, Move and Drop need, so that it can be
// stored as JSON and used after a crash.
type Claim struct {
	Consumer Consumer `json:"consumer"`
	// Generation is the consumer's generation after the write. 0 means that the outcome of the write is not known:
	// Release then goes by the content.
	Generation int64 `json:"generation"`
	// Allocations maps a provider's uuid to the amount taken of each resource class.
	Allocations map[string]map[string]int64 `json:"allocations"`
}

// Claim allocates a candidate to a new consumer. It fails with ErrNoCapacity when the candidate does not fit any more,
// with ErrConsumerExists when the consumer holds something already, which stays as it is, and with ErrConcurrentUpdate
// when the providers were too busy. A claim of ours whose reply was lost is recognised as a success, by its content: so
// the same claim made twice succeeds twice.
// On error the returned Claim has generation 0 and can be given to Release, which is right also when the reply got lost
// and Placement could not be asked again. It mirrors nova/scheduler/client/report.py:claim_resources.
func (c *Client) Claim(ctx context.Context, consumer Consumer, candidate Candidate) (Claim, error) {
	return c.put(ctx, "claim consumer "+consumer.UUID, write{
		consumer:    consumer,
		allocations: cloneAllocations(candidate.Allocations),
		mapping:     candidate.Mapping,
	})
}
