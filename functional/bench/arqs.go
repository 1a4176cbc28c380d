package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

const (
	// fakeHost is the one host of functional/realstack; the fake has one of that name.
	fakeHost = "realstack-cn1"
	// perProfile is how many devices it has, and how many manyProfile asks for.
	perProfile = 16
)

// oneProfile and manyProfile are device profiles, with names of this run alone: a conflict with one that a run before
// left behind makes Cyborg 14's conductor forget to commit what comes after it.
var (
	oneProfile  = "bench-one-" + uuid.NewString()[:8]
	manyProfile = "bench-sixteen-" + uuid.NewString()[:8]
)

// fakeFPGAs is the provider that both Cyborgs make for that host's device.
var fakeFPGAs = driver.ProviderUUID(fakeHost + "_FakeDevice")

// seedText is what the fake has.
//
//go:embed seed.yaml
var seedText []byte

// makeARQs creates the requests of a profile.
func makeARQs(ctx context.Context, a api, profile string) ([]string, error) {
	var made struct {
		ARQs []struct {
			UUID string `json:"uuid"`
		} `json:"arqs"`
	}
	body := fmt.Sprintf(`{"device_profile_name": %q}`, profile)
	if err := a.want(ctx, http.MethodPost, "/v2/accelerator_requests", body, &made, http.StatusCreated); err != nil {
		return nil, err
	}
	uuids := make([]string, 0, len(made.ARQs))
	for _, arq := range made.ARQs {
		uuids = append(uuids, arq.UUID)
	}
	return uuids, nil
}

// bind binds a request. Where no Nova knows the instance, Cyborg binds it and answers 400 all the same; readBound sees to that.
func bind(ctx context.Context, a api, arq, instance string) error {
	body := fmt.Sprintf(`{%q: [{"path": "/hostname", "op": "add", "value": %q}, {"path": "/device_rp_uuid", "op": "add", "value": %q}, `+
		`{"path": "/instance_uuid", "op": "add", "value": %q}]}`, arq, fakeHost, fakeFPGAs, instance)
	return a.want(ctx, http.MethodPatch, "/v2/accelerator_requests", body, nil, http.StatusAccepted, http.StatusBadRequest)
}

// errNotBound is what readBound finds after a bind that failed.
var errNotBound = errors.New("is not bound")

// readBound reads a request, which must be bound.
func readBound(ctx context.Context, a api, arq string) error {
	var read struct {
		State string `json:"state"`
	}
	err := a.want(ctx, http.MethodGet, "/v2/accelerator_requests/"+arq, "", &read, http.StatusOK)
	if err == nil && read.State != "Bound" {
		return fmt.Errorf("ARQ %s %w: %s", arq, errNotBound, read.State)
	}
	return err
}

// life is one request from its creation to its end.
func life(ctx context.Context, a api) error {
	arqs, err := makeARQs(ctx, a, oneProfile)
	if err != nil {
		return err
	}
	if err := bind(ctx, a, arqs[0], uuid.NewString()); err != nil {
		return err
	}
	if err := readBound(ctx, a, arqs[0]); err != nil {
		return err
	}
	return deleteARQ(ctx, a, arqs[0])
}

func deleteARQ(ctx context.Context, a api, arq string) error {
	return a.want(ctx, http.MethodDelete, "/v2/accelerator_requests?arqs="+arq, "", nil, http.StatusNoContent)
}

// store creates so many requests, sixteen at a time, and returns their ids.
func store(ctx context.Context, a api, number int) ([]string, error) {
	var all []string
	for len(all) < number {
		made, err := makeARQs(ctx, a, manyProfile)
		all = append(all, made...)
		if err != nil {
			return all, err
		}
	}
	return all, nil
}
