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
// on this host, for this instance, with an attach handle. Whatever else happens
// ends in a [WaitError], a table of all ARQs. [Receiver] is the HTTP side: the
// same answers as Nova's os-server-external-events, for a program that stands in
// Nova's place. A Waiter works without one.
//
//	receiver, err := virtdriver.NewReceiver()
//	…
//	waiter, err := virtdriver.NewWaiter(cyborg, virtdriver.WithReceiver(receiver))
//	…
//	arqs, err := waiter.Wait(ctx, virtdriver.Expectation{Instance: uuid, Hostname: node, ARQs: uuids})
//
// # Composing
//
// [Compose] adds a <hostdev> for each ARQ to a libvirt domain XML of any origin.
// It edits the text and not a model of it: comments, foreign namespaces, unknown
// elements, quotes and line ends stay as they are. Handles of type PCI become
// devices; TEST_PCI (Cyborg's fake driver) is skipped and everything else
// refused unless [WithTestPCI] or [WithUnknown] say otherwise. Nova passes
// values of a handle on unchecked; here a value that is no PCI address, an
// address used twice, or a domain type without PCI passthrough is a
// [ComposeError] that names the place.
//
// What is managed by libvirt follows the domain's type: kvm, qemu, xen and
// libvirt's own test driver have managed="yes", parallels has managed="no".
//
// # Nova's counterparts
//
//	Receiver    nova/api/openstack/compute/server_external_events.py
//	Waiter      nova/compute/manager.py, _get_bound_arq_resources, ComputeVirtAPI
//	Compose     nova/virt/libvirt/driver.py, _guest_add_accel_pci_devices
package virtdriver
