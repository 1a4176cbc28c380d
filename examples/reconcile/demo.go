package main

import (
	"context"
	_ "embed"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/lifecycle"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/placement/placementtest"
	"github.com/novacyborg/novacyborg/requestspec"
)

//go:embed seed.yaml
var seed []byte

// demo is a Placement and a Cyborg in this process.
type demo struct {
	placement *placement.Client
	cyborg    *cyborgclient.Client
	fake      *fakecyborg.Server
	manager   *lifecycle.Manager
	records   memory
	// bound is the last record of each instance from the moment when its ARQs were bound.
	bound map[string]lifecycle.Record
	gone  string
}

// memory keeps the records.
type memory struct {
	mu      sync.Mutex
	records map[string]lifecycle.Record
}

// Save implements lifecycle.Store.
func (m *memory) Save(_ context.Context, record lifecycle.Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if record.Holds() {
		m.records[record.Instance()] = record
	} else {
		delete(m.records, record.Instance())
	}
	return nil
}

func (m *memory) all() ([]lifecycle.Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Values(m.records)), nil
}

// demonstration makes a cloud with one instance that all is well with, one of Nova's, and some trouble.
func demonstration(ctx context.Context, grace time.Duration) (*cloud, error) {
	d := &demo{records: memory{records: map[string]lifecycle.Record{}}, bound: map[string]lifecycle.Record{}, gone: uuid.NewString()}
	if err := d.start(ctx); err != nil {
		return nil, err
	}
	_, err := d.create(ctx)
	for _, trouble := range []func(context.Context) error{d.stray, d.orphan, d.nova, d.lost, d.unallocated, d.killed} {
		if err == nil {
			err = trouble(ctx)
		}
	}
	if err != nil {
		d.fake.Close()
		return nil, err
	}
	return &cloud{
		manager: d.manager, close: d.fake.Close,
		known: lifecycle.Known{Records: d.records.all, Gone: goneIn([]string{d.gone}), AllProjects: true, Grace: grace},
	}, nil
}

func (d *demo) start(ctx context.Context) error {
	places, err := placementtest.New()
	if err != nil {
		return err
	}
	d.placement, err = placement.New(ctx, placement.WithEndpoint("http://placement.localhost"), placement.WithToken("admin"),
		placement.WithTransport(places.Transport()))
	if err != nil {
		return err
	}
	d.fake, err = fakecyborg.New(fakecyborg.WithSeedYAML("seed.yaml", seed), fakecyborg.WithPlacement(d.placement))
	if err != nil {
		return err
	}
	if err := d.fake.Report(ctx); err != nil {
		return err
	}
	d.cyborg, err = cyborgclient.New(ctx, cyborgclient.WithEndpoint("http://cyborg.localhost/v2"), cyborgclient.WithTransport(d.fake.Transport()))
	if err != nil {
		return err
	}
	d.manager, err = lifecycle.New(d.placement, d.cyborg, lifecycle.WithStore(&d.records), lifecycle.WithObserver(d.observe))
	return err
}

func (d *demo) observe(_ context.Context, step lifecycle.Step) {
	if step.ID == lifecycle.StepBind {
		d.records.mu.Lock()
		defer d.records.mu.Unlock()
		d.bound[step.Instance] = d.records.records[step.Instance]
	}
}

func flavor() requestspec.Flavor {
	return requestspec.Flavor{VCPUs: 2, MemoryMB: 2048, ExtraSpecs: map[string]string{"accel:device_profile": "gpu"}}
}

func (d *demo) create(ctx context.Context) (lifecycle.Record, error) {
	created, err := d.manager.Create(ctx, lifecycle.CreateRequest{
		Consumer: placement.Consumer{UUID: uuid.NewString(), ProjectID: "demo", UserID: "demo"}, Spec: requestspec.Input{Flavor: flavor()},
	})
	if err != nil {
		return lifecycle.Record{}, err
	}
	return created.Record, nil
}

// stray leaves an ARQ that nobody binds.
func (d *demo) stray(ctx context.Context) error {
	d.fake.SetClockOffset(-time.Hour)
	defer d.fake.SetClockOffset(0)
	_, err := d.cyborg.CreateARQs(ctx, "gpu")
	return err
}

// orphan leaves all that a deleted instance had.
func (d *demo) orphan(ctx context.Context) error { return d.build(ctx, d.gone) }

// nova has another program build an instance.
func (d *demo) nova(ctx context.Context) error { return d.build(ctx, uuid.NewString()) }

func (d *demo) build(ctx context.Context, instance string) error {
	profile, err := d.cyborg.DeviceProfileByName(ctx, "gpu")
	if err != nil {
		return err
	}
	request, err := requestspec.Build(requestspec.Input{Flavor: flavor(), Profile: profile.Groups})
	if err != nil {
		return err
	}
	candidates, err := d.placement.Candidates(ctx, request)
	if err != nil {
		return err
	}
	candidate := candidates.List[0] // the seed has as many GPUs as are asked for
	if _, err := d.placement.Claim(ctx, placement.Consumer{UUID: instance, ProjectID: "other", UserID: "other"}, candidate); err != nil {
		return err
	}
	arqs, err := d.cyborg.CreateARQs(ctx, profile.Name)
	if err != nil {
		return err
	}
	provider, err := candidate.Provider(requestspec.RequesterID(0, ""))
	if err != nil {
		return err
	}
	return d.cyborg.Bind(ctx, []cyborgclient.Binding{{ARQ: arqs[0].UUID, Hostname: "cn1", DeviceRP: provider, Instance: instance}})
}

// lost takes the ARQ from an instance that is powered off.
func (d *demo) lost(ctx context.Context) error {
	record, err := d.create(ctx)
	if err != nil {
		return err
	}
	if _, err := d.manager.Stop(ctx, record); err != nil {
		return err
	}
	return d.cyborg.Unbind(ctx, record.ARQs()...)
}

// unallocated takes the allocation of the GPU from an instance.
func (d *demo) unallocated(ctx context.Context) error {
	record, err := d.create(ctx)
	if err != nil {
		return err
	}
	_, err = d.placement.Drop(ctx, record.Claim, record.Now.Sets[0].Allocations)
	return err
}

// killed leaves what a program leaves that was killed an hour ago, right after a bind.
func (d *demo) killed(ctx context.Context) error {
	record, err := d.create(ctx)
	if err != nil {
		return err
	}
	record = d.bound[record.Instance()]
	operation := *record.Operation
	operation.Started = operation.Started.Add(-time.Hour)
	record.Operation = &operation
	return d.records.Save(ctx, record)
}
