package lifecycle

import "context"

// claimCandidate is step 4: PUT /allocations/{instance} with the candidate's mappings and a null consumer generation
// (nova/scheduler/client/report.py:claim_resources). Its undo gives the claim back, also one whose outcome is unknown.
// A claim that was surely not taken comes back empty; what stands under the instance then is somebody else's.
func (a *attempt) claimCandidate(ctx context.Context) error {
	root, err := a.placement.Provider(ctx, a.candidate.RootProvider)
	if err != nil {
		return err
	}
	a.step.Host = root.Name
	a.undo.add(StepClaim, a.releaseClaim)
	a.claim, err = a.placement.Claim(ctx, a.Consumer, a.candidate)
	return err
}

func (a *attempt) releaseClaim(ctx context.Context) error {
	if a.claim.Allocations == nil {
		return nil
	}
	return a.placement.Release(ctx, a.claim)
}
