// Command fakecyborg serves a fake OpenStack Cyborg, and with it, if asked, a
// Placement in memory.
//
//	fakecyborg -placement embedded
//
// It prints the addresses that it serves, one a line, once it is ready, then
// answers until it gets SIGTERM or SIGINT. The flags:
//
//	-listen ADDRESS       where; 127.0.0.1:6666 by default, port 0 takes a free port
//	-expose               let -listen take an address that other machines reach
//	-auth MODE            how callers are told apart; none: everybody is admin; tokens: by those of -tokens
//	-tokens FILE          users, roles and projects of tokens, see fakecyborg.WithTokens; or "recorded"
//	-mount WHERE          devstack (the default): also below /accelerator; bare: as the real one on its port
//	-release NAME         release to play, series or version, from train (3.0.1) to 2026.2 (17.0.0, the default)
//	-seed FILE            hosts, devices and device profiles; by default the built-in example; or "recorded"
//	-placement URL        report the devices to that Placement; "embedded": serve one as well
//	-placement-token T    send that token to it
//	-placement-wait TIME  how long it may take to answer for the first time; 30s by default
//	-nova URL             post events to that compute endpoint, such as http://127.0.0.1:8774/v2.1
//	-version              print the version and exit
//
// The example, seed.yaml beside this file, has two hosts with FPGA and GPU
// cards and four device profiles. An empty file as seed makes an empty fake. The
// stack on which the recordings of package fakecyborg were made is
//
//	fakecyborg -seed recorded -auth tokens -tokens recorded -mount bare -release 2025.1
//
// with the users admin, demo, demo-reader, other and nova, each its own token.
//
// # A session
//
// It needs a fake that was started as above, in another terminal. What asks for
// one GPU is made, bound, listed and deleted:
//
//	fake=http://127.0.0.1:6666
//	json='Content-Type: application/json'
//	instance=6f0d4c3e-9f57-4d1f-8c1f-8a110b3c2a14
//	uuid() { grep -o '"uuid": *"[^"]*"' | head -n 1 | cut -d '"' -f 4; }
//	add() { printf '{"op": "add", "path": "/%s", "value": "%s"}' "$1" "$2"; }
//
//	curl -sS "$fake/v2/device_profiles"
//	arq=$(curl -sS -H "$json" -d '{"device_profile_name": "gpu"}' "$fake/v2/accelerator_requests" | uuid)
//	provider=$(curl -sS "$fake/placement/resource_providers?name=gpu-1_0000:3d:00.0" | uuid)
//	bind="$(add hostname gpu-1), $(add device_rp_uuid "$provider"), $(add instance_uuid "$instance")"
//	curl -sS -X PATCH -H "$json" -d "{\"$arq\": [$bind]}" "$fake/v2/accelerator_requests"
//	curl -sS "$fake/v2/accelerator_requests?instance=$instance"
//	curl -sS -X DELETE "$fake/v2/accelerator_requests?arqs=$arq"
//
// Bodies need the header Content-Type: application/json, which curl does not
// send by itself; as with the real Cyborg they are misread without it. Paths
// work with and without /v2, and below /accelerator: /device_profiles,
// /v2/device_profiles, /accelerator/device_profiles and
// /accelerator/v2/device_profiles are the same.
//
// # What it does not check
//
// With -auth none tokens, roles, projects, policies and service tokens, neither
// in Cyborg nor in the embedded Placement: clients with auth_type none work for
// both, and a token does no harm. Whether an instance exists, whether a host has
// the provider that is bound, and whether Placement knows of a claim: the real
// Cyborg does not ask either. Package fakecyborg has the details.
//
// # Start and end
//
// GET /_fake/health is 503 until the seed is loaded and reported to Placement,
// then 200. A Placement at an URL that does not answer is waited for, which the
// log tells; when the time of -placement-wait is over the program ends with exit
// code 1. So it does after a bad seed, with one line that names file, line and
// key. Wrong flags end it with 2.
//
// A request has 10 seconds for its header, 30 for its body, and 16 MiB; its
// answer may take as long as it needs. What is still open 5 seconds after the
// signal is cut off and named in the log.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is the whole program; the result is its exit code.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s, err := parseFlags(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case s.version:
		fmt.Fprintln(stdout, versionText(s.plays))
		return 0
	}
	if err := serve(ctx, s, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "fakecyborg: %v\n", err)
		return 1
	}
	return 0
}
