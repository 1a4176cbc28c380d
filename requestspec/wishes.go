package requestspec

import (
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// checkLimit refuses a limit that Nova's option cannot have (nova/conf/scheduler.py:max_placement_results).
func (b *builder) checkLimit() error {
	if b.in.Limit >= 0 {
		return nil
	}
	return b.refuse(Finding{
		Where: "request", Key: "limit", Value: strconv.Itoa(b.in.Limit), Reason: ErrAmount,
		Message: "the limit must be 1 or more",
	})
}

// checkWishes finds what Placement would refuse of the caller's own wishes, which Nova passes on as they are.
func (b *builder) checkWishes() {
	for _, list := range []struct {
		key    string
		traits []string
	}{{"root_required", b.in.RootRequired}, {"root_forbidden", b.in.RootForbidden}} {
		for _, trait := range list.traits {
			if !validName(trait) {
				b.noteWish(list.key, trait, ErrTrait, "Placement has no such trait: a trait has 1 to 255 of A-Z, 0-9, _")
			}
		}
	}
	for _, set := range b.in.Destination.Aggregates {
		b.checkAggregates("destination.aggregates", set)
	}
	if len(b.in.Destination.ForbiddenAggregates) > 0 {
		b.checkAggregates("destination.forbidden_aggregates", b.in.Destination.ForbiddenAggregates)
	}
	if plain := b.groups[""]; plain != nil && plain.inTree != "" && !validUUID(plain.inTree) {
		b.noteWish("compute_nodes", plain.inTree, ErrKey, "the uuid of the compute node is no uuid, and Placement finds its tree by that")
	}
	for _, d := range b.outside {
		if !validSuffix(d.suffix) {
			b.note(Finding{
				Where: d.where, Reason: ErrKey,
				Message: strconv.Quote(d.suffix) + " is no suffix that Placement takes: it has 1 to 64 of a-z, A-Z, 0-9, _, -",
			})
		}
	}
}

// checkAggregates finds a set of aggregates that is empty and members of it that are no uuids.
func (b *builder) checkAggregates(key string, set []string) {
	for uuid := range strings.SplitSeq(strings.Join(set, ","), ",") {
		if !validUUID(uuid) {
			b.noteWish(key, uuid, ErrKey, strconv.Quote(uuid)+" is no uuid of an aggregate")
		}
	}
}

func (b *builder) noteWish(key, value string, reason error, message string) {
	b.note(Finding{Where: "request", Key: key, Value: value, Reason: reason, Message: message})
}

// validUUID reports whether Placement takes s as a uuid, in one of the two forms that are in use: with hyphens and
// without (oslo_utils/uuidutils.py:is_uuid_like).
func validUUID(s string) bool {
	_, err := uuid.Parse(s)
	return err == nil && (len(s) == 36 || len(s) == 32)
}
