// Compose puts accelerators into a libvirt domain XML, or shows what Nova would emit for them.
//
//	go run ./examples/compose                                            the domain and the ARQs beside this program
//	go run ./examples/compose -domain guest.xml -arqs arqs.json          the composed XML on standard output
//	go run ./examples/compose -domain guest.xml -instance UUID -cloud NAME   the ARQs that a cloud's Cyborg has
//	go run ./examples/compose -domain guest.xml -instance UUID -cyborg URL   the same without clouds.yaml
//	go run ./examples/compose -domain guest.xml -arqs arqs.json -do remove   the domain without these devices
//	virsh dumpxml guest | go run ./examples/compose -domain - -arqs arqs.json -do plug   fragments for a running guest
//
// ARQs are as Cyborg shows them: a JSON list, or an object with the list under "arqs". One of the files may be - for
// standard input. Whoever gives a domain also says whose ARQs: the arqs.json beside this program goes with its domain.xml
// only. -do plug and unplug print the fragments for virsh attach-device and detach-device, in one <devices>; -do
// replace takes the devices of -before out and puts those of -arqs in their places, as for an evacuation.
//
// -ports names a file with the ports of the instance, whose ARQs become interfaces:
//
//	[{"id": "…", "mac": "52:54:00:12:34:56", "vlan": 101, "arq": "uuid of the ARQ"}]
//
// -options names a file with what devices say in addition, by the uuid of the ARQ, or "*" for all others; the keys are
// those of virtdriver.DeviceOptions. Of "*" a PCI device takes what is for PCI devices and a mediated device what is for
// those; what is said by uuid must fit:
//
//	{"*": {"driver": "vfio", "display": false}, "0d2914f2-d077-4654-9292-1202797e3e85": {"alias": "ua-gpu", "rom_bar": false, "guest_address": "0000:05:00.0"}}
//
// -sysfs /sys/bus/pci/devices checks the devices against this host's IOMMU groups and NUMA nodes; with -companions the
// other functions of a device that must come along are added. -others names functions that are somebody else's, such as
// those that the guest has by a PCI alias: they are neither added nor, by -do remove and replace, taken out. -unknown says what becomes of attach handles of unknown
// types: fail, skip or report. -mdevs DIR writes a node device XML for each mediated device that must be created
// before. What is left out, and which mediated devices are needed, is said on standard error.
//
// # Checks in bulk
//
// With -jsonl one JSON object per line is read from standard input and one answer per line written, in order; empty
// lines are passed over:
//
//	{"virt_type": "kvm", "arqs": [{"uuid": "…", "state": "Bound", "attach_handle_type": "PCI",
//	   "attach_handle_info": {"domain": "0000", "bus": "3b", "device": "00", "function": "1"}}]}
//
// The answer has the texts of the devices in the guest's order, whether there were handles but no device, and the
// mediated devices to be created:
//
//	{"devices": ["<hostdev …"], "ignored": false, "created_mdevs": [{"parent": "pci_0000_81_14_3", "type": "…", "uuid": "…"}]}
//
// or {"error": CODE, "message": "…"}. Codes are missing_field, bad_field, and where Nova would go on: duplicate_address,
// handle_type, no_handle, virt_type; bad_input is a line that cannot be read. With -release 2025.1 or -release 2026.2 the
// answer is what Nova of that release emits, faulty or not; docs/hostdev-cases.md lists where this program's own answer
// is another.
package main
