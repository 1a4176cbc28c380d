package openstack

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/requestspec"
)

// addAccelerators reads how many accelerators of each resource class are free.
func (p *Provider) addAccelerators(ctx context.Context, own []server, r room) error {
	free, err := p.freeAccelerators(ctx)
	if err != nil || len(free) == 0 {
		return err
	}
	used := make(elasticpool.Resources)
	for _, s := range own {
		takes, err := p.flavorTakes(ctx, s.Flavor.Extra)
		switch {
		case err != nil && notAllowed(err):
			return nil // the own use cannot be told, and so no total
		case err != nil:
			return err
		}
		used = used.Plus(takes)
	}
	freeOf, usedOf := make(elasticpool.Resources), make(elasticpool.Resources)
	for class, amount := range free {
		name := p.settings.Accelerators[class]
		freeOf[name] += amount
		usedOf[name] += used[class]
	}
	for name, amount := range freeOf {
		r.stock(name, amount, usedOf[name])
	}
	return nil
}

// freeAccelerators returns what is free of the resource classes of Settings.Accelerators, of those that the cloud has and
// tells.
func (p *Provider) freeAccelerators(ctx context.Context) (elasticpool.Resources, error) {
	if p.placement != nil && len(p.settings.Accelerators) > 0 {
		free, err := p.freeInPlacement(ctx)
		if err == nil || !notAllowed(err) {
			return free, err
		}
	}
	if p.cyborg == nil || len(p.settings.Accelerators) == 0 {
		return nil, nil
	}
	free, err := p.freeInCyborg(ctx)
	if err != nil && notAllowed(err) {
		return nil, nil
	}
	return free, err
}

// freeInPlacement asks for each class which providers have one left, as Nova would: hosts that are disabled do not count.
func (p *Provider) freeInPlacement(ctx context.Context) (elasticpool.Resources, error) {
	const all = 100_000 // candidates: more than there are providers
	free := make(elasticpool.Resources)
	for _, class := range slices.Sorted(maps.Keys(p.settings.Accelerators)) {
		answer, err := p.placement.Candidates(ctx, &requestspec.Request{
			Groups:        []requestspec.Group{{Resources: map[string]int64{class: 1}}},
			RootForbidden: []string{"COMPUTE_STATUS_DISABLED"},
			Limit:         all,
		})
		if errors.Is(err, placement.ErrNotFound) {
			continue // no provider has ever had one
		}
		if err != nil {
			return nil, err
		}
		free[class] = 0
		counted := make(map[string]bool)
		for _, candidate := range answer.List {
			for provider := range candidate.Allocations {
				if usage := answer.Summaries[provider].Resources[class]; !counted[provider] {
					counted[provider] = true
					free[class] += max(0, usage.Capacity-usage.Used)
				}
			}
		}
	}
	return free, nil
}

// freeInCyborg counts the accelerators of all deployables less the ARQs that hold one. ARQs of other projects are seen by
// admins only, as deployables are.
func (p *Provider) freeInCyborg(ctx context.Context) (elasticpool.Resources, error) {
	deployables, err := p.cyborg.Deployables(ctx, cyborgclient.DeployableFilter{})
	if err != nil {
		return nil, err
	}
	arqs, err := p.cyborg.ARQs(ctx, cyborgclient.ARQFilter{})
	if err != nil {
		return nil, err
	}
	free, classes := make(elasticpool.Resources), make(map[string]string)
	for _, deployable := range deployables {
		class, err := classOfDeployable(deployable)
		if err != nil {
			return nil, err
		}
		if _, counts := p.settings.Accelerators[class]; counts {
			classes[deployable.RPUUID] = class
			free[class] += int64(deployable.NumAccelerators)
		}
	}
	for _, arq := range arqs {
		if class, counts := classes[arq.DeviceRPUUID]; counts && arq.DeviceRPUUID != "" {
			free[class] = max(0, free[class]-1)
		}
	}
	return free, nil
}

// classOfDeployable is the attribute that Cyborg reports to Placement as the resource class.
func classOfDeployable(deployable cyborgclient.Deployable) (string, error) {
	attributes, err := deployable.Attributes()
	if err != nil {
		return "", err
	}
	for _, attribute := range attributes {
		if attribute.Key == "rc" {
			return attribute.Value, nil
		}
	}
	return "", nil
}
