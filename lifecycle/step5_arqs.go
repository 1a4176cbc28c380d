package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/requestspec"
)

// createARQs is step 5: one POST /v2/accelerator_requests for each set, each ARQ matched to the provider of its group
// (nova/conductor/manager.py:_create_and_bind_arq_for_instance). Every created uuid is on record at once and deleted by
// the undo, whatever fails later (B4). Where the instance has ARQs already, the undo binds those again.
func (r *run) createARQs(ctx context.Context, next *Holding, restore bool) error {
	if restore {
		if err := r.intend(ctx, Task{Kind: TaskRestoreARQs}); err != nil {
			return err
		}
	}
	for i := range next.Sets {
		if err := r.createSet(ctx, &next.Sets[i], restore); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) createSet(ctx context.Context, set *Set, restore bool) error {
	if set.Source == SourceGiven && restore { // the instance's own: the undo binds it again
		return r.match(set, set.ARQs)
	}
	if set.Source == SourceGiven {
		if err := r.intend(ctx, Task{Kind: TaskUnbindARQs, ARQs: given([]Set{*set})}); err != nil {
			return err
		}
		return r.match(set, set.ARQs)
	}
	before := set.ARQs
	if err := r.post(ctx, set); err != nil {
		return err
	}
	r.revise(Task{Kind: TaskDeleteARQs, ARQs: created([]Set{*set})})
	if n := len(set.ARQs); n == 0 || (set.Source == SourcePort && n > 1) {
		return fmt.Errorf("device profile %s makes %d ARQs: a flavor needs at least one, a port exactly one", set.Profile.Name, n)
	}
	if err := set.checkMade(); err != nil {
		return err
	}
	return r.match(set, before)
}

// checkMade notices, by the ARQs that came of it, a profile that was replaced since it was read: the claim does not fit
// any more then. A group of Xilinx cards makes one ARQ for each device, or two, as the release has it.
func (s Set) checkMade() error {
	want, err := requestspec.ExpectedARQs(s.Profile.Groups)
	if err != nil {
		return nil //nolint:nilerr // lenient mode goes on with amounts that cannot be read
	}
	have := make([]int, len(want))
	for _, arq := range s.ARQs {
		if arq.Group < 0 || arq.Group >= len(want) {
			return fmt.Errorf("%w: %s makes an ARQ for group %d, which it did not have", ErrProfileChanged, s.Profile.Name, arq.Group)
		}
		have[arq.Group]++
	}
	for i := range want {
		if have[i] != want[i] && have[i]*2 != want[i] {
			return fmt.Errorf("%w: group %d of %s makes %d ARQs, and should make %d", ErrProfileChanged, i, s.Profile.Name, have[i], want[i])
		}
	}
	return nil
}

// createAgain makes the ARQs of a set on record anew, for the providers that it had. Given ones are there still.
func (r *run) createAgain(ctx context.Context, set *Set) error {
	if set.Source == SourceGiven {
		return nil
	}
	if err := r.readSet(ctx, &plan{}, set); err != nil { // another profile would make others (B21)
		return err
	}
	before := set.ARQs
	if err := r.post(ctx, set); err != nil {
		return err
	}
	r.revise(Task{Kind: TaskDeleteARQs, ARQs: created([]Set{*set})})
	if err := errors.Join(set.checkMade(), r.match(set, before)); err != nil {
		return errors.Join(err, r.deleteARQs(ctx, created([]Set{*set})))
	}
	r.revise() // they are on record as the instance's own from here
	return nil
}

// post creates a set's ARQs. Until the answer is there, nobody knows their uuids: that is on record instead.
func (r *run) post(ctx context.Context, set *Set) error {
	stray := Task{Kind: TaskStrays, Profile: set.Profile.Name, Since: time.Now().UTC()}
	if err := r.intend(ctx, stray); err != nil {
		return err
	}
	arqs, err := r.cyborg.CreateARQs(ctx, set.Profile.Name)
	if err != nil {
		if answer, ok := errors.AsType[*cyborgclient.Error](err); ok && answer.Refused() {
			r.revise()
		}
		return err
	}
	set.ARQs = nil
	for _, arq := range arqs {
		set.ARQs = append(set.ARQs, BoundARQ{UUID: arq.UUID, Group: arq.DeviceProfileGroupID})
	}
	return nil
}

// match finds the provider of each ARQ: the one that its group had before, if the set had a place, otherwise the one
// that the claimed candidate gives the group.
func (r *run) match(set *Set, before []BoundARQ) error {
	had := map[int]string{}
	for _, arq := range before {
		had[arq.Group] = arq.Provider
	}
	for i := range set.ARQs {
		arq := &set.ARQs[i]
		arq.Provider = had[arq.Group]
		if arq.Provider != "" {
			continue
		}
		provider, err := r.candidate.Provider(requestspec.RequesterID(arq.Group, set.Owner))
		if err != nil {
			return fmt.Errorf("ARQ %s: %w", arq.UUID, err)
		}
		arq.Provider = provider
	}
	return nil
}
