package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/placement"
)

// Recover makes a record of an instance from what Placement and Cyborg know of it, for a caller that lost it. It cannot
// know ARQs that are not bound, nor what they do not tell: the flavor, the ports and the domain XML, without which the
// instance can be deleted but not moved; the caller may fill them in. An instance that owns nothing gives a record in
// StateNone, whose Delete has nothing to do. Each ARQ counts for one unit of what the instance holds of its provider; where
// that is of several classes, Detach is refused until the caller has filled in the set's part.
func (m *Manager) Recover(ctx context.Context, instance string) (Record, error) {
	record := Record{Version: RecordVersion, State: StateNone}
	record.Consumer.UUID = instance
	r := &run{Manager: m, record: record, step: Step{Op: OpRecover, Instance: instance}}
	err := checkUUID(instance)
	if err == nil {
		r.begin()
		err = r.do(ctx, StepClaim, r.recoverClaim)
	}
	if err == nil {
		err = r.do(ctx, StepARQs, r.recoverARQs)
	}
	r.record.Operation = nil
	if err != nil {
		return Record{}, r.failure(err, nil)
	}
	return r.record, nil
}

func (r *run) recoverClaim(ctx context.Context) error {
	held, err := r.placement.Allocations(ctx, r.record.Instance())
	if err != nil {
		return err
	}
	r.record.Claim = placement.Claim{Consumer: held.Consumer, Generation: held.Generation, Allocations: held.Allocations}
	r.record.Claim.Consumer.UUID = r.record.Instance()
	r.record.Consumer, r.record.Now.Allocations = r.record.Claim.Consumer, held.Allocations
	if len(held.Allocations) > 0 {
		r.record.State = StateActive
	}
	return nil
}

func (r *run) recoverARQs(ctx context.Context) error {
	arqs, err := r.cyborg.ARQsByInstance(ctx, r.record.Instance())
	if err != nil {
		return err
	}
	now := &r.record.Now
	for _, arq := range arqs {
		if now.Host != "" && now.Host != arq.Hostname {
			return fmt.Errorf("the instance has ARQs on the hosts %s and %s: delete those of the wrong one first", now.Host, arq.Hostname)
		}
		now.Host, r.record.State = arq.Hostname, StateActive
		if err := r.recoverARQ(ctx, arq); err != nil {
			return err
		}
	}
	return nil
}

// recoverARQ puts the ARQ into the set of its profile.
func (r *run) recoverARQ(ctx context.Context, arq cyborgclient.ARQ) error {
	now := &r.record.Now
	at := slices.IndexFunc(now.Sets, func(s Set) bool { return s.Profile.Name == arq.DeviceProfileName })
	if at < 0 {
		profile, err := r.cyborg.DeviceProfileByName(ctx, arq.DeviceProfileName)
		if errors.Is(err, cyborgclient.ErrNotFound) {
			profile, err = &cyborgclient.DeviceProfile{Name: arq.DeviceProfileName}, nil
		}
		if err != nil {
			return err
		}
		taken, err := snapshot(profile)
		if err != nil {
			return err
		}
		set := Set{Source: SourceAttached, Owner: now.freeOwner(), Profile: taken}
		at, now.Sets = len(now.Sets), append(now.Sets, set)
	}
	set := &now.Sets[at]
	set.Allocations = addAllocations(set.Allocations, now.unit(arq.DeviceRPUUID))
	set.ARQs = append(set.ARQs, BoundARQ{UUID: arq.UUID, Group: arq.DeviceProfileGroupID, Provider: arq.DeviceRPUUID})
	return nil
}

// unit is what an ARQ at a provider takes: one of the only class that the instance holds there. It is nil if that cannot
// be told, or the sets have it all.
func (h Holding) unit(provider string) map[string]map[string]int64 {
	var taken map[string]map[string]int64
	for _, set := range h.Sets {
		taken = addAllocations(taken, set.Allocations)
	}
	there := h.Allocations[provider]
	if len(there) != 1 {
		return nil
	}
	for class, amount := range there {
		if taken[provider][class] < amount {
			return map[string]map[string]int64{provider: {class: 1}}
		}
	}
	return nil
}

// checkPart refuses to part with a set of a recovered record whose part of the allocations Recover could not tell.
func (h Holding) checkPart(set Set) error {
	for _, arq := range set.ARQs {
		if held := h.Allocations[arq.Provider]; len(held) > 0 && len(set.Allocations[arq.Provider]) == 0 {
			return fmt.Errorf("the record does not tell how much of %v at provider %s is for ARQ %s, as after Recover: add it to the set's allocations",
				held, arq.Provider, arq.UUID)
		}
	}
	return nil
}
