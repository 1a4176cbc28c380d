package lifecycle

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

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
	// Domain is the libvirt domain XML that gets the devices. Without one, Create ends when the ARQs are bound.
	// What is wrong with it is found before the first request, except what depends on the devices: an address
	// that is in use, or a domain type that cannot pass them through.
	Domain []byte
}

// Created is what a successful [Manager.Create] did.
type Created struct {
	// Record is what the caller must store to delete or move the instance later.
	Record Record
	// Request is the merged request; its Query is what Placement was asked.
	Request *requestspec.Request
	// Candidate is the claimed one, with the provider of each group.
	Candidate placement.Candidate
	// ARQs are the bound ARQs, those of ports included.
	ARQs []cyborgclient.ARQ
	// Composition is the domain XML with the devices; nil where the request had no domain.
	Composition *virtdriver.Composition
}

// Create finds a host for the instance, claims it, binds its accelerators there and composes the domain XML. On a
// failure that another candidate could avoid it takes everything back and goes on with the next one. When it returns
// an error, nothing is left behind unless the [Error]'s Undo says so.
//
// It mirrors nova/conductor/manager.py:schedule_and_build_instances and
// nova/compute/manager.py:_build_and_run_instance, without their faults B1 to B6.
func (m *Manager) Create(ctx context.Context, request CreateRequest) (*Created, error) {
	run := &creation{Manager: m, CreateRequest: request, step: Step{Op: "create", Instance: request.Consumer.UUID}}
	created, undo, err := run.all(ctx)
	if err != nil {
		return nil, operationError(&run.step, err, undo)
	}
	return created, nil
}

// creation is the state of one run of Create. Each step is a method in a file that bears its number.
type creation struct {
	*Manager
	CreateRequest
	step     Step
	profiles []ProfileSnapshot
	request  *requestspec.Request
}

func (c *creation) all(ctx context.Context) (created *Created, undo, err error) {
	if err := c.check(); err != nil {
		return nil, nil, err
	}
	if err := c.run(ctx, StepProfile, c.readProfiles); err != nil {
		return nil, nil, err
	}
	if err := c.run(ctx, StepGroups, c.mergeGroups); err != nil {
		return nil, nil, err
	}
	var candidates []placement.Candidate
	err = c.run(ctx, StepCandidates, func(ctx context.Context) (err error) {
		candidates, err = c.findCandidates(ctx)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return c.tryAll(ctx, candidates)
}

// check finds the faults of the input that are known before anything is asked of anybody.
func (c *creation) check() error {
	if err := checkUUID(c.Consumer.UUID); err != nil {
		return err
	}
	if c.Consumer.ProjectID == "" || c.Consumer.UserID == "" {
		return errors.New("the consumer needs a project and a user: Placement takes no allocation without")
	}
	if len(c.Domain) == 0 {
		return nil
	}
	if _, err := virtdriver.Compose(c.Domain, nil, c.compose...); err != nil {
		return &stepError{step: Step{ID: StepCompose}, err: err}
	}
	return nil
}

// checkUUID refuses spellings other than the usual one, because Cyborg and Placement compare uuids as text.
func checkUUID(instance string) error {
	id, err := uuid.Parse(instance)
	if err != nil {
		return fmt.Errorf("instance uuid %q: %w", instance, err)
	}
	if instance != id.String() {
		return fmt.Errorf("instance uuid %q: write it as %s", instance, id)
	}
	return nil
}

func (c *creation) run(ctx context.Context, id StepID, run func(context.Context) error) error {
	c.step.ID = id
	return c.do(ctx, &c.step, run)
}

// tryAll goes from candidate to candidate until one works, an error is final, or the bound is reached.
func (c *creation) tryAll(ctx context.Context, candidates []placement.Candidate) (created *Created, undo, err error) {
	var failures error
	tries := min(len(candidates), c.attempts)
	for i, candidate := range candidates[:tries] {
		c.step.Attempt, c.step.Host = i+1, ""
		created, undo, err := c.try(ctx, candidate)
		if err == nil {
			return created, nil, nil
		}
		failures = joinFailure(failures, c.step.Host, err)
		if undo != nil || !worthAnother(ctx, err) {
			return nil, undo, failures
		}
	}
	return nil, nil, fmt.Errorf("tried %d of %d candidates: %w", tries, len(candidates), failures)
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

// try takes one candidate through the steps 4 to 8, and takes everything back if one of them fails.
func (c *creation) try(ctx context.Context, candidate placement.Candidate) (created *Created, undo, err error) {
	log := &undoLog{}
	a := &attempt{creation: c, candidate: candidate, undo: log}
	if err := a.all(ctx); err != nil {
		return nil, c.unwind(ctx, log, c.step), err
	}
	return a.result(), nil, nil
}

// attempt is the state of the steps that depend on the candidate.
type attempt struct {
	*creation
	candidate   placement.Candidate
	undo        *undoLog
	claim       placement.Claim
	created     []ownedARQ
	bindings    []cyborgclient.Binding
	bound       []cyborgclient.ARQ
	composition *virtdriver.Composition
}

func (a *attempt) all(ctx context.Context) error {
	steps := []struct {
		id  StepID
		run func(context.Context) error
	}{
		{StepClaim, a.claimCandidate},
		{StepARQs, a.createARQs},
		{StepBind, a.bind},
		{StepWait, a.wait},
		{StepCompose, a.composeDomain},
	}
	for _, s := range steps {
		if err := a.run(ctx, s.id, s.run); err != nil {
			return err
		}
	}
	return nil
}

func (a *attempt) result() *Created {
	record := Record{
		Version: RecordVersion, Instance: a.Consumer.UUID, Hostname: a.step.Host,
		Claim: a.claim, Profiles: a.profiles, ARQs: a.uuids(), PortARQs: a.portARQs(),
	}
	return &Created{
		Record: record, Request: a.request, Candidate: a.candidate, ARQs: a.bound, Composition: a.composition,
	}
}

// worthAnother says whether another candidate could succeed where this one failed.
func worthAnother(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	if errors.Is(err, placement.ErrNoCapacity) || errors.Is(err, placement.ErrConcurrentUpdate) {
		return true
	}
	if _, ok := errors.AsType[*virtdriver.WaitError](err); ok {
		return true
	}
	cyborg, ok := errors.AsType[*cyborgclient.Error](err)
	return ok && cyborg.RetryElsewhere()
}
