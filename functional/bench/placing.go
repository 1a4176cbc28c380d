package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strconv"

	"github.com/novacyborg/novacyborg/placement/placementtest"
)

// fillScript runs in the chroot of the real cloud, with Placement's own Python.
//
//go:embed placement_fill.py
var fillScript string

// cloudSizes are the numbers of hosts, and how many blocks a turn has.
var cloudSizes = []struct{ hosts, ours, their int }{{100, 40, 4}, {1000, 20, 2}}

// candidatesQuery is Nova's for a guest with one accelerator.
const candidatesQuery = "/allocation_candidates?limit=1000&requireddevice_profile_0=CUSTOM_FPGA_X" +
	"&resources=DISK_GB%3A20%2CMEMORY_MB%3A8192%2CVCPU%3A4&resourcesdevice_profile_0=FPGA%3A1" +
	"&root_required=COMPUTE_ACCELERATORS%2C%21COMPUTE_STATUS_DISABLED"

func placementRows() []*row {
	var rows []*row
	for _, size := range cloudSizes {
		rows = append(rows, &row{
			What: fmt.Sprintf("placementtest: candidates among %d hosts of 4 accelerators", size.hosts),
			Peer: "Placement 13 with MariaDB", Relation: "times as fast", Goal: goal{atLeast: 50},
		})
	}
	return rows
}

// measurePlacement asks both Placements by turns.
func measurePlacement(ctx context.Context, r *results) (err error) {
	if r.real == nil {
		withoutReal(r.Placing)
		return nil
	}
	handler, err := placementtest.New(placementtest.WithoutAuth())
	if err != nil {
		return err
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	version := []string{"OpenStack-API-Version", "placement 1.39"}
	fake, real := newAPI(server.URL, 1, version...), newAPI(r.real.placement, 1, append(version, "X-Auth-Token", r.real.service)...)
	for _, a := range []api{fake, real} {
		if err := a.want(ctx, http.MethodPut, "/traits/CUSTOM_FPGA_X", "", nil, http.StatusCreated, http.StatusNoContent); err != nil {
			return err
		}
	}
	defer func() { err = errors.Join(err, r.real.fillPlacement(context.WithoutCancel(ctx), 0)) }()
	if err := r.real.fillPlacement(ctx, 0); err != nil { // of a run that was cut off
		return err
	}
	made := 0
	for i, size := range cloudSizes {
		hosts := r.amount.of(size.hosts)
		if err := errors.Join(addHosts(ctx, fake, made, hosts), r.real.fillPlacement(ctx, hosts)); err != nil {
			return err
		}
		made = hosts
		ask := func(a api) func(context.Context) error {
			return func(ctx context.Context) error {
				return a.want(ctx, http.MethodGet, candidatesQuery, "", nil, http.StatusOK)
			}
		}
		if err := sameCandidates(ctx, fake, real); err != nil {
			return err
		}
		both := comparison{
			rounds: r.amount.rounds, workers: 1,
			ours:   side{block: 2, blocks: r.amount.of(size.ours), do: ask(fake)},
			theirs: side{block: 1, blocks: r.amount.of(size.their), do: ask(real)},
		}
		ours, theirs, err := both.run(ctx)
		if err != nil {
			return err
		}
		r.Placing[i].rate(ours, theirs)
	}
	return nil
}

// errOtherCandidates is what sameCandidates finds.
var errOtherCandidates = errors.New("the two clouds do not have as many candidates")

// sameCandidates proves that both sides are asked for the same work.
func sameCandidates(ctx context.Context, ours, theirs api) error {
	var counts [2]int
	for i, a := range []api{ours, theirs} {
		var found struct {
			Requests []json.RawMessage `json:"allocation_requests"`
		}
		if err := a.want(ctx, http.MethodGet, candidatesQuery, "", &found, http.StatusOK); err != nil {
			return err
		}
		counts[i] = len(found.Requests)
	}
	if counts[0] != counts[1] || counts[0] == 0 {
		return fmt.Errorf("%w: %d and %d", errOtherCandidates, counts[0], counts[1])
	}
	return nil
}

// fillPlacement has so many hosts in the real Placement, or none of ours.
func (p *realPeers) fillPlacement(ctx context.Context, hosts int) error {
	return p.runPython(ctx, fillScript, strconv.Itoa(hosts))
}

// runPython runs a script with the real cloud's own Python to its end.
func (p *realPeers) runPython(ctx context.Context, script string, args ...string) error {
	if out, err := p.python(ctx, script, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("python with %q: %w: %s", args, err, out[max(len(out)-500, 0):])
	}
	return nil
}

// python is a program of the real cloud's own Python.
func (p *realPeers) python(ctx context.Context, script string, args ...string) *exec.Cmd {
	all := append([]string{
		p.chroot, "/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "HOME=/root",
		"python3", "-c", script,
	}, args...)
	return exec.CommandContext(ctx, "chroot", all...) //nolint:gosec // the folder is the caller's
}

// addHosts makes the same hosts as placement_fill.py, from the number of those that are there.
func addHosts(ctx context.Context, a api, present, hosts int) error {
	for host := present; host < hosts; host++ {
		root := providerUUID(host, 0)
		err := addProvider(ctx, a, fmt.Sprintf(`{"uuid": %q, "name": "bench-%d"}`, root, host), root,
			`{"VCPU": {"total": 64, "allocation_ratio": 4.0}, "MEMORY_MB": {"total": 262144}, "DISK_GB": {"total": 2000}}`,
			`["COMPUTE_ACCELERATORS", "COMPUTE_NODE", "HW_CPU_X86_VMX"]`)
		for card := range 4 {
			class, traits := "FPGA", `["CUSTOM_FPGA_X", "OWNER_CYBORG"]`
			if card >= 2 {
				class, traits = "PGPU", `["OWNER_CYBORG"]`
			}
			uuid := providerUUID(host, card+1)
			err = errors.Join(err, addProvider(ctx, a,
				fmt.Sprintf(`{"uuid": %q, "name": "bench-%d-%d", "parent_provider_uuid": %q}`, uuid, host, card, root),
				uuid, fmt.Sprintf(`{%q: {"total": 1}}`, class), traits))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func providerUUID(host, card int) string {
	return fmt.Sprintf("00000000-0000-4000-8000-%08d%04d", host, card)
}

func addProvider(ctx context.Context, a api, body, uuid, inventories, traits string) error {
	path := "/resource_providers/" + uuid
	return errors.Join(
		a.want(ctx, http.MethodPost, "/resource_providers", body, nil, http.StatusOK),
		a.want(ctx, http.MethodPut, path+"/inventories", `{"resource_provider_generation": 0, "inventories": `+inventories+`}`, nil, http.StatusOK),
		a.want(ctx, http.MethodPut, path+"/traits", `{"resource_provider_generation": 1, "traits": `+traits+`}`, nil, http.StatusOK),
	)
}
