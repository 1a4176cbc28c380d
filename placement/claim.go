package placement

import (
	"context"
	"unicode/utf8"

	"github.com/google/uuid"
)

// Consumer is who allocations belong to: an instance, with its project and user. The UUID is in the dashed lower-case
// form; project and user are any ids of 1 to 255 characters.
type Consumer struct {
	UUID      string `json:"uuid"`
	ProjectID string `json:"project_id"`
	UserID    string `json:"user_id"`
}

// check refuses what Placement refuses (placement/schemas/allocation.py), or would take for another consumer.
func (c Consumer) check(op string) error {
	if id, err := uuid.Parse(c.UUID); err != nil || id.String() != c.UUID {
		return refuse(ErrInvalid, op, "the consumer's uuid %q is not of the dashed lower-case form", c.UUID)
	}
	for _, field := range []struct{ name, id string }{{"project", c.ProjectID}, {"user", c.UserID}} {
		if n := utf8.RuneCountInString(field.id); n < 1 || n > 255 {
			return refuse(ErrInvalid, op, "the consumer's %s id must have 1 to 255 characters", field.name)
		}
	}
	return nil
}

// check refuses a candidate that takes nothing: Placement would take it for a release.
func (c Candidate) check(op string) error {
	if len(c.Allocations) == 0 {
		return refuse(ErrInvalid, op, "the candidate is empty: take one of Candidates.List")
	}
	return nil
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

// Claim allocates a candidate to a new consumer. It fails with ErrInvalid, before anything is sent, when the consumer's
// ids are not usable or the candidate is empty, with ErrNoCapacity when the candidate does not fit any more, with
// ErrNotFound when a provider of it is gone, with ErrConsumerExists when the consumer holds something already, be it the same, which stays as it is, and with
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
	op := "claim consumer " + consumer.UUID
	if err := consumer.check(op); err != nil {
		return Claim{}, err
	}
	if err := candidate.check(op); err != nil {
		return Claim{}, err
	}
	return c.put(ctx, op, write{
		consumer:    consumer,
		allocations: cloneAllocations(candidate.Allocations),
		mapping:     candidate.Mapping,
	})
}
