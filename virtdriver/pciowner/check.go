package pciowner

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/internal/pci"
)

// Input is what is known about a host. Only the devices are needed; what is nil
// is not looked at.
type Input struct {
	// Host is the name of the compute node, which its root provider has and ARQs
	// are bound with. It is needed with Deployables, ARQs and Providers.
	Host string
	// Devices are all PCI devices of the host.
	Devices []Device
	// Nova and Cyborg are what their configuration says.
	Nova   *Nova
	Cyborg *Cyborg
	// Deployables and ARQs are what Cyborg's API shows, of this host and others.
	// A deployable is this host's if one of the providers is its own, or if its
	// name begins with Host, the first label of Host or a name in cyborg.conf.
	Deployables []cyborgclient.Deployable
	ARQs        []cyborgclient.ARQ
	// Providers are those of the host's tree in Placement, and no others.
	Providers []Provider
}

// Check finds out who claims each device.
func Check(in Input) (*Report, error) {
	devices, err := Normalize(in.Devices)
	if err != nil {
		return nil, err
	}
	if in.Host == "" && len(in.Deployables)+len(in.ARQs)+len(in.Providers) > 0 {
		return nil, errors.New("check the owners of PCI devices: without the name of the host nothing that an API shows can be told from other hosts'")
	}
	c := checker{in: in, rows: make(map[string]*Row)}
	for _, d := range devices {
		c.rows[d.Address] = &Row{Device: d}
	}
	c.collect()
	for _, row := range c.rows {
		row.Verdict = row.verdict()
	}
	r := &Report{Host: in.Host, Rows: []Row{}, Findings: []Finding{}}
	for _, row := range c.sorted() {
		r.Rows = append(r.Rows, *row)
	}
	c.find()
	for _, conflict := range []bool{true, false} {
		for _, f := range c.findings {
			if f.Conflict == conflict {
				r.Findings = append(r.Findings, f)
			}
		}
	}
	return r, nil
}

// checker collects claims and findings.
type checker struct {
	in       Input
	rows     map[string]*Row // by address
	findings []Finding
}

func (c *checker) sorted() []*Row {
	return slices.SortedFunc(maps.Values(c.rows), func(a, b *Row) int {
		return cmp.Or(cmp.Compare(len(a.Device.Address), len(b.Device.Address)), cmp.Compare(a.Device.Address, b.Device.Address))
	})
}

func (c *checker) collect() {
	for _, row := range c.rows {
		if n := c.in.Nova; n != nil {
			if spec := n.Spec(row.Device); spec != nil {
				row.Claims = append(row.Claims, Claim{Owner: OwnerNova, Source: spec.place(), What: spec.summary()})
			}
		}
		if c.in.Cyborg != nil {
			row.Claims = append(row.Claims, c.in.Cyborg.claims(row.Device)...)
		}
	}
	for _, d := range c.in.Deployables {
		for _, address := range c.devicesOf(d) {
			c.claim(address, Claim{OwnerCyborg, "deployable " + d.UUID, d.Name})
		}
	}
	for _, arq := range c.in.ARQs {
		if c.holds(arq) {
			c.claimHandle(arq)
		}
	}
	for _, p := range c.in.Providers {
		if _, address, ok := addressOf(p.Name); ok {
			c.provider(address, p)
		}
	}
}

// claim adds what an API shows to the row of its device.
func (c *checker) claim(address string, claim Claim) {
	if row := c.rows[address]; row != nil {
		row.Claims = append(row.Claims, claim)
		return
	}
	c.add(FindingMissing, fmt.Sprintf("%s (%s) is of device %s, which the host does not have", claim.Source, claim.What, address), address)
}

func (c *checker) provider(address string, p Provider) {
	if row := c.rows[address]; row != nil {
		row.Providers = append(row.Providers, p)
		return
	}
	c.add(FindingMissing, fmt.Sprintf("provider %s (%s) is of device %s, which the host does not have", p.Name, p.UUID, address), address)
}

