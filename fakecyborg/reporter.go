package fakecyborg

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"github.com/google/uuid"

	"github.com/novacyborg/novacyborg/placement"
)

// reporter writes hosts and deployables into Placement.
// It mirrors cyborg/conductor/manager.py:ConductorManager.provider_report and
// cyborg/common/placement_client.py.
type reporter struct {
	client *placement.Client

	// following guards hosts.
	following sync.Mutex
	hosts     []Host

	// reporting lets one report run at a time.
	reporting sync.Mutex
	// nodes and devices are what the reports own, by host. A server that starts
	// anew on the same Placement owns no nodes; those are nova-compute's.
	nodes, devices map[string]placement.Owned
}

func newReporter(c *config) *reporter {
	return &reporter{
		client: c.placement, hosts: c.seed.Hosts,
		nodes: make(map[string]placement.Owned), devices: make(map[string]placement.Owned),
	}
}

// follow makes reports be about those hosts.
func (r *reporter) follow(hosts []Host) {
	r.following.Lock()
	defer r.following.Unlock()
	r.hosts = hosts
}

func (r *reporter) followed() []Host {
	r.following.Lock()
	defer r.following.Unlock()
	return r.hosts
}

// Report writes the seed's hosts and devices into Placement, if there is one:
// first the host's own provider where the seed describes a compute node, then a
// child provider for each deployable. It can be called again at any time, also
// by a server that was started anew. What others changed of it stays and is an
// error. Attributes that were made through the API go, as they do at each report
// of a real agent. The server counts as ready once a report has succeeded.
func (s *Server) Report(ctx context.Context) error {
	if err := s.store.reportAllAttributes(); err != nil {
		return err
	}
	if s.reporter.client == nil {
		return nil
	}
	for _, host := range s.reporter.followed() {
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
	r.reporting.Lock()
	defer r.reporting.Unlock()
	if host.ComputeNode != nil {
		tree := placement.Tree{Providers: []placement.TreeProvider{computeProvider(host)}}
		owned, err := r.client.Report(ctx, tree, r.nodes[host.Name])
		r.nodes[host.Name] = owned
		if err != nil {
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
		r.own(host.Name, place.deployable)
	}
	owned, err := r.client.Report(ctx, tree, r.devices[host.Name])
	r.devices[host.Name] = owned
	return err
}

// own claims a device's provider that nothing is known of yet: its uuid is made
// from its name as Cyborg makes it, so that only Cyborg, or this server before
// it was started anew, can have created it. The inventory is one of those that
// a report and switching the device write.
func (r *reporter) own(host string, place deployable) {
	if r.devices[host] == nil {
		r.devices[host] = make(placement.Owned)
	}
	if _, known := r.devices[host][place.provider]; known {
		return
	}
	reported, off, on := deviceProvider(place), deviceProvider(place), deviceProvider(place)
	off.Inventories, on.Inventories = reserved(place, true), reserved(place, false)
	maps.Copy(r.devices[host], placement.Owning(reported, off, on))
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
	count := place.NumAccelerators()
	return placement.TreeProvider{
		UUID: place.provider, Name: place.Name,
		Inventories: map[string]placement.Inventory{place.ResourceClass(): {Total: count, MaxUnit: count}},
		Traits:      place.Traits(),
	}
}

// reserved is the inventory that switching a device writes: without max_unit,
// and with everything reserved while it is off.
func reserved(place deployable, all bool) map[string]placement.Inventory {
	inventory := placement.Inventory{Total: place.NumAccelerators()}
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
	r.reporting.Lock()
	defer r.reporting.Unlock()
	r.own(host, place)
	provider := deviceProvider(place)
	provider.Inventories = reserved(place, all)
	owned := placement.Owned{place.provider: r.devices[host][place.provider]}
	owned, err := r.client.Report(ctx, placement.Tree{Parent: host, Providers: []placement.TreeProvider{provider}}, owned)
	maps.Copy(r.devices[host], owned)
	return err
}
