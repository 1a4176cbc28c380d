package lifecycle

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/requestspec"
)

// mergeGroups is step 2, pure: flavor, image, port and profile groups become one request
// (nova/scheduler/utils.py:ResourceRequest.from_request_spec).
//
// If only one set is asked for, by its owner, its groups are the whole request.
func (r *run) mergeGroups(h Holding, only string) error {
	in := h.Spec
	in.Profile, in.Extra, in.Ports = nil, nil, slices.Clone(in.Ports)
	if only != "" {
		in = requestspec.Input{}
	}
	for _, set := range h.Sets {
		if only != "" && set.Owner != only {
			continue
		}
		if err := set.checkGiven(); err != nil {
			return err
		}
		switch set.Source {
		case SourceFlavor:
			in.Profile = set.Profile.Groups
		case SourcePort:
			i := slices.IndexFunc(in.Ports, func(p requestspec.Port) bool { return p.ID == set.Owner })
			in.Ports[i].Groups = set.Profile.Groups
		default:
			in.Extra = append(in.Extra, requestspec.ExtraProfile{
				Name: set.Profile.Name, Owner: set.Owner, Groups: set.Profile.Groups,
			})
		}
	}
	if len(in.Profile) == 0 { // its devices were detached
		in.Flavor.ExtraSpecs = maps.Clone(in.Flavor.ExtraSpecs)
		maps.DeleteFunc(in.Flavor.ExtraSpecs, func(key, _ string) bool { return strings.HasPrefix(key, "accel:device_profile") })
	}
	request, err := requestspec.Build(in, r.build...)
	if err != nil {
		return err
	}
	r.request = request
	return nil
}

// checkGiven refuses given ARQs that are not one for each unit of their profile, as Cyborg would have made them.
func (s Set) checkGiven() error {
	if s.Source != SourceGiven {
		return nil
	}
	want, err := requestspec.ExpectedARQs(s.Profile.Groups)
	if err != nil {
		return err
	}
	have := make([]int, len(want))
	for _, arq := range s.ARQs {
		if arq.Group < 0 || arq.Group >= len(want) {
			return fmt.Errorf("the given ARQ %s serves group %d of device profile %s, which has no such group", arq.UUID, arq.Group, s.Profile.Name)
		}
		have[arq.Group]++
	}
	if !slices.Equal(want, have) {
		return fmt.Errorf("of the ARQs given, the groups of device profile %s have %v, and need %v", s.Profile.Name, have, want)
	}
	return nil
}
