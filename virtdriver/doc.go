// Package virtdriver is what a compute host does with accelerators: it waits
// until they are bound and puts their devices into the guest.
//
// # Waiting
//
// Cyborg tells Nova about each bound accelerator request (ARQ) with an event,
// and that event gets lost in everyday use: for devices that need no
// programming it is sent before the instance has a host, and Nova's API refuses
// it with 422. [Waiter] therefore registers for the events, looks at once, and
// then looks after each event and at a slow pace, until one deadline
// (arq_binding_timeout). Only what Cyborg shows counts: every ARQ must be Bound,
// on this host, for this instance, to its provider if that is given, with an
// attach handle that names a device. Whatever else happens ends in a
// [WaitError], which has every ARQ with its state and can print them as a table.
// [Receiver] is the HTTP side: the same answers as Nova's
// os-server-external-events, for a program that stands in Nova's place, with
// tokens if wanted ([WithTokens], [WithTokenCheck]); closing it ends all waits. A Waiter works
// without one. It can poll with the question of Nova's spec
// ([WithResolvedPolls]), and the events of the specs wake it too
// ([EventResolved], [EventsBound], [WithSpecEvents]).
//
//	receiver, err := virtdriver.NewReceiver()
//	…
//	waiter, err := virtdriver.NewWaiter(cyborg, virtdriver.WithReceiver(receiver))
//	…
//	arqs, err := waiter.Wait(ctx, virtdriver.Expectation{Instance: uuid, Hostname: node, ARQs: uuids})
//
// # Composing
//
// [Compose] adds a <hostdev> for each ARQ to a libvirt domain XML of any origin,
// and an <interface> for the ARQ of each port ([WithPorts], [SplitARQs],
// [PortBindingProfile]). It edits the text and not a model of it: comments,
// foreign namespaces, unknown elements, quotes and line ends stay as they are.
// Composing twice is composing once.
//
//	composition, err := virtdriver.Compose(domainXML, arqs)
//	…
//	for _, mediated := range composition.Mediated { // create them before the guest starts
//		… mediated.XML() …
//	}
//
// Each attach handle is decided for itself, by its type:
//
//	PCI       a PCI device; managed by libvirt where Nova has it so: kvm, qemu,
//	          xen and libvirt's test driver yes, parallels no
//	MDEV      a mediated device of the handle's uuid, which must be created on
//	          its parent before: [MediatedDevice], [MdevTypes]
//	TEST_PCI  none, Cyborg's fake driver has no device; [WithTestPCI]
//	others    refused; [WithUnknown] skips or reports them
//
// [WithDevice] sets what people want a device to say in addition (driver, ROM,
// boot order, alias, guest address, console, teaming), [WithMultifunction] puts
// the functions of one card on one slot of the guest. [WithTopology] checks the
// devices against the host's IOMMU groups and NUMA nodes, [WithCompanions] adds
// what must come along, [WithOthers] names what is somebody else's.
//
// [Decompose] takes devices out again, to the byte. [Replace] gives a guest the
// devices of other ARQs in the same places, for an evacuation: the device of an ARQ
// stays only if the ARQ does, whatever addresses two hosts share. [HotPlug] and
// [HotUnplug] give fragments for a running guest, after the checks that libvirt
// makes only then.
//
// Nova passes values of a handle on unchecked; here whatever would give a guest
// that does not start, or one that starts without its accelerator, is a
// [ComposeError] that names the place and the ARQs. docs/hostdev-cases.md has the
// differences from Nova, case by case.
//
// # Nova's counterparts
//
//	Receiver             nova/api/openstack/compute/server_external_events.py
//	Waiter               nova/compute/manager.py, _get_bound_arq_resources, ComputeVirtAPI
//	Compose              nova/virt/libvirt/driver.py, _guest_add_accel_pci_devices
//	MediatedDevice       nova/virt/libvirt/driver.py, _create_mdev
//	WithPorts            nova/virt/libvirt/vif.py, get_config_hw_veb
//	PortBindingProfile   nova/accelerator/cyborg.py, get_arq_pci_device_profile
//	HotPlug, HotUnplug   nova/virt/libvirt/driver.py, _attach_pci_devices, _detach_pci_devices
package virtdriver
