package lifecycle

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/requestspec"
)

// RecordVersion is the version of the JSON form of a [Record].
const RecordVersion = 1

// Record is all that must be remembered of an instance to operate on its accelerators later, or to finish or take back
// an operation after a crash: [Manager.Resume]. The caller stores it, by a [Store] before and after each step, or from
// the [Result] or [Error] of an operation. Its JSON form is versioned; read it with [ParseRecord].
type Record struct {
	Version int `json:"version"`
	// Revision counts how often the record was given to a Store, so that an older copy of it is told from it; 0 without.
	Revision int64 `json:"revision,omitempty"`
	// Consumer is the instance's uuid with its project and user.
	Consumer placement.Consumer `json:"consumer"`
	State    State              `json:"state"`
	// Claim is all that the instance holds in Placement: while it moves that of both hosts.
	Claim placement.Claim `json:"claim"`
	// Now is what the instance has on its host. An offloaded one has no host, but still what it needs.
	Now Holding `json:"now"`
	// Before is what a resized or migrated instance had; [Manager.Revert] gives it back, [Manager.Confirm] forgets it.
	Before *Holding `json:"before,omitempty"`
	// Was is what a moved instance was before, and will be after Confirm or Revert.
	Was State `json:"was,omitempty"`
	// Rescue is the domain XML of a rescued instance, without devices.
	Rescue string `json:"rescue,omitempty"`
	// Left are hosts that the instance was evacuated from: [Manager.HostBoot] destroys what is left of it there.
	Left []string `json:"left,omitempty"`
	// Operation is the operation that runs, or that a crash interrupted.
	Operation *Operation `json:"operation,omitempty"`
	// Pending is what an operation could not take back or finish. The next operation tries again, and so do
	// [Manager.Resume] and [Manager.Reconcile].
	Pending []Task `json:"pending,omitempty"`
}

// Operation is an operation in progress.
type Operation struct {
	Op      Op        `json:"op"`
	Started time.Time `json:"started"`
	// Step is the last step that began.
	Step StepID `json:"step,omitempty"`
	// Committed says that the operation is to be finished; until then it is to be taken back.
	Committed bool `json:"committed,omitempty"`
	// Undo takes back what was done, last entry first.
	Undo []Task `json:"undo,omitempty"`
	// Todo is what remains to be done, first entry first: after the commit, or of an undo that has begun.
	Todo []Task `json:"todo,omitempty"`
	// Next is what the instance will have when the operation commits.
	Next *Holding `json:"next,omitempty"`
}

// Holding is what an instance has, or is to have, on one host.
type Holding struct {
	// Host is the name of the compute node's provider: Nova's node name, not the service host.
	Host string `json:"host,omitempty"`
	// Root is the uuid of that provider.
	Root string `json:"root,omitempty"`
	// Spec is what was asked for, without the groups of the device profiles, which are in Sets.
	Spec requestspec.Input `json:"spec"`
	// Domain is the libvirt domain XML without the devices.
	Domain string `json:"domain,omitempty"`
	// Interfaces are the network interfaces of accelerator ports, by the port's uuid.
	Interfaces map[string]Interface `json:"interfaces,omitempty"`
	// Allocations are this host's part of the claim.
	Allocations map[string]map[string]int64 `json:"allocations,omitempty"`
	// Sets are the accelerators by device profile: that of the flavor first.
	Sets []Set `json:"sets,omitempty"`
}

// Interface is how the device of an accelerator port appears in the guest.
type Interface struct {
	MAC string `json:"mac"`
	// VLAN is the tag of the port's segment, 1 to 4094; 0 means none.
	VLAN uint `json:"vlan,omitempty"`
}

// Source says why an instance has a [Set].
type Source string

// The sources of a set.
const (
	SourceFlavor   Source = "flavor"   // the flavor names the profile
	SourceRequest  Source = "request"  // the profile was given with the request
	SourcePort     Source = "port"     // a port names the profile
	SourceGiven    Source = "given"    // the ARQs were made by somebody else: bound and unbound, deleted only where Cyborg cannot unbind
	SourceAttached Source = "attached" // attached to the finished instance
)

// Set is the accelerators that an instance has by one device profile.
type Set struct {
	Source Source `json:"source"`
	// Owner ends the requester ids of the profile's groups, see [requestspec.RequesterID]: "" for the flavor's
	// profile, the port's uuid for that of a port.
	Owner   string          `json:"owner,omitempty"`
	Profile ProfileSnapshot `json:"profile"`
	// ARQs are in the order of their creation.
	ARQs []BoundARQ `json:"arqs,omitempty"`
	// Allocations are this set's part of the holding's.
	Allocations map[string]map[string]int64 `json:"allocations,omitempty"`
}

// BoundARQ is an ARQ with the place that it is bound to.
type BoundARQ struct {
	UUID string `json:"uuid"`
	// Group is the index of the profile's group that it serves.
	Group int `json:"group"`
	// Provider is the uuid of the resource provider that serves it.
	Provider string `json:"provider,omitempty"`
}

// Instance returns the uuid of the instance.
func (r Record) Instance() string { return r.Consumer.UUID }

// ARQs returns the uuids of the instance's ARQs, those of ports included, in the order of their creation.
func (r Record) ARQs() []string { return uuids(r.Now.Sets) }

// PortARQs maps each accelerator port to its ARQ.
func (r Record) PortARQs() map[string]string { return r.Now.portARQs() }