// devicesOf are the addresses of a deployable of this host. The name has one; a
// Xilinx card hands out its management function and its user function together.
func (c *checker) devicesOf(d cyborgclient.Deployable) []string {
	host, address, ok := addressOf(d.Name)
	if !ok || !c.isHost(host) && !slices.ContainsFunc(c.in.Providers, func(p Provider) bool { return strings.EqualFold(p.UUID, d.RPUUID) }) {
		return nil
	}
	addresses := []string{address}
	if !strings.EqualFold(d.DriverName, "xilinx") {
		return addresses
	}
	slot, _, _ := strings.Cut(address, ".")
	for _, row := range c.sorted() {
		other := row.Device
		if strings.HasPrefix(other.Address, slot+".") && other.Address != address && classes("10ee", "1200")(nil, other) {
			addresses = append(addresses, other.Address)
		}
	}
	return addresses
}

// isHost says that Cyborg may call the host by the name: it takes the agent's
// [DEFAULT]host or the name of the machine, where Nova takes the node's.
func (c *checker) isHost(name string) bool {
	label, _, _ := strings.Cut(c.in.Host, ".")
	names := []string{c.in.Host, label}
	if c.in.Cyborg != nil {
		names = append(names, c.in.Cyborg.Host, c.in.Cyborg.ProviderName)
	}
	return name != "" && slices.Contains(names, name)
}

// holds says that the ARQ is bound and has a device on the host. Handles of the
// fake driver are no devices.
func (c *checker) holds(arq cyborgclient.ARQ) bool {
	kind := arq.AttachHandle.Type
	return arq.State == cyborgclient.StateBound && c.isHost(arq.Hostname) && (kind == cyborgclient.HandlePCI || kind == cyborgclient.HandleMDEV)
}

// claimHandle adds the device of an ARQ. Only texts are fields of an address, as
// for the guest that gets it.
func (c *checker) claimHandle(arq cyborgclient.ARQ) {
	field := func(name string) string {
		text, _ := arq.AttachHandle.Info[name].(string)
		return text
	}
	address, err := pci.Parse(field("domain"), field("bus"), field("device"), field("function"))
	if err != nil {
		c.add(FindingMissing, fmt.Sprintf("ARQ %s, for instance %s, has a handle that is no device: %v", arq.UUID, arq.InstanceUUID, err))
		return
	}
	c.claim(address.String(), Claim{OwnerCyborg, "ARQ " + arq.UUID, fmt.Sprintf("handle of type %s, for instance %s", arq.AttachHandle.Type, arq.InstanceUUID)})
}

// summary tells what an entry says.
func (s *DeviceSpec) summary() string {
	parts := []string{s.devices()}
	for _, name := range slices.Sorted(maps.Keys(s.Tags)) {
		parts = append(parts, name+" "+cmp.Or(s.Tag(name), "null"))
	}
	return strings.Join(parts, ", ")
}

// devices tells which devices an entry is for.
func (s *DeviceSpec) devices() string {
	var parts []string
	for _, part := range [][2]string{{"vendor", strings.Trim(s.VendorID, anything)}, {"product", strings.Trim(s.ProductID, anything)}, {"address", s.Address}, {"devname", s.Devname}} {
		if part[1] != "" {
			parts = append(parts, part[0]+" "+part[1])
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "any device")
}

func (r *Row) verdict() Verdict {
	nova, cyborg := r.by(OwnerNova), r.by(OwnerCyborg)
	switch {
	case nova && cyborg:
		return ByBoth
	case nova:
		return ByNova
	case cyborg:
		return ByCyborg
	case r.Device.accelerator():
		return ByNone
	}
	return ByHost
}

// accelerator says that devices like this one are handed out: displays and 3D
// controllers, processing accelerators, co-processors, and what has no class.
func (d Device) accelerator() bool {
	base := d.Class[:min(2, len(d.Class))]
	return !d.wide() && (base == "" || base == "03" || base == "12" || base == "0b")
}

func (c *checker) add(kind FindingKind, message string, addresses ...string) {
	conflict := slices.Contains([]FindingKind{FindingBoth, FindingTwice, FindingFunctions, FindingGroup}, kind)
	c.findings = append(c.findings, Finding{Kind: kind, Conflict: conflict, Addresses: addresses, Message: message})
}

// sources lists why a service claims a device.
func (r *Row) sources(owner Owner) string {
	var all []string
	for _, claim := range r.Claims {
		if claim.Owner == owner {
			all = append(all, fmt.Sprintf("%s (%s)", claim.Source, claim.What))
		}
	}
	return strings.Join(all, ", ")
}
