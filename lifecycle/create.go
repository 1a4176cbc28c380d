package lifecycle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/requestspec"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// CreateRequest says what instance to build.
type CreateRequest struct {
	// Consumer is the instance's uuid with its project and user, as Placement's allocations need them.
	Consumer placement.Consumer
	// Spec is the flavor and all else that decides the request groups. The groups of the device profiles are
	// read from Cyborg; those in Spec are overwritten.
	Spec requestspec.Input
	// Profile is a device profile beside the flavor, so that not every combination of devices needs a flavor (the
	// spec's later stage; Nova has it not). If the flavor names another one, that is an error unless BothProfiles
	// asks for the devices of both.
	Profile      string
	BothProfiles bool
	// ARQs are ready ARQs that somebody else made, like the ports that one gives to Nova: for each of their device
	// profiles all that it needs. They are bound, and unbound in the end, but not deleted, except by a Cyborg of
	// Ussuri to Wallaby, which cannot unbind; with that one the instance cannot move either.
	ARQs []string
	// Domain is the libvirt domain XML that gets the devices. Without one, Create ends when the ARQs are bound.
	// What is wrong with it is found before the first request, except what depends on the devices: an address
	// that is in use, or a domain type that cannot pass them through.
	Domain []byte
	// Interfaces say how the devices of accelerator ports appear in the domain, by the port's uuid. The device of
	// a port that is not named is left to the caller.
	Interfaces map[string]Interface

	group *queue
}

// Create finds a host for the instance, claims it, binds its accelerators there, composes the domain XML and has the
// hypervisor start it. On a failure that another candidate could avoid it takes everything back and goes on with the
// next one. When it returns an error, nothing is left behind but what the [Error]'s record has pending.
//
// It mirrors nova/conductor/manager.py:schedule_and_build_instances and
// nova/compute/manager.py:_build_and_run_instance, without their faults B1 to B6.
func (m *Manager) Create(ctx context.Context, request CreateRequest) (*Result, error) {
	record := Record{Version: RecordVersion, Consumer: request.Consumer, State: StateNone}
	record.Claim.Consumer = request.Consumer
	return m.operate(ctx, OpCreate, record, func(ctx context.Context, r *run) error { return r.create(ctx, request) })
}

func (r *run) create(ctx context.Context, request CreateRequest) error {
	if request.Consumer.ProjectID == "" || request.Consumer.UserID == "" {
		return errors.New("the consumer needs a project and a user: Placement takes no allocation without")
	}
	next := Holding{Spec: request.Spec, Domain: string(request.Domain), Interfaces: request.Interfaces}
	next.Spec.Profile, next.Spec.Extra = nil, nil
	return r.place(ctx, plan{
		next: next, group: request.group, arrive: r.spawnNext, grows: true,
		wish:   func(ctx context.Context) ([]Set, error) { return r.wishes(ctx, request) },
		commit: func(ctx context.Context) error { return r.commit(ctx, become(StateActive, *r.record.Operation.Next)) },
	})
}

// checkDomain finds what is wrong with a domain XML, whatever devices it gets. Without a hypervisor there may be none.
func (r *run) checkDomain(domain []byte) error {
	if len(domain) == 0 && r.runsGuests() {
		return errNoDomain
	}
	if len(domain) == 0 {
		return nil
	}
	if _, err := virtdriver.Compose(domain, nil, r.composing...); err != nil {
		return &stepError{step: Step{ID: StepCompose}, err: err}
	}
	return nil
}

// wishes are the sets that a request asks for, without ARQs but those given.
func (r *run) wishes(ctx context.Context, request CreateRequest) ([]Set, error) {
	sets, err := r.flavorWish(request.Spec.Flavor)
	if err != nil {
		return nil, err
	}
	if name := request.Profile; name != "" {
		if err := requestspec.CheckProfileName(name); err != nil {
			return nil, err
		}
		switch {
		case len(sets) > 0 && sets[0].Profile.Name == name && !request.BothProfiles:
		case len(sets) > 0 && !request.BothProfiles:
			return nil, fmt.Errorf("the flavor names device profile %s and the request %s: set BothProfiles to have the devices of both", sets[0].Profile.Name, name)
		default:
			sets = append(sets, Set{Source: SourceRequest, Owner: "-request", Profile: ProfileSnapshot{Name: name}})
		}
	}
	for _, port := range request.Spec.Ports {
		if port.Accelerator() {
			sets = append(sets, Set{Source: SourcePort, Owner: port.ID, Profile: ProfileSnapshot{Name: port.DeviceProfile}})
		}
	}
	given, err := r.givenWishes(ctx, request.ARQs)
	return append(sets, given...), err
}

// flavorWish is the set of the profile that a flavor names; Nova, and so lenient mode, knows one spelling of the key only.
func (r *run) flavorWish(flavor requestspec.Flavor) ([]Set, error) {
	name := flavor.ExtraSpecs["accel:device_profile"]
	if !r.lenient {
		if err := flavor.CheckDeviceProfile(); err != nil {
			return nil, err
		}
		name = flavor.DeviceProfile()
	}
	if name == "" {
		return nil, nil
	}
	return []Set{{Source: SourceFlavor, Profile: ProfileSnapshot{Name: name}}}, nil
}

// givenWishes reads the given ARQs and makes one set of those of each device profile.
func (r *run) givenWishes(ctx context.Context, arqs []string) ([]Set, error) {
	var sets []Set
	for i, uuid := range arqs {
		if slices.Contains(arqs[:i], uuid) {
			return nil, fmt.Errorf("the ARQ %s is given twice", uuid)
		}
		arq, err := r.cyborg.ARQ(ctx, uuid)
		if err != nil {
			return nil, err
		}
		if arq.InstanceUUID != "" || (arq.State != cyborgclient.StateInitial && arq.State != cyborgclient.StateUnbound) {
			return nil, fmt.Errorf("the given ARQ %s is %s, of instance %s: only a free one can be bound",
				uuid, arq.State, cmp.Or(arq.InstanceUUID, "none"))
		}
		at := slices.IndexFunc(sets, func(s Set) bool { return s.Profile.Name == arq.DeviceProfileName })
		if at < 0 {
			at = len(sets)
			sets = append(sets, Set{
				Source: SourceGiven, Owner: fmt.Sprintf("-given-%d", at), Profile: ProfileSnapshot{Name: arq.DeviceProfileName},
			})
		}
		sets[at].ARQs = append(sets[at].ARQs, BoundARQ{UUID: arq.UUID, Group: arq.DeviceProfileGroupID})
	}
	return sets, nil
}
