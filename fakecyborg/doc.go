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
// always have both, so that clients that follow them arrive. [MountBare] answers
// as the real service does on its own port, where /accelerator is a 404. Status,
// header, order of keys, both forms of time, and the forms of error text are those
// of the real service; recorded exchanges of two releases are replayed in the
// tests, and testdata/differences.yaml lists the little that may differ.
//
// # Releases
//
// [Releases] are those from Train (3.0.0) to 2026.2 (17.0.0), with the versions
// before and after the security fixes of 2026-04. A [Release] is data: each
// difference is a field, so that a Cyborg that never was, or one's own with a
// patch, is a value with other fields. [WithRelease] plays it; the default is
// [Newest]. [FindRelease] takes a version, or a series for its newest version.
//
// # Who asks
//
// By default no token is asked for. Every caller is admin, works in the project
// [NoAuthProject] and counts as a service; neither policies nor service tokens
// are checked. [WithTokens] knows callers by the tokens of a file,
// [WithAuthenticator] by whatever one likes: package minikeystone lets them log in
// here, package keystone asks a real Keystone. Then the answer to a missing or bad
// token is Keystone's 401, the policies of the release hold ([WithNewPolicies]
// takes their stricter form), requests of other projects do not exist, and what
// only Nova may do needs a service token, as far as the release has that.
//
// [WithPresetSeed] and [WithPresetTokens] with "recorded" make the stack on which
// the recordings were made: host realstack-cn1 with Cyborg's fake device, and the
// users admin, demo, demo-reader, other and nova, whose names are their tokens.
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
// With [WithImages], or images in the seed, there is one. Such a bind is then
// answered before it is done, the device is programmed, and Nova is told, once for
// all requests of the PATCH, that they are completed or failed; after a minute
// nobody is told any more. The provider gets the trait of the function at once,
// the attributes of the deployable with the next report.
//
// An MDEV handle is made on the host when it is bound and removed at unbind; an
// unbind that cannot do so is a 500 and leaves the request Bound.
//
// # Devices
//
// Each host of the seed has a [driver.Machine] with its cards, [Server.Machine].
// There cards come, vanish, break and are repaired while the server runs;
// [WithDriver] adds devices of one's own. Cyborg and Placement know of it after the
// next report of the host's agent: [Server.Discover] and [Server.Report] are one,
// [WithReportInterval] makes them again and again. A report has the faults of the
// real one, unless [WithCarefulReports] is given.
//
// Nova hears of a bind in the form of the release, or in that of [WithEventForm],
// which has the one of Nova's specification for Train too.
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
//	images:
//	  - {id: 7d0b4a1e-2f57-4c8f-9d2c-0d4bb31c6a10, function_id: 3a0c}
//
// Package driver tells which keys each driver reads. A host can have the cards of
// a real machine, besides those that are listed: "lspci: FILE" names the output
// of lspci -Dnn there, "sysfs: DIR" a copy of its /sys/bus/pci/devices, see package
// inventory; paths are relative to the seed's file. What cyborg.conf would say of
// them stands beside it: vgpu_types (type by address), physical_networks and
// function_names (by interface), passthrough (a list of vendor_id, product_id,
// address) and skip_gpu_functions. programming_time of a host is how long an image
// takes ("20s"). A device can also be disabled, broken or vanished (known to
// Cyborg and not there any more), have the bitstream_id that was loaded, and
// attributes (deployable, counted from 1; key; value) that were made through the
// API. Unknown keys, repeated
// names, and profiles that the API would refuse are errors with file, line and
// key. With [WithPlacement], [Server.Report] writes the devices into Placement
// below the provider of their host; compute_node makes the fake write that one
// too, as nova-compute would.
//
// # Made for tests
//
// [Server.Faults] makes it fail on command: package fault has the rules and all
// faults. [Server.Journal] has every exchange and every event, also those in
// flight, to be waited for and counted: package journal. [Server.AssertNoLeaks]
// fails a test that left something behind. Parallel tests share a server by
// sending a header X-Fake-Scope, to which rules, journal and leaks can be
// narrowed.
//
//	cyborg := fakecyborg.Start(t, fakecyborg.WithSeedFile("testdata/seed.yaml"))
//	err := cyborg.Faults().Add(fault.Rule{Operation: "arq:update", First: 1, Fault: fault.DropAfter{}})
//	...
//	cyborg.AssertNoLeaks(t)
//
// Runs can be repeated to the byte: [WithUUIDs] seeds all ids of objects,
// [WithClock] and [Server.SetClock] set the times in them. [Server.Seed] is the
// present state as a seed, [Server.Reset] goes back to the seed and forgets
// everything else.
//
// # Itself
//
// All of that is also below /_fake/ of its own address, for any language:
// docs/fake-control.md has the routes. GET /_fake/health is 200 once the seed is
// loaded and, where there is a Placement, reported; it is 503 before. State is in
// memory and gone with the process, unless [WithStateFile] keeps it.
package fakecyborg
