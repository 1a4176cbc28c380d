package openstack

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/requestspec"
)

// checkProfile refuses a class whose flavor does not give it the accelerators that it is meant to have: its VMs would
// come up without them. Where there is no Cyborg to ask, only the names are compared.
func (p *Provider) checkProfile(ctx context.Context, op string, class elasticpool.Class, f flavor) error {
	has := strings.TrimSpace(f.extra[deviceProfileSpec])
	switch {
	case class.DeviceProfile == "":
		return nil
	case has != class.DeviceProfile:
		return invalid(op, "class %s wants device profile %q, its flavor %s has %s=%q",
			class.Name, class.DeviceProfile, class.Flavor, deviceProfileSpec, has)
	case p.cyborg == nil:
		return nil
	}
	_, err := p.profileTakes(ctx, has)
	if err != nil && !notAllowed(err) {
		return classify(op, err)
	}
	return nil
}

// profileTakes returns how much of each resource class a device profile asks for.
func (p *Provider) profileTakes(ctx context.Context, name string) (elasticpool.Resources, error) {
	if known, ok := p.profiles.get(name); ok {
		return known, nil
	}
	profile, err := p.cyborg.DeviceProfileByName(ctx, name)
	if err != nil {
		return nil, err
	}
	takes := make(elasticpool.Resources)
	for _, group := range profile.Groups {
		addResources(takes, group)
	}
	p.profiles.put(name, takes)
	return takes, nil
}

// addResources adds what the properties of a group ask for.
func addResources(takes elasticpool.Resources, group requestspec.ProfileGroup) {
	for _, property := range group {
		class, found := strings.CutPrefix(property.Key, "resources:")
		if !found {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(fmt.Sprint(property.Value)), 10, 64); err == nil && n > 0 {
			takes[strings.TrimSpace(class)] += n
		}
	}
}

// flavorTakes returns how much of each resource class a server of a flavor has: by its device profile, and by extra specs
// of its own as for PGPU=1. A profile that is no more takes nothing: it cannot be told.
func (p *Provider) flavorTakes(ctx context.Context, extra map[string]string) (elasticpool.Resources, error) {
	takes := make(elasticpool.Resources)
	addResources(takes, requestspec.GroupOf(extra))
	profile := strings.TrimSpace(extra[deviceProfileSpec])
	if profile == "" || p.cyborg == nil {
		return takes, nil
	}
	of, err := p.profileTakes(ctx, profile)
	if err != nil && !errors.Is(err, cyborgclient.ErrNotFound) {
		return nil, err
	}
	return takes.Plus(of), nil
}
