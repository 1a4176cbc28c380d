package openstack

import (
	"context"
	"encoding/json"
	"math"
	"math/big"
	"net/url"
)

// addAddresses reads free addresses and the quota of ports.
func (p *Provider) addAddresses(ctx context.Context, own []server, r room) error {
	if p.network == nil {
		return nil
	}
	ports, limited, err := p.freePorts(ctx)
	if err != nil {
		return err
	}
	if limited {
		nics := int64(0)
		for _, s := range own {
			nics += int64(len(s.Addresses))
		}
		r.stock(Addresses, ports, nics)
	}
	for _, name := range p.settings.Networks {
		network, told, err := p.networkRoom(ctx, name)
		switch {
		case err != nil:
			return err
		case told && len(p.settings.Networks) > 1:
			r.stock(AddressesOf(name), network.free, ownIn(own, network.label))
		case told && (!limited || network.free < ports):
			r.stock(Addresses, network.free, ownIn(own, network.label))
		}
	}
	return nil
}

// ownIn counts the servers in a network, which servers call by its name.
func ownIn(own []server, label string) int64 {
	count := int64(0)
	for _, s := range own {
		if len(s.Addresses[label]) > 0 {
			count++
		}
	}
	return count
}

// freePorts returns how many more ports the project may have; limited is false when there is no limit, or none that may
// be seen.
func (p *Provider) freePorts(ctx context.Context) (free int64, limited bool, err error) {
	project := projectOf(p.network)
	if project == "" {
		return 0, false, nil
	}
	var answer struct {
		Quota struct {
			Port *struct {
				Limit    int64 `json:"limit"`
				Used     int64 `json:"used"`
				Reserved int64 `json:"reserved"`
			} `json:"port"`
		} `json:"quota"`
	}
	err = p.get(ctx, p.network, p.network.ServiceURL("quotas", project, "details.json"), &answer)
	port := answer.Quota.Port
	switch {
	case err != nil && (notAllowed(err) || gone(err)):
		return 0, false, nil // gone: a Neutron without the extension
	case err != nil || port == nil || port.Limit < 0:
		return 0, false, err
	}
	return max(0, port.Limit-port.Used-port.Reserved), true, nil
}

// subnetAddresses are the addresses of one subnet. Those of IPv6 go beyond 64 bits.
type subnetAddresses struct {
	Version int         `json:"ip_version"`
	Total   json.Number `json:"total_ips"`
	Used    json.Number `json:"used_ips"`
}

// networkRoom is a network with the number of servers that find an address in it: each takes one of every version.
type networkRoom struct {
	label string
	free  int64
}

// networkRoom reads the free addresses of a network. Neutron says 404 of what may not be seen.
func (p *Provider) networkRoom(ctx context.Context, name string) (network networkRoom, told bool, err error) {
	id, err := p.networkOf(ctx, p.op("read the free addresses of network %s", name), name)
	if err != nil {
		return networkRoom{}, false, err
	}
	var answer struct {
		Network struct {
			Name    string            `json:"network_name"`
			Subnets []subnetAddresses `json:"subnet_ip_availability"`
		} `json:"network_ip_availability"`
	}
	err = p.get(ctx, p.network, p.network.ServiceURL("network-ip-availabilities", url.PathEscape(id)), &answer)
	if err != nil && !notAllowed(err) && !gone(err) {
		return networkRoom{}, false, err
	}
	network.label = answer.Network.Name
	network.free, told = leastFree(answer.Network.Subnets)
	return network, told, nil
}

// leastFree adds up the subnets of each version, and takes the version with the fewest free addresses.
func leastFree(subnets []subnetAddresses) (int64, bool) {
	byVersion := make(map[int]*big.Int)
	for _, subnet := range subnets {
		total, known := new(big.Int).SetString(subnet.Total.String(), 10)
		used, knownUsed := new(big.Int).SetString(subnet.Used.String(), 10)
		if !known || !knownUsed {
			return 0, false
		}
		if byVersion[subnet.Version] == nil {
			byVersion[subnet.Version] = new(big.Int)
		}
		byVersion[subnet.Version].Add(byVersion[subnet.Version], total.Sub(total, used))
	}
	least, told := int64(math.MaxInt64), false
	for _, free := range byVersion {
		told = true
		if free.IsInt64() {
			least = min(least, max(0, free.Int64()))
		} else if free.Sign() < 0 {
			least = 0
		}
	}
	return least, told
}
