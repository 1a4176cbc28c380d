package fakecyborg

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/google/uuid"

	"github.com/novacyborg/novacyborg/placement"
)

// reporter writes hosts and deployables into Placement; without a client it does
// nothing.
// It mirrors cyborg/conductor/manager.py:ConductorManager.provider_report and
// cyborg/common/placement_client.py.
type reporter struct {
	client *placement.Client

	// reporting lets one report run at a time.
	reporting sync.Mutex
	// nodes and devices are what the reports own, by host. A server that starts
	// anew on the same Placement owns no nodes; those are nova-compute's.
	nodes, devices map[string]placement.Owned
}

func newReporter(c *config) *reporter {
	return &reporter{client: c.placement, nodes: make(map[string]placement.Owned), devices: make(map[string]placement.Owned)}
}

// node writes the host's own provider, or finds it, which must be there before
// anything else is done.
func (r *reporter) node(ctx context.Context, host Host) error {
	switch {
	case r.client == nil:
		return nil
	case host.ComputeNode == nil:
		return r.findNode(ctx, host.Name)
	}
	r.reporting.Lock()
	defer r.reporting.Unlock()
	tree := placement.Tree{Providers: []placement.TreeProvider{computeProvider(host)}}
	owned, err := r.client.Report(ctx, tree, r.nodes[host.Name])
	r.nodes[host.Name] = owned
	return err
}

// findNode finds the provider of a host that somebody else writes.
func (r *reporter) findNode(ctx context.Context, name string) error {
	_, err := r.client.ProviderByName(ctx, name)
	if errors.Is(err, placement.ErrNotFound) {
		return fmt.Errorf("%w; give the host compute_node, or create its provider first", err)
	}
	return err
}

// expect tells, without a change, what would keep those hosts from reporting at
// all: the want of a provider, or a Placement that does not answer.
func (r *reporter) expect(ctx context.Context, hosts []Host) error {
	if r.client == nil {
		return nil
	}
	for _, host := range hosts {
		err := r.findNode(ctx, host.Name)
		if host.ComputeNode != nil && errors.Is(err, placement.ErrNotFound) {
			continue
		}
		if err != nil {
			return fmt.Errorf("report host %s: %w", host.Name, err)
		}
	}
	return nil
}

// all writes the providers of all deployables of a host, and deletes what it
// wrote there before and is not among them.
func (r *reporter) all(ctx context.Context, host string, places []deployable) error {
	if r.client == nil {
		return nil
	}
	r.reporting.Lock()
	defer r.reporting.Unlock()
	tree := placement.Tree{Parent: host}
	for _, place := range places {
		if place.provided != nil {
			tree.Providers = append(tree.Providers, place.treeProvider())
			r.own(host, place)
		}
	}
	if len(tree.Providers)+len(r.devices[host]) == 0 {
		return nil
	}
	owned, err := r.client.Report(ctx, tree, r.devices[host])
	r.devices[host] = owned
	return err
}

// one writes the provider of one deployable.
func (r *reporter) one(ctx context.Context, host string, place deployable) error {
	if r.client == nil || place.provided == nil {
		return nil
	}
	r.reporting.Lock()
	defer r.reporting.Unlock()
	r.own(host, place)
	return r.partly(ctx, host, place.provider, place.treeProvider())
}

// withdraw deletes the provider of a deployable.
func (r *reporter) withdraw(ctx context.Context, host, provider string) error {
	if r.client == nil {
		return nil
	}
	r.reporting.Lock()
	defer r.reporting.Unlock()
	if _, ours := r.devices[host][provider]; !ours {
		return nil
	}
	return r.partly(ctx, host, provider)
}

// partly makes one provider be as it is given, or not be; the caller holds the lock.
func (r *reporter) partly(ctx context.Context, host, id string, wanted ...placement.TreeProvider) error {
	owned, err := r.client.Report(ctx, placement.Tree{Parent: host, Providers: wanted}, placement.Owned{id: r.devices[host][id]})
	delete(r.devices[host], id)
	maps.Copy(r.devices[host], owned)
	return err
}

// forget deletes all that was written for a host.
func (r *reporter) forget(ctx context.Context, host string) error {
	if err := r.all(ctx, host, nil); err != nil || r.client == nil {
		return err
	}
	r.reporting.Lock()
	defer r.reporting.Unlock()
	if len(r.nodes[host]) == 0 {
		return nil
	}
	owned, err := r.client.Report(ctx, placement.Tree{}, r.nodes[host])
	r.nodes[host] = owned
	return err
}

// hosts are those that something was written for.
func (r *reporter) hosts() []string {
	r.reporting.Lock()
	defer r.reporting.Unlock()
	names := slices.AppendSeq(slices.Collect(maps.Keys(r.devices)), maps.Keys(r.nodes))
	slices.Sort(names)
	return slices.Compact(names)
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
	claims := []placement.TreeProvider{place.treeProvider()}
	for _, reserved := range []int{0, place.provided.Total} {
		for _, bounded := range []bool{false, true} {
			claim := *place.provided
			claim.Reserved, claim.Bounded = reserved, bounded
			place.provided = &claim
			claims = append(claims, place.treeProvider())
		}
	}
	maps.Copy(r.devices[host], placement.Owning(claims...))
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

// treeProvider is the child provider of a deployable that is offered.
func (d deployable) treeProvider() placement.TreeProvider {
	return placement.TreeProvider{UUID: d.provider, Name: d.Name, Inventories: d.provided.inventories(), Traits: d.provided.Traits}
}
