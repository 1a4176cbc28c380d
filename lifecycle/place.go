package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// plan is how an operation brings an instance to a host: what differs between a creation, an evacuation and so on.
type plan struct {
	// next is what the instance shall have there: a holding on no host yet.
	next Holding
	// wish, if there is one, finds out which sets it shall have.
	wish func(context.Context) ([]Set, error)
	// only, if it is not empty, is the owner of the one set that is asked for: the others are there.
	only string
	// host, if it is not empty, is the only host to take; without are hosts not to take.
	host    string
	without []string
	// grows says that the project uses more in the end, which limits may forbid.
	grows bool
	// acceptChange goes on where a device profile is another one than before (B21).
	acceptChange bool
	// leave gets the guest off the devices that the instance has now; nil where it has no guest.
	leave func(context.Context) error
	// arrive brings the guest to the new ones, when they are in the domain XML; nil for none.
	arrive func(context.Context) error
	// commit makes it so.
	commit func(context.Context) error
	// group is whose turn it is among the builds that wait.
	group *queue
}

// place takes the instance through the steps 1 to 9, candidate after candidate, until it is on a host.
func (r *run) place(ctx context.Context, p plan) error {
	if err := r.checkPlan(p); err != nil {
		return err
	}
	if p.group == nil {
		p.group = &queue{}
	}
	if err := r.builds.enter(ctx, p.group); err != nil {
		return err
	}
	defer r.builds.leave()
	r.record.Operation.Next = &p.next
	if err := r.do(ctx, StepProfile, func(ctx context.Context) error { return r.readProfiles(ctx, &p) }); err != nil {
		return err
	}
	if err := r.do(ctx, StepGroups, func(context.Context) error { return r.mergeGroups(p.next, p.only) }); err != nil {
		return err
	}
	if err := r.checkLimits(ctx, p); err != nil {
		return err
	}
	for round := 1; ; round++ {
		taken, err := r.tryAll(ctx, p)
		if err == nil || !taken || round == askAgain {
			return err
		}
	}
}

// checkLimits refuses what the project may not have.
func (r *run) checkLimits(ctx context.Context, p plan) error {
	if r.limits == nil || !p.grows {
		return nil
	}
	return r.do(ctx, StepLimits, func(ctx context.Context) error {
		return r.placement.CheckLimits(ctx, r.limits, r.record.Consumer.ProjectID, r.request)
	})
}

// checkPlan finds the faults of the input that are known before anything is asked of anybody.
func (r *run) checkPlan(p plan) error {
	flavor := p.next.Spec.Flavor
	if p.only == "" && len(r.record.Claim.Allocations) > 0 && flavor.VCPUs == 0 && flavor.MemoryMB == 0 {
		return errors.New("the record has no flavor, as one that Recover made: fill in Now.Spec, or the instance would move without its CPUs and memory")
	}
	return r.checkDomain([]byte(p.next.Domain))
}

// askAgain bounds how often Placement is asked for candidates, if others were faster with all of them.
const askAgain = 3

// tryAll goes from candidate to candidate until one works, an error is final, or the bound is reached. Candidates that
// others took meanwhile do not count; taken says that all were.
func (r *run) tryAll(ctx context.Context, p plan) (taken bool, err error) {
	var candidates []placement.Candidate
	err = r.do(ctx, StepCandidates, func(ctx context.Context) (err error) {
		candidates, err = r.findCandidates(ctx, p)
		return err
	})
	if err != nil {
		return false, err
	}
	var failures error
	wanted, tries, down := p.next, 0, map[string]bool{}
	for i := range candidates {
		candidate := candidates[i]
		if down[candidate.RootProvider] {
			continue
		}
		r.step.Attempt, r.step.Host = r.step.Attempt+1, ""
		p.next = wanted.clone()
		r.record.Operation.Next, r.candidate = &p.next, candidate
		err := r.attempt(ctx, p)
		if err == nil {
			return false, nil
		}
		failures = joinFailure(failures, r.step.Host, err)
		if isTaken(err) {
			r.scatter(candidates[i+1:])
		} else {
			tries++
		}
		last := i+1 == len(candidates) || tries == r.attempts
		if last {
			failures = fmt.Errorf("tried %d of %d candidates: %w", i+1, len(candidates), failures)
		}
		down[candidate.RootProvider] = errors.Is(err, ErrHostDown)
		if !worthAnother(ctx, err) || last && tries > 0 || r.unwind(ctx) != nil {
			return false, failures
		}
	}
	return tries == 0, failures // not 0 if the rest are of hosts that are down
}

