package lifecycle

import (
	"context"
	"errors"

	"github.com/novacyborg/novacyborg/placement"
)

// claimCandidate is step 4: PUT /allocations/{instance} with the candidate's mappings and a null consumer generation
// (nova/scheduler/client/report.py:claim_resources). Its undo gives the claim back. A claim whose outcome is unknown
// is given back too; one that Placement refused is not, because an allocation that stands under the instance then is
// somebody else's.
func (a *attempt) claimCandidate(ctx context.Context) error {
	root, err := a.placement.Provider(ctx, a.candidate.RootProvider)
	if err != nil {
		return err
	}
	a.step.Host = root.Name
	a.claim = placement.Claim{Consumer: a.Consumer, Allocations: a.candidate.Allocations}
	a.undo.add(StepClaim, a.releaseClaim)
	claim, err := a.placement.Claim(ctx, a.Consumer, a.candidate)
	switch {
	case err == nil:
		a.claim = claim
	case refused(err):
		a.claim = placement.Claim{}
	}
	return err
}

func (a *attempt) releaseClaim(ctx context.Context) error {
	if a.claim.Allocations == nil {
		return nil
	}
	return a.placement.Release(ctx, a.claim)
}

// refused says whether Placement answered that it did not take the claim.
func refused(err error) bool {
	answer, ok := errors.AsType[*placement.Error](err)
	return ok && answer.StatusCode >= 400 && answer.StatusCode < 500
}
