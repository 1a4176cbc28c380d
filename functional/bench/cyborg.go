package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// storedARQs are in both Cyborgs while they are compared.
const storedARQs = 1000

// question is something that both Cyborgs are asked.
type question struct {
	what        string
	goal        float64
	ours, their int  // blocks in one turn
	block       int  // requests in one of their blocks, if there are not more connections
	slow        bool // by 16 connections one block of theirs takes half a minute
	devices     bool // each connection takes a device, of which there are no more than connections
}

func questions() []question {
	return []question{
		{what: "read one ARQ", goal: 200, ours: 40, their: 4, block: 8},
		{what: "list the ARQs of an instance", goal: 10_000, ours: 40, their: 1, block: 1, slow: true},
		{what: "create, bind, read, delete an ARQ", goal: 1000, ours: 40, their: 1, block: 2, slow: true, devices: true},
	}
}

func cyborgRows() []*row {
	var rows []*row
	for _, q := range questions() {
		for _, connections := range []int{1, 16} {
			rows = append(rows, &row{
				What: fmt.Sprintf("fakecyborg: %s, %s", q.what, connectionsText(connections)),
				Peer: "Cyborg 14", Relation: "times as fast", Goal: goal{atLeast: q.goal},
			})
		}
	}
	return rows
}

func memoryRows() []*row {
	return []*row{
		{What: fmt.Sprintf("memory of the server with %d ARQs stored", storedARQs), Peer: "cyborg-api and cyborg-conductor of Cyborg 14", Relation: "of its"},
		{What: "memory of the server before", Peer: "the same", Relation: "of its"},
	}
}

// cyborgSide is one of the two Cyborgs, prepared for the questions.
type cyborgSide struct {
	base, instance, arq string
	header              []string
	pids                []int
	stored              []string
	before, after       int64 // bytes that the processes have in memory
}

func (c *cyborgSide) api(connections int) api { return newAPI(c.base, connections, c.header...) }

// fill stores the requests that the questions are about and takes the memory before and after. Those beyond the ones that
// are made through the API come from more.
func (c *cyborgSide) fill(ctx context.Context, made int, more func(context.Context) error) error {
	a := c.api(1)
	var err error
	if c.before, err = memoryOf(c.pids); err != nil {
		return err
	}
	if c.stored, err = store(ctx, a, made); err != nil {
		return err
	}
	if err := more(ctx); err != nil {
		return err
	}
	c.arq, c.instance = c.stored[len(c.stored)/2], uuid.NewString()
	if err := errors.Join(bind(ctx, a, c.arq, c.instance), readBound(ctx, a, c.arq)); err != nil {
		return err
	}
	c.after, err = memoryOf(c.pids)
	return err
}

// release deletes the bound one of the stored requests, so that all devices are free.
func (c *cyborgSide) release(ctx context.Context) error {
	c.stored = slices.DeleteFunc(c.stored, func(arq string) bool { return arq == c.arq })
	return deleteARQ(ctx, c.api(1), c.arq)
}

// empty deletes what fill stored.
func (c *cyborgSide) empty(ctx context.Context) error {
	a := c.api(1)
	var errs []error
	for some := range slices.Chunk(c.stored, 4*perProfile) {
		errs = append(errs, deleteARQ(ctx, a, strings.Join(some, ",")))
	}
	return errors.Join(errs...)
}

// ask is the operation of a question.
func (c *cyborgSide) ask(q question, a api) func(context.Context) error {
	switch q.what {
	case "read one ARQ":
		return func(ctx context.Context) error {
			return a.want(ctx, http.MethodGet, "/v2/accelerator_requests/"+c.arq, "", nil, http.StatusOK)
		}
	case "list the ARQs of an instance":
		return func(ctx context.Context) error {
			return a.want(ctx, http.MethodGet, "/v2/accelerator_requests?instance="+c.instance, "", nil, http.StatusOK)
		}
	}
	return func(ctx context.Context) error { return life(ctx, a) }
}

