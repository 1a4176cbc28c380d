// Command fakecyborg serves a fake OpenStack Cyborg, and with it, if asked, a
// Placement and a small Keystone in memory.
//
//	fakecyborg -placement embedded
//
// It prints the addresses that it serves, one a line, once it is ready, then
// answers until it gets SIGTERM or SIGINT. The flags, as -h prints them:
//
//	-address-file file         file that has the address while the fake is ready
//	-auth mode                 how callers are told apart, a mode: none, tokens, mini-keystone, keystone; with none everybody is admin (none)
//	-careful-reports           play agents without the faults of the real ones
//	-check URL                 ask the fake at that URL, or unix:PATH, whether it is ready; exit with 0 if so, with 1 if not
//	-clock time                time at which the objects' clock stands (2026-01-02T03:04:05Z), or by how much it is put forward or back (+24h, -90m)
//	-clouds-file file          file to write the clouds.yaml of -auth mini-keystone to, with passwords; others may not read it
//	-connection-close          close the connection after each answer, as the real front end does
//	-event-form form           form of events: profile (Train's), request or spec (that of Nova's specification); without it the release's
//	-expose                    let -listen take an address that other machines reach
//	-faults file               YAML or JSON file with rules of faults
//	-journal-body-bytes bytes  how many bytes of one body it keeps; 0 for 64 KiB
//	-journal-bytes bytes       how many bytes of all bodies it keeps; 0 for 64 MiB
//	-journal-entries number    how many exchanges the journal keeps, a number; 0 for 10000
//	-keystone URL              URL of the Keystone of -auth keystone, such as http://127.0.0.1:5000
//	-keystone-cloud entry      entry of clouds.yaml with the account for -auth keystone; without it the OS_* variables
//	-listen address            address, or unix:PATH; port 0 takes a free port (127.0.0.1:6666)
//	-log-format form           form of the log on standard error: text or json (text)
//	-log-level level           least level that is logged: debug, info, warn or error (info)
//	-mount where               where the API is: devstack (below /accelerator and at the root) or bare (at the root only) (devstack)
//	-new-policies              enforce the new defaults of the policies, which the release does not by itself
//	-no-chunked-bodies         overlook bodies without Content-Length, as the real front end does
//	-nova URL                  compute endpoint that gets events: an URL such as http://127.0.0.1:8774/v2.1; /v2.1 is added when it has no version
//	-placement URL             Placement to report devices to: an URL, or "embedded" to serve one under /placement
//	-placement-token token     token for the Placement at an URL; without it that of the account of -auth keystone
//	-placement-wait time       how long the Placement at an URL may take to answer for the first time (30s)
//	-proxy-headers             let links follow X-Forwarded-Proto and X-Forwarded-Host, in releases that can (2026.2)
//	-public-endpoint URL       start links with that URL, not with the address that the client used
//	-release release           release of Cyborg to play, by OpenStack's number or name or by Cyborg's version; Debian's 14.0.0-3+deb13u1 has the security fixes and is 14.1.0 (2026.2)
//	-report-interval time      let the agents report again and again, with that time in between; the real ones take 1m; without it only as the control API asks
//	-seed file                 YAML file with hosts, devices and device profiles, "example" or "recorded"; without it the example
//	-shutdown-wait time        how long open requests have to finish after SIGTERM, a time (5s)
//	-state file                file that keeps the state across restarts; once it is there -seed is not read
//	-tls-ca-file file          serve TLS; file to write the certificate of the CA to that is made for it
//	-tls-cert file             serve TLS with the certificate in this file
//	-tls-key file              file with its key
//	-tls-names names           further names in the certificate made, comma separated; localhost and the host's own are there
//	-token-life time           how long a token of -auth mini-keystone is good, a time (1h0m0s)
//	-tokens file               YAML file with the tokens of -auth tokens or the users of -auth mini-keystone, or "recorded"
//	-uuid-seed text            make the same ids in each run with that text; not with -state
//	-version                   print the version and exit
//
// Each flag has a variable, FAKECYBORG_PLACEMENT_WAIT for -placement-wait, which
// counts where the command line does not say it. An empty variable counts as not
// set; one that belongs to no flag is an error. docs/ci.md has recipes, and
// docs/fake-auth.md says what the modes of -auth are.
//
// The example, fakecyborg/seeds/example.yaml, has two hosts with FPGA and GPU
// cards and four device profiles. An empty file as seed makes an empty fake; the log
// tells what was loaded. The stack on which the recordings of package fakecyborg were made is
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
// key. Wrong flags and variables end it with 2.
//
// A request has 10 seconds for its header, 30 for its body, and 16 MiB; its
// answer may take as long as it needs. What is still open after the time of
// -shutdown-wait, such as a request that a fault lets hang, is cut off and named in
// the log; the exit code is 0. A second signal ends the process at once.
//
// The file of -address-file appears, whole, when the fake is ready, and goes when
// it ends; it holds the URL, or unix: and the path of the socket. A socket that a
// dead process left is replaced.
//
// # What survives
//
// Without -state everything is in memory and gone with the process. With it an
// operation is answered once it is in the file, so that a killed process has lost
// nothing that anybody was told: ids, times, attach handles and who has them. Not
// kept are the journal, rules of faults other than the seed's, and the embedded Placement, whose
// allocations go with the process; the devices are reported to it anew.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	os.Exit(run(os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

// run is the whole program; the result is its exit code. A second signal ends the
// process at once.
func run(args, environ []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	s, err := parseFlags(args, environ, stdout)
	switch {
	case errors.Is(err, errHelp):
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "fakecyborg: %v; see -h\n", err)
		return 2
	case s.version:
		fmt.Fprintln(stdout, versionText(s.plays))
		return 0
	case s.check != "":
		err = checkHealth(ctx, s)
	default:
		err = serve(ctx, s, stdout, stderr)
	}
	if err != nil {
		fmt.Fprintf(stderr, "fakecyborg: %s\n", strings.ReplaceAll(err.Error(), "\n", "; "))
		return 1
	}
	return 0
}
