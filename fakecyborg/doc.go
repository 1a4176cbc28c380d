// Package fakecyborg is OpenStack Cyborg in memory: its API, with the state
// machine, error texts and warts of the real one, in front of fake devices.
//
// It is for testing what talks to Cyborg. One line in a Go test starts it on a
// free port of 127.0.0.1:
//
//	cyborg := fakecyborg.Start(t, fakecyborg.WithSeedFile("testdata/seed.yaml"))
//	client, err := cyborgclient.New(ctx, cyborgclient.WithEndpoint(cyborg.URL()+"/v2"))
//
// [New] makes the same as an [http.Handler] that listens nowhere;
// [Server.Transport] reaches it without sockets, which works in testing/synctest
// bubbles, where a wait of five minutes takes no time. The program
// cmd/fakecyborg serves it to any language.
//
// # What it answers
//
// The whole of API version 2: device profiles, accelerator requests, devices,
// deployables and attributes, and the version documents. Paths may start with
// /accelerator, as behind devstack's web server, and may leave out /v2; links
// always have both, so that clients that follow them arrive. Status, header,
// order of keys, both forms of time, and the three forms of error text are those
// of the real service; recorded exchanges of two releases are replayed in the
// tests. [Release] holds what differs between releases; the default is [Newest].
//
// No token is asked for. Every caller is admin and works in the project
// [NoAuthProject]; neither policies nor service tokens are checked.
//
// # What happens at a bind
//
// As in the real one, a bind is done before its answer is sent: the first free
// attach handle of the deployable with that provider is taken, the request is
// Bound, and Nova has been told ([WithNova], [WithEvents]). Neither the host's
// name nor the resource class is compared with the deployable. Failures leave
// what they leave in reality:
//
//   - an unknown provider leaves the request in BindStarted;
//   - no free handle leaves it in BindFailed;
//   - requests that come before the failed one in the same PATCH stay Bound,
//     those after it are not touched, and nobody is told;
//   - what Nova answers to the events can fail the PATCH, but unbinds nothing;
//   - a profile with accel:bitstream_id or accel:function_id waits for
//     programming, which never ends: the request stays in BindStarted, as with a
//     Cyborg that has no image service.
//
// # Seeds
//
// A seed says what exists at the start. As a file:
//
//	hosts:
//	  - name: compute-1
//	    compute_node: {vcpus: 32, memory_mb: 131072, disk_gb: 1000}
//	    devices:
//	      - {driver: fpga, address: "0000:3b:00.0", vfs: 4}
//	      - {driver: pgpu, address: "0000:af:00.0", product_id: 1eb8}
//	      - {driver: fake}
//	device_profiles:
//	  - name: fpga
//	    description: one FPGA of any make
//	    groups:
//	      - {"resources:FPGA": 1, "trait:CUSTOM_FPGA_INTEL": required}
//
// Package driver tells which keys each driver reads. Unknown keys, repeated
// names, and profiles that the API would refuse are errors with file, line and
// key. With [WithPlacement], [Server.Report] writes the devices into Placement
// below the provider of their host; compute_node makes the fake write that one
// too, as nova-compute would.
//
// # Itself
//
// GET /_fake/health is 200 once the seed is loaded and, where there is a
// Placement, reported; it is 503 before. State is in memory and gone with the
// process.
package fakecyborg