// isTaken says that a claim failed because others were faster.
func isTaken(err error) bool {
	return errors.Is(err, placement.ErrNoCapacity) || errors.Is(err, placement.ErrConcurrentUpdate)
}

// scatter lets the instance go on at a place of its own in the list: whoever lost the same candidate to others would
// otherwise lose the next ones to each other.
func (r *run) scatter(candidates []placement.Candidate) {
	if len(candidates) < 2 {
		return
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(r.record.Instance()))
	at := int(hash.Sum32()>>1) % len(candidates)
	copy(candidates, slices.Concat(candidates[at:], candidates[:at]))
}

// joinFailure keeps the failures of all attempts, in one line, each with its host where that is known.
func joinFailure(before error, host string, err error) error {
	if host != "" {
		err = fmt.Errorf("on host %s: %w", host, err)
	}
	if before == nil {
		return err
	}
	return fmt.Errorf("%w; %w", before, err)
}

// attempt takes one candidate through the steps 4 to 9 and commits.
func (r *run) attempt(ctx context.Context, p plan) error {
	if err := r.do(ctx, StepClaim, func(ctx context.Context) error { return r.claimCandidate(ctx, r.record.Operation.Next) }); err != nil {
		return err
	}
	return r.occupy(ctx, p)
}

// occupy takes the devices that the claim reserves, and gives up those that the instance has: Cyborg binds no second set
// to an instance, so that the old ones have to go first, and come back if the new ones cannot be had.
func (r *run) occupy(ctx context.Context, p plan) error {
	next := r.record.Operation.Next
	moves := r.record.Now.Host != "" && len(r.record.ARQs()) > 0
	if p.leave != nil {
		if err := p.leave(ctx); err != nil {
			return &finalError{err}
		}
	}
	steps := []struct {
		id  StepID
		run func(context.Context) error
	}{
		{StepARQs, func(ctx context.Context) error { return r.createARQs(ctx, next, moves) }},
		{StepVacate, func(ctx context.Context) error { return r.free(ctx, r.record.Now.Sets) }},
		{StepBind, func(ctx context.Context) error { return r.bindAll(ctx, *next) }},
		{StepWait, func(ctx context.Context) error { return r.waitFor(ctx, *next) }},
		{StepCompose, func(context.Context) error { return r.compose(*next, next.Domain) }},
	}
	for _, s := range steps {
		if s.id == StepVacate && !moves {
			continue
		}
		if err := r.do(ctx, s.id, s.run); err != nil {
			return err
		}
	}
	if p.arrive != nil {
		if err := p.arrive(ctx); err != nil {
			return err
		}
	}
	return p.commit(ctx)
}

// finalError is a failure that has nothing to do with the candidate.
type finalError struct{ err error }

func (e *finalError) Error() string { return e.err.Error() }
func (e *finalError) Unwrap() error { return e.err }

// worthAnother says whether another candidate could succeed where this one failed.
func worthAnother(ctx context.Context, err error) bool {
	if _, final := errors.AsType[*finalError](err); final || ctx.Err() != nil || errors.Is(err, ErrAbort) {
		return false
	}
	failed, ok := errors.AsType[*stepError](err)
	if ok && (failed.step.ID == StepGuest || failed.step.ID == StepDevices) {
		return true
	}
	_, notBound := errors.AsType[*virtdriver.WaitError](err)
	cyborg, ok := errors.AsType[*cyborgclient.Error](err)
	return isTaken(err) || notBound || ok && cyborg.RetryElsewhere()
}
