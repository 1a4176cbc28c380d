package placement

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/resourceclasses"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/traits"

	"github.com/novacyborg/novacyborg/requestspec"
)

// isBadRequest tells whether Placement refused a query itself, which it does for unknown names.
func isBadRequest(err error) bool {
	answer, ok := errors.AsType[*Error](err)
	return ok && answer.StatusCode == http.StatusBadRequest
}

// judgeNames looks for a class or trait that Placement does not know.
func (e *explainer) judgeNames(ctx context.Context, group requestspec.Group) (GroupVerdict, error) {
	for _, class := range slices.Sorted(maps.Keys(group.Resources)) {
		unknown, err := e.isUnknown(ctx, getClass, "resource class "+class, func(ctx context.Context) gophercloud.Result {
			return resourceclasses.Get(ctx, e.at(baseline), segment(class)).Result
		})
		if err != nil || unknown {
			return verdict(group, UnknownClass, "placement knows no resource class "+class), err
		}
	}
	for _, trait := range slices.Concat(group.Required, group.Forbidden, e.req.RootRequired, e.req.RootForbidden) {
		unknown, err := e.isUnknown(ctx, getTrait, "trait "+trait, func(ctx context.Context) gophercloud.Result {
			return traits.Get(ctx, e.at(baseline), segment(trait)).Result
		})
		if err != nil || unknown {
			return verdict(group, UnknownTrait, "placement knows no trait "+trait), err
		}
	}
	return GroupVerdict{}, nil
}

// isUnknown tells whether Placement does not know a name, and looks each up once.
func (e *explainer) isUnknown(ctx context.Context, o operation, name string, look func(context.Context) gophercloud.Result) (bool, error) {
	if unknown, known := e.unknown[name]; known {
		return unknown, nil
	}
	err := e.get(ctx, o, "get "+name, look)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return false, err
	}
	e.unknown[name] = err != nil
	return e.unknown[name], nil
}

// judgeRoot looks whether the traits of the root are in the way, and which of them alone is.
func (e *explainer) judgeRoot(ctx context.Context, group requestspec.Group) (GroupVerdict, error) {
	hosts, err := e.hosts(ctx, only(group), anyRoot)
	if err != nil || len(hosts) == 0 {
		return GroupVerdict{}, err
	}
	words, err := culprits(e.req.RootRequired, e.req.RootForbidden, func(required, forbidden []string) (bool, error) {
		return e.finds(ctx, only(group), func(r *requestspec.Request) { r.RootRequired, r.RootForbidden = required, forbidden })
	})
	return verdict(group, RootTraits, "providers have it, but only on hosts whose root "+words+": "+list(hosts)), err
}

// judgeBareRoot looks whether there would be room if neither the traits of the root nor anything but the amounts of the
// group counted, so that the root is in the way together with the rest.
func (e *explainer) judgeBareRoot(ctx context.Context, group requestspec.Group) (GroupVerdict, error) {
	if len(e.req.RootRequired)+len(e.req.RootForbidden) == 0 {
		return GroupVerdict{}, nil
	}
	if found, err := e.finds(ctx, only(bare(group))); err != nil || found {
		return GroupVerdict{}, err
	}
	judged, err := e.judgeRoot(ctx, bare(group))
	if err != nil || judged.Reason == "" || isBare(group) {
		return judged, err
	}
	judged.Text = describe(group) + strings.TrimPrefix(judged.Text, describe(bare(group))) + "; there the group's own conditions are not met, either"
	return judged, nil
}

// judgeTraits looks whether the group's own traits are in the way, and which of them alone is.
func (e *explainer) judgeTraits(ctx context.Context, group requestspec.Group) (GroupVerdict, error) {
	with := func(required, forbidden []string) (bool, error) {
		changed := group
		changed.Required, changed.Forbidden = required, forbidden
		return e.finds(ctx, only(changed))
	}
	if found, err := with(nil, nil); err != nil || !found {
		return GroupVerdict{}, err
	}
	words, err := culprits(group.Required, group.Forbidden, with)
	return verdict(group, Traits, "providers have room, but each of them "+words), err
}

// culprits names the traits that each alone leave nothing, or all of them if it takes several.
func culprits(required, forbidden []string, finds func(required, forbidden []string) (bool, error)) (string, error) {
	var all, alone []string
	note := func(words string, required, forbidden []string) error {
		all = append(all, words)
		found, err := finds(required, forbidden)
		if !found {
			alone = append(alone, words)
		}
		return err
	}
	for _, trait := range required {
		if err := note("lacks "+trait, []string{trait}, nil); err != nil {
			return "", err
		}
	}
	for _, trait := range forbidden {
		if err := note("has "+trait, nil, []string{trait}); err != nil {
			return "", err
		}
	}
	if len(alone) > 0 {
		return strings.Join(alone, " and "), nil
	}
	return strings.Join(all, " or "), nil
}
