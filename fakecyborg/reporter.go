package fakecyborg

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	"github.com/novacyborg/novacyborg/placement"
)

// reporter writes hosts and deployables into Placement.
// It mirrors cyborg/conductor/manager.py:ConductorManager.provider_report and
// cyborg/common/placement_client.py.
type reporter struct {
	client *placement.Client
	hosts  []Host
}

func newReporter(c *config) *reporter {
	return &reporter{client: c.placement, hosts: c.seed.Hosts}
}

// Report writes the seed's hosts and devices into Placement, if there is one:
// first the host's own provider where the seed describes a compute node, then a
// child provider for each deployable. It can be called again at any time. The
// server counts as ready once a report has succeeded.
func (s *Server) Report(ctx context.Context) error {
	if s.reporter.client == nil {
		return nil
	}
	for _, host := range s.reporter.hosts {
		if err := s.reporter.report(ctx, host, s.store.hostDeployables(host.Name)); err != nil {
			return fmt.Errorf("report host %s: %w", host.Name, err)
		}
	}
	s.ready.Store(true)
	return nil
}

// hostDeployables returns copies of the deployables of a host's devices that
// are in use, and of those that are disabled, see [placeOf].
func (s *store) hostDeployables(host string) []placeOf {
	s.mu.RLock()
	defer s.mu.RUnlock()
	here := make(map[int]*device)
	for d := range s.devices.all {
		if d.hostname == host {
			here[d.id] = d
		}
	}
	var found []placeOf
	for place := range s.deployables.all {
		if d, ok := here[place.deviceID]; ok {
			found = append(found, placeOf{deployable: *place, disabled: d.disabled})
		}
	}
	return found
}

// placeOf is a deployable and whether its device is disabled.
type placeOf struct {
	deployable
	disabled bool
}

func (r *reporter) report(ctx context.Context, host Host, places []placeOf) error {
	if host.ComputeNode != nil {
		if err := r.client.Report(ctx, placement.Tree{Providers: []placement.TreeProvider{computeProvider(host)}}); err != nil {
			return err
		}
	}
	if len(places) == 0 {
		return nil
	}
	tree := placement.Tree{Parent: host.Name}
	for _, place := range places {
		provider := deviceProvider(place.deployable)
		if place.disabled {
			provider.Inventories = reserved(place.deployable, true)
		}
		tree.Providers = append(tree.Providers, provider)
	}
	return r.client.Report(ctx, tree)
}

// computeProvider is what nova-compute reports of a host.
// It mirrors nova/virt/libvirt/driver.py:LibvirtDriver.update_provider_tree.
func computeProvider(host Host) placement.TreeProvider {
	node := host.ComputeNode
	return placement.TreeProvider{
		UUID: host.providerUUID(), Name: host.Name,
		Inventories: map[string]placement.Inventory{
			"VCPU":      {Total: node.VCPUs},
			"MEMORY_MB": {Total: node.MemoryMB},
			"DISK_GB":   {Total: node.DiskGB},
		},
		Traits: []string{"COMPUTE_ACCELERATORS"},
	}
}

// providerUUID is the id of the host's own provider, if the fake makes it.
func (h Host) providerUUID() string {
	if h.ComputeNode != nil && h.ComputeNode.UUID != "" {
		return h.ComputeNode.UUID
	}
	return uuid.NewSHA1(uuid.NameSpaceDNS, []byte(h.Name)).String()
}

// deviceProvider is the child provider of a deployable.
func deviceProvider(place deployable) placement.TreeProvider {
	count := len(place.handles)
	return placement.TreeProvider{
		UUID: place.provider, Name: place.Name,
		Inventories: map[string]placement.Inventory{place.ResourceClass(): {Total: count, MaxUnit: count}},
		Traits:      traitsOf(place.Deployable),
	}
}

func traitsOf(place driver.Deployable) []string {
	var traits []string
	for _, pair := range place.Attributes {
		if strings.HasPrefix(pair.Key, "trait") {
			traits = append(traits, pair.Value)
		}
	}
	return traits
}

// reserved is the inventory that switching a device writes: without max_unit,
// and with everything reserved while it is off.
func reserved(place deployable, all bool) map[string]placement.Inventory {
	inventory := placement.Inventory{Total: len(place.handles)}
	if all {
		inventory.Reserved = inventory.Total
	}
	return map[string]placement.Inventory{place.ResourceClass(): inventory}
}

// reserve rewrites the inventory of a deployable's provider.
func (r *reporter) reserve(ctx context.Context, host string, place deployable, all bool) error {
	if r.client == nil {
		return nil
	}
	provider := deviceProvider(place)
	provider.Inventories = reserved(place, all)
	return r.client.Report(ctx, placement.Tree{Parent: host, Providers: []placement.TreeProvider{provider}})
}
