package pciowner

import "slices"

// Owner is a service that hands devices out.
type Owner string

// The owners.
const (
	OwnerNova   Owner = "nova"
	OwnerCyborg Owner = "cyborg"
)

// Verdict says who claims a device. Each device has exactly one.
type Verdict string

// The verdicts.
const (
	// Nova and Cyborg: one of them claims the device, as it should be.
	ByNova   Verdict = "nova"
	ByCyborg Verdict = "cyborg"
	// ByBoth is the conflict.
	ByBoth Verdict = "both"
	// ByNone is a device of a class that accelerators have, or of an unknown one,
	// that nobody claims.
	ByNone Verdict = "none"
	// ByHost is any other device that nobody claims: bridges, disks, ports of the
	// host, and what no guest can get.
	ByHost Verdict = "host"
)

// Claim is one reason why a device is a service's.
type Claim struct {
	Owner Owner `json:"owner"`
	// Source is file, line and option, or the object of an API.
	Source string `json:"source"`
	// What tells the entry or the driver.
	What string `json:"what"`
}

// Row is one device and who claims it.
type Row struct {
	Device  Device  `json:"device"`
	Verdict Verdict `json:"verdict"`
	Claims  []Claim `json:"claims,omitempty"`
	// Providers are the device's in Placement.
	Providers []Provider `json:"providers,omitempty"`
}

// by says whether a service claims the device.
func (r Row) by(owner Owner) bool {
	return slices.ContainsFunc(r.Claims, func(c Claim) bool { return c.Owner == owner })
}

// FindingKind is a kind of finding.
type FindingKind string

// The kinds. Those of the first group are conflicts.
const (
	// FindingBoth: a device that both services claim.
	FindingBoth FindingKind = "claimed by both"
	// FindingTwice: a device that is in Placement twice, or once for two owners.
	FindingTwice FindingKind = "twice in placement"
	// FindingFunctions: a device of one service with virtual functions of the
	// other; they vanish when the device goes to a guest.
	FindingFunctions FindingKind = "virtual functions of another owner"
	// FindingGroup: devices of one IOMMU group with two owners; the kernel gives
	// the group to one guest only.
	FindingGroup FindingKind = "iommu group of two owners"

	// FindingNone: a device that might be handed out, and nobody does.
	FindingNone FindingKind = "claimed by none"
	// FindingUnclaimed: a provider of a service whose configuration does not
	// claim the device.
	FindingUnclaimed FindingKind = "in placement without a claim"
	// FindingMissing: a claim or a provider of a device that the host does not
	// have.
	FindingMissing FindingKind = "not on the host"
	// FindingUnreportable: devices that Nova cannot put into one provider.
	FindingUnreportable FindingKind = "not fit for placement"
	// FindingNoDevice: an entry of a list that matches nothing.
	FindingNoDevice FindingKind = "entry without a device"
	// FindingUnread: an entry of a list with a key that resembles one that is
	// read. Nova takes any key for a tag and does not complain.
	FindingUnread FindingKind = "key that nobody reads"
)

// Finding is something to look at.
type Finding struct {
	Kind FindingKind `json:"kind"`
	// Conflict says that two services can hand out the same hardware.
	Conflict bool `json:"conflict"`
	// Addresses are the devices that it is about.
	Addresses []string `json:"addresses,omitempty"`
	// Message tells what is wrong and what can be done.
	Message string `json:"message"`
}

// Report is who owns the devices of a host.
type Report struct {
	Host string `json:"host,omitempty"`
	// Rows has each device once, in the order of their addresses.
	Rows []Row `json:"rows"`
	// Findings are conflicts first, then what is worth a look.
	Findings []Finding `json:"findings"`
}

// Conflicts are the findings that two services can hand out the same hardware.
func (r *Report) Conflicts() []Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return !f.Conflict })
}
