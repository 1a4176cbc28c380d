package openstack

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/internal/osapi"
)

// portMark is the description of ports that the pool makes. It is set in the request that makes them, so that there is
// never one without it.
func portMark(pool, vm string) string { return portMarkPrefix(pool) + vm }

func portMarkPrefix(pool string) string {
	return elasticpool.TagPool + "=" + pool + " " + elasticpool.TagVM + "="
}

// markedVM returns the VM that a port was made for.
func markedVM(port ports.Port, pool string) (string, bool) {
	vm, ours := strings.CutPrefix(port.Description, portMarkPrefix(pool))
	return vm, ours && vm != ""
}

// makePorts makes a port in each network, if the class wants them other than Nova makes them. Ports that an earlier try
// has left are used.
func (p *Provider) makePorts(ctx context.Context, op string, spec elasticpool.ServerSpec, plan plan) ([]string, error) {
	switch {
	case !plan.extras.ownPorts():
		return nil, nil
	case plan.word != "":
		return nil, invalid(op, "class %s wants ports of its own and names no network for them", spec.Class.Name)
	case p.network == nil:
		return nil, invalid(op, "class %s wants ports of its own, and the cloud has no network service", spec.Class.Name)
	}
	for _, group := range plan.extras.securityGroups {
		if !isUUID(group) {
			return nil, invalid(op, "security group %q is no id, as it must be for ports that the pool makes", group)
		}
	}
	left, err := p.portsOf(ctx, spec.VM)
	if err != nil {
		return nil, classify(op, err)
	}
	var made []string
	for _, network := range plan.networks {
		i := slices.IndexFunc(left, func(port ports.Port) bool { return port.NetworkID == network && port.DeviceID == "" })
		if i >= 0 {
			made = append(made, left[i].ID)
			left = slices.Delete(left, i, i+1)
			continue
		}
		id, err := p.makePort(ctx, spec, plan, network)
		if err != nil {
			p.dropPorts(ctx, made)
			return nil, classify(op, err)
		}
		made = append(made, id)
	}
	return made, nil
}

func (p *Provider) makePort(ctx context.Context, spec elasticpool.ServerSpec, plan plan, network string) (string, error) {
	port := map[string]any{"network_id": network, "name": spec.Name, "description": portMark(spec.Pool, spec.VM)}
	if plan.extras.vnicType != "" {
		port["binding:vnic_type"] = plan.extras.vnicType
	}
	if plan.extras.portProfile != "" {
		port["device_profile"] = plan.extras.portProfile
	}
	if len(plan.extras.securityGroups) > 0 {
		port["security_groups"] = plan.extras.securityGroups
	}
	var answer struct {
		Port struct {
			ID string `json:"id"`
		} `json:"port"`
	}
	_, err := p.network.Post(osapi.AtMostOnce(ctx), p.network.ServiceURL("ports"), map[string]any{"port": port}, //nolint:bodyclose // closed by gophercloud
		&answer, &gophercloud.RequestOpts{OkCodes: []int{http.StatusCreated}})
	if err == nil && answer.Port.ID == "" {
		err = errNoID
	}
	return answer.Port.ID, err
}

// dropPorts takes back ports of a server that was surely not made. What cannot be removed is an orphan later.
func (p *Provider) dropPorts(ctx context.Context, ids []string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
	defer cancel()
	for _, id := range ids {
		if err := p.deletePort(ctx, id); err != nil {
			p.log.Warn("port stays behind", "port", id, "error", classify("delete port", err))
		}
	}
}

// deletePort deletes a port; one that is gone is no error.
func (p *Provider) deletePort(ctx context.Context, id string) error {
	err := ports.Delete(ctx, p.network, id).ExtractErr()
	if gone(err) {
		return nil
	}
	return err
}

// portsOf returns the ports that the pool made for a VM.
func (p *Provider) portsOf(ctx context.Context, vm string) ([]ports.Port, error) {
	return p.markedPorts(ctx, ports.ListOpts{Description: portMark(p.settings.Pool, vm)})
}

// markedPorts returns ports that the pool made, of this project only: admins see the ports of all.
func (p *Provider) markedPorts(ctx context.Context, filter ports.ListOpts) ([]ports.Port, error) {
	filter.ProjectID = projectOf(p.network)
	pages, err := ports.List(p.network, filter).AllPages(ctx)
	if err != nil {
		return nil, err
	}
	all, err := ports.ExtractPorts(pages)
	return slices.DeleteFunc(all, func(port ports.Port) bool {
		_, ours := markedVM(port, p.settings.Pool)
		return !ours || filter.Description != "" && port.Description != filter.Description
	}), err
}
