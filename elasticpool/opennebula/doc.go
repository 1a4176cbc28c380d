// Package opennebula makes an OpenNebula an elasticpool.Provider, over oned's XML-RPC API.
//
// [New] takes the endpoint (https://cloud.example.org:2633/RPC2) and the content of a ONE_AUTH file, user:password or
// user:token. It is sent with each request, in its body; it is in no argument of a program, no log and no error. Plain
// http is refused unless oned is on this machine or WithPlainHTTP allows it.
//
// It was written after OpenNebula's documentation and source, and tried against a fake of oned only, never against a real one.
//
// # Classes
//
// A class's flavor is a VM template, by id or name. What else the class says replaces what the template says of the same kind:
//
//	flavor         the template; its CONTEXT is kept, and ours is added
//	image          DISK = [IMAGE = …]
//	network        NIC = [NETWORK = …]
//	user_data      CONTEXT = [USER_DATA = …, USER_DATA_ENCODING = base64]
//	extra.pci      PCI = […]: devices handed through, divided by ";", such as "vendor=10de,class=0302; vendor=10ee,device=5001"
//	extra.requirements  SCHED_REQUIREMENTS, an expression over hosts
//	extra.template a whole template in OpenNebula's own language; then flavor, image, network and pci are its own matter
//
// CONTEXT also tells the guest ELASTICPOOL_VM, ELASTICPOOL_POOL, ELASTICPOOL_QUEUE and ELASTICPOOL_CLASS. Oned may refuse PCI and other
// attributes to ordinary users (VM_RESTRICTED_ATTR in oned.conf); then they belong into the template. There are no key pairs, zones or
// device profiles: name SSH keys in the template's CONTEXT and clusters in extra.requirements.
//
// # Servers
//
// The tags are in the VM's USER_TEMPLATE, with names that OpenNebula allows: ELASTICPOOL_VM for elasticpool.vm. The list is read in
// pages that overlap by one VM. If a page does not begin with the last VM of the page before, VMs have come or gone meanwhile; it is read
// anew, and after three times told as incomplete. Where oned's database can search (MySQL), it searches for the pool's VMs.
//
// OpenNebula takes each VM and looks for a host afterwards. A VM that has waited for two minutes, and of which the scheduler says
// why, counts as failed with that reason.
//
// # Limits
//
// Limits are the quotas of the user and of its group, less what is not this pool's, and what the hosts have free, if the user may see
// them: cpus is OpenNebula's CPU (physical), disk_mb its system disks, gpus and fpgas are PCI devices of display and of accelerator
// classes. What is the pool's own is known from the last Servers.
package opennebula