// Holds says whether the instance has anything, or an operation or a remainder of one is on record, be it a guest on a
// host that failed. A record that holds nothing need not be kept.
func (r Record) Holds() bool {
	return r.State != StateNone || r.Operation != nil || len(r.Pending) > 0 || len(r.Left) > 0
}

// domain is the domain XML that the guest runs from, without devices.
func (r Record) domain() string {
	if r.State == StateRescued {
		return r.Rescue
	}
	return r.Now.Domain
}

// runs says whether the instance's guest is to run.
func (r Record) runs() bool {
	state := r.State
	if state == StateMoved {
		state = r.Was
	}
	return state == StateActive || state == StateRescued
}

// Supersedes says whether the record may take the place of the stored one, nil for none. A [Store] has to refuse, with this
// error, a new instance that is on record already (ErrExists), and an older copy of a record (ErrStale).
func (r Record) Supersedes(stored *Record) error {
	switch {
	case stored != nil && r.Begins():
		return fmt.Errorf("instance %s: %w", r.Instance(), ErrExists)
	case stored == nil && r.Revision > 1:
		return fmt.Errorf("instance %s: %w: it was deleted since", r.Instance(), ErrStale)
	case stored != nil && r.Revision > 0 && r.Revision <= stored.Revision:
		return fmt.Errorf("instance %s: %w", r.Instance(), ErrStale)
	}
	return nil
}

// Begins says whether the record is the first of an instance that is about to be created.
func (r Record) Begins() bool {
	return r.Operation != nil && r.Operation.Op == OpCreate && r.Revision == 1
}

// clone copies what operations change in place, so that a Store may keep the record it is given.
func (r Record) clone() Record {
	r.Now = r.Now.clone()
	r.Before = clonePointer(r.Before)
	r.Pending, r.Left = slices.Clone(r.Pending), slices.Clone(r.Left)
	if r.Operation != nil {
		operation := *r.Operation
		operation.Undo, operation.Todo = slices.Clone(operation.Undo), slices.Clone(operation.Todo)
		operation.Next = clonePointer(operation.Next)
		r.Operation = &operation
	}
	return r
}

func (h Holding) clone() Holding {
	h.Sets = slices.Clone(h.Sets)
	for i := range h.Sets {
		h.Sets[i].ARQs = slices.Clone(h.Sets[i].ARQs)
	}
	return h
}

func clonePointer(h *Holding) *Holding {
	if h == nil {
		return nil
	}
	copied := h.clone()
	return &copied
}

// unplaced is the holding on no host yet. The uuids of ARQs that somebody else made stay, all others are to be created.
func (h Holding) unplaced() Holding {
	h = h.clone()
	h.Host, h.Root, h.Allocations = "", "", nil
	for i := range h.Sets {
		set := &h.Sets[i]
		set.Allocations = nil
		if set.Source != SourceGiven {
			set.ARQs = nil
		}
		for j := range set.ARQs {
			set.ARQs[j].Provider = ""
		}
	}
	return h
}

// uuids are those of the ARQs of all sets, or of those that one of the sources gave.
func uuids(sets []Set, sources ...Source) []string {
	var found []string
	for _, set := range sets {
		if len(sources) > 0 && !slices.Contains(sources, set.Source) {
			continue
		}
		for _, arq := range set.ARQs {
			found = append(found, arq.UUID)
		}
	}
	return found
}

// created are the uuids of the ARQs that an operation made, which are all but those given.
func created(sets []Set) []string {
	return uuids(sets, SourceFlavor, SourceRequest, SourcePort, SourceAttached)
}

// given are the uuids of the ARQs that somebody else made.
func given(sets []Set) []string { return uuids(sets, SourceGiven) }

// providers maps each ARQ to its provider.
func (h Holding) providers() map[string]string {
	found := map[string]string{}
	for _, set := range h.Sets {
		for _, arq := range set.ARQs {
			found[arq.UUID] = arq.Provider
		}
	}
	return found
}

// portARQs maps each accelerator port to its ARQ.
func (h Holding) portARQs() map[string]string {
	ports := map[string]string{}
	for _, set := range h.Sets {
		if set.Source == SourcePort && len(set.ARQs) == 1 {
			ports[set.Owner] = set.ARQs[0].UUID
		}
	}
	return ports
}

// equalAllocations compares two allocations; nil and empty ones are equal.
func equalAllocations(a, b map[string]map[string]int64) bool { return maps.EqualFunc(a, b, maps.Equal) }

// addAllocations returns the sum of two allocations.
func addAllocations(a, b map[string]map[string]int64) map[string]map[string]int64 {
	sum := map[string]map[string]int64{}
	for _, part := range []map[string]map[string]int64{a, b} {
		for provider, resources := range part {
			if sum[provider] == nil {
				sum[provider] = map[string]int64{}
			}
			for class, amount := range resources {
				sum[provider][class] += amount
			}
		}
	}
	return sum
}

// subtractAllocations returns what remains of a without b, without empty entries.
func subtractAllocations(a, b map[string]map[string]int64) map[string]map[string]int64 {
	rest := map[string]map[string]int64{}
	for provider, resources := range a {
		for class, amount := range resources {
			if amount -= b[provider][class]; amount > 0 {
				if rest[provider] == nil {
					rest[provider] = map[string]int64{}
				}
				rest[provider][class] = amount
			}
		}
	}
	return rest
}
