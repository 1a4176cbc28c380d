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
	// Release, Move and Drop then go by the content.
	Generation int64 `json:"generation"`
	// Allocations maps a provider's uuid to the amount taken of each resource class. It is nil only in a zero Claim,
	// which holds nothing.
	Allocations map[string]map[string]int64 `json:"allocations"`
}

// Claim allocates a candidate to a new consumer. It fails with ErrNoCapacity when the candidate does not fit any more,
// with ErrConsumerExists when the consumer holds something already, be it the same, which stays as it is, and with
// ErrConcurrentUpdate when the providers were too busy.
//
// A request whose outcome is unknown (the connection broke, the time was up, a proxy or an internal error answered) is
// followed by a look at what the consumer holds: the claim itself is a success; nothing makes Claim try again.
//
// The Claim that comes with an error tells whether something may have been taken. It is zero, with nil Allocations, when
// the candidate surely was not taken: Placement itself refused, or nothing was sent. Otherwise it has generation 0 and
// the candidate's Allocations: the outcome of some request stayed unknown, even if a later one was refused. Release
// takes both and gives back what is held if it is what was claimed.
// It mirrors nova/scheduler/client/report.py:claim_resources.
func (c *Client) Claim(ctx context.Context, consumer Consumer, candidate Candidate) (Claim, error) {
	return c.put(ctx, "claim consumer "+consumer.UUID, write{
		consumer:    consumer,
		allocations: cloneAllocations(candidate.Allocations),
		mapping:     candidate.Mapping,
	})
}
