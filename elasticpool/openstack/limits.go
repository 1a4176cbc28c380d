package openstack

import (
	"context"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/limits"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Addresses is the resource of network addresses in limits. A class that takes one says addresses: 1 in its Takes.
const Addresses = "addresses"

// AddressesOf is the resource of addresses of one of several networks of Settings.Networks.
func AddressesOf(network string) string { return Addresses + "." + network }

// Limits returns the project's quota of cores, memory and servers, free addresses and free accelerators.
//
// Addresses are those of Settings.Networks, as far as the login may see them (Neutron shows them to admins), bounded by
// the quota of ports. Of one network they count as Addresses, of several as AddressesOf each.
//
// Accelerators are what Placement says is free, or Cyborg where Placement may not be asked; both ask for an admin. What
// may not be seen is absent, which means that it is not limited. Anything else that goes wrong is an error.
//
// It reads the project's servers, to tell the pool's own from those of others.
func (p *Provider) Limits(ctx context.Context) (elasticpool.Limits, error) {
	op := p.op("read limits")
	all, complete, err := p.list(ctx, nil)
	switch {
	case err != nil:
		return elasticpool.Limits{}, classify(op, err)
	case !complete:
		return elasticpool.Limits{}, &elasticpool.CloudError{Op: op, Class: elasticpool.ErrTransient, Detail: "the list of servers is not whole"}
	}
	limits := room{total: make(elasticpool.Resources), free: make(elasticpool.Resources)}
	own := p.ownServers(all)
	for _, add := range []func(context.Context, []server, room) error{p.addQuota, p.addAddresses, p.addAccelerators} {
		if err := add(ctx, own, limits); err != nil {
			return elasticpool.Limits{}, classify(op, err)
		}
	}
	return elasticpool.Limits{Total: limits.total, Free: limits.free}, nil
}

// room is what becomes the limits.
type room struct{ total, free elasticpool.Resources }

// quota adds a resource of which the project may have most (-1: any number), of which used is used, own of it by the pool.
func (r room) quota(name string, most, used, own int64) {
	if most < 0 {
		return
	}
	r.total[name] = max(0, most-max(0, used-own))
	r.free[name] = min(max(0, most-used), max(0, r.total[name]-own))
}

// stock adds a resource of which so much is free, whoever comes first.
func (r room) stock(name string, free, own int64) {
	r.total[name], r.free[name] = free+own, free
}

func (p *Provider) ownServers(all []server) []server {
	var own []server
	for _, s := range all {
		if _, ok := s.of(p.settings.Pool); ok {
			own = append(own, s)
		}
	}
	return own
}

// addQuota reads Nova's limits. Servers in deletion count until they are gone, for Nova and here alike.
func (p *Provider) addQuota(ctx context.Context, own []server, r room) error {
	answer, err := limits.Get(ctx, p.compute, limits.GetOpts{}).Extract()
	if err != nil {
		return err
	}
	var cores, memory int64
	for _, s := range own {
		cores += s.Flavor.VCPUs
		memory += s.Flavor.RAM
	}
	most := answer.Absolute
	r.quota(elasticpool.CPUs, int64(most.MaxTotalCores), int64(most.TotalCoresUsed), cores)
	r.quota(elasticpool.Memory, int64(most.MaxTotalRAMSize), int64(most.TotalRAMUsed), memory)
	r.quota(elasticpool.VMs, int64(most.MaxTotalInstances), int64(most.TotalInstancesUsed), int64(len(own)))
	return nil
}