// measureCyborg asks the fake and the real Cyborg by turns. Without the real one the fake's memory is measured alone.
func measureCyborg(ctx context.Context, r *results) (err error) {
	fake, stop, err := startFake(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	if err := makeProfiles(ctx, fake.api(1)); err != nil {
		return err
	}
	if err := fake.fill(ctx, r.amount.of(storedARQs), func(context.Context) error { return nil }); err != nil {
		return err
	}
	r.Memory[0].Ours, r.Memory[1].Ours = megabytes(fake.after), megabytes(fake.before)
	if r.real == nil {
		withoutReal(r.Cyborg)
		withoutReal(r.Memory[:2])
		return nil
	}
	real, clean, err := prepareReal(ctx, r.real, r.amount.of(storedARQs))
	defer func() { err = errors.Join(err, clean(context.WithoutCancel(ctx))) }()
	if err != nil {
		return err
	}
	r.Memory[0].Theirs, r.Memory[1].Theirs = megabytes(real.after), megabytes(real.before)
	r.Memory[0].Ratio, r.Memory[1].Ratio = float64(fake.after)/float64(real.after), float64(fake.before)/float64(real.before)
	return compareCyborgs(ctx, r, fake, real)
}

func compareCyborgs(ctx context.Context, r *results, fake, real *cyborgSide) error {
	rows := r.Cyborg
	for _, q := range questions() {
		if q.devices {
			if err := errors.Join(fake.release(ctx), real.release(ctx)); err != nil {
				return err
			}
		}
		for _, connections := range []int{1, 16} {
			started, rounds := time.Now(), r.amount.rounds
			if q.slow && connections > 1 {
				rounds = 1
			}
			both := comparison{
				rounds: rounds, workers: connections,
				ours:   side{block: 16 * connections, blocks: r.amount.of(q.ours), do: fake.ask(q, fake.api(connections))},
				theirs: side{block: max(connections, q.block), blocks: r.amount.of(q.their), do: real.ask(q, real.api(connections))},
			}
			ours, theirs, err := both.run(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", rows[0].What, err)
			}
			rows[0].rate(ours, theirs)
			slog.Info("measured", "what", rows[0].What, "ratio", rows[0].Ratio, "seconds", int(time.Since(started).Seconds()))
			rows = rows[1:]
		}
	}
	return nil
}

// prepareReal makes the device profiles and stores requests. What it returns to clean up takes all of it back.
func prepareReal(ctx context.Context, peers *realPeers, number int) (c *cyborgSide, clean func(context.Context) error, err error) {
	c = &cyborgSide{base: peers.cyborg, header: []string{"X-Auth-Token", peers.user, "X-Service-Token", peers.service}}
	admin := newAPI(peers.cyborg, 1, "X-Auth-Token", peers.admin)
	clean = func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
		defer cancel()
		err := errors.Join(c.empty(ctx), peers.fillCyborg(ctx, 0))
		for _, profile := range []string{oneProfile, manyProfile} {
			err = errors.Join(err, admin.want(ctx, http.MethodDelete, "/v2/device_profiles/"+profile, "", nil, http.StatusNoContent, http.StatusNotFound))
		}
		return err
	}
	if err := errors.Join(peers.fillCyborg(ctx, 0), makeProfiles(ctx, admin)); err != nil { // first what a run that was cut off left
		return c, clean, err
	}
	if c.pids, err = peers.processes("cyborg-api", "cyborg-conductor"); err != nil {
		return c, clean, err
	}
	return c, clean, c.fill(ctx, perProfile, func(ctx context.Context) error { return peers.fillCyborg(ctx, number) })
}

// cyborgFillScript runs in the chroot of the real cloud, with Cyborg's own Python.
//
//go:embed cyborg_fill.py
var cyborgFillScript string

// fillCyborg has so many ARQs of manyProfile in the real Cyborg, or none of any run but bound ones.
func (p *realPeers) fillCyborg(ctx context.Context, number int) error {
	return p.runPython(ctx, cyborgFillScript, strconv.Itoa(number), manyProfile)
}

// makeProfiles creates both device profiles.
func makeProfiles(ctx context.Context, a api) error {
	return errors.Join(makeProfile(ctx, a, oneProfile, "1"), makeProfile(ctx, a, manyProfile, strconv.Itoa(perProfile)))
}

// makeProfile creates a device profile and waits until it is there: Cyborg's conductor may answer before it commits.
func makeProfile(ctx context.Context, a api, name, amount string) error {
	body := fmt.Sprintf(`[{"name": %q, "groups": [{"resources:FPGA": %q, "trait:CUSTOM_FAKE_DEVICE": "required"}]}]`, name, amount)
	if err := a.want(ctx, http.MethodPost, "/v2/device_profiles", body, nil, http.StatusCreated); err != nil {
		return err
	}
	var found struct {
		Profiles []any `json:"device_profiles"`
	}
	for range 50 {
		err := a.want(ctx, http.MethodGet, "/v2/device_profiles?name="+name, "", &found, http.StatusOK)
		if err != nil || len(found.Profiles) > 0 {
			return err
		}
		time.Sleep(200 * time.Millisecond)
	}
	return fmt.Errorf("device profile %s %w", name, errNotThere)
}

// errNotThere is a device profile that was made and is not listed.
var errNotThere = errors.New("is not listed")
