package pciowner

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/novacyborg/novacyborg/internal/pci"
)

// Provider is a resource provider of the host's tree in Placement.
type Provider struct {
	UUID   string   `json:"uuid"`
	Name   string   `json:"name"`
	Traits []string `json:"traits,omitempty"`
}

// The traits that say who made a provider. Nova's own for every PCI device is
// the last one (nova/compute/pci_placement_translator.py).
const (
	TraitOwnerNova   = "OWNER_NOVA"
	TraitOwnerCyborg = "OWNER_CYBORG"
	TraitManagedPCI  = "COMPUTE_MANAGED_PCI_DEVICE"
)

// NovaProviderName is the name that Nova gives the provider of a device, or for
// a virtual function that of the device it belongs to: host_0000:3B:00.0.
func NovaProviderName(host string, d Device) string {
	address := d.Address
	if d.Parent != "" {
		address = d.Parent
	}
	return host + "_" + strings.ToUpper(address)
}

// addressOf splits the name of a provider or deployable into the host's name and
// the PCI address at its end.
func addressOf(name string) (host, address string, ok bool) {
	at := strings.LastIndexByte(name, '_')
	if at < 0 {
		return "", "", false
	}
	parsed, err := pci.ParseAddress(name[at+1:])
	return name[:at], parsed.String(), err == nil
}

// owners tells who made the provider: by its traits, or, where they say nothing,
// by the uuid that Cyborg makes of the name (cyborg/conductor/manager.py), or by
// a deployable that has it. Cyborg gave its providers the trait only in 2026.
func (p Provider) owners(deployables map[string]bool) []Owner {
	var owners []Owner
	if slices.Contains(p.Traits, TraitOwnerNova) || slices.Contains(p.Traits, TraitManagedPCI) {
		owners = append(owners, OwnerNova)
	}
	if slices.Contains(p.Traits, TraitOwnerCyborg) || strings.EqualFold(p.UUID, CyborgProviderUUID(p.Name)) || deployables[strings.ToLower(p.UUID)] {
		owners = append(owners, OwnerCyborg)
	}
	return owners
}

// CyborgProviderUUID is the uuid that Cyborg gives the provider of a deployable.
func CyborgProviderUUID(name string) string {
	return uuid.NewMD5(uuid.NameSpaceDNS, []byte(name)).String()
}
