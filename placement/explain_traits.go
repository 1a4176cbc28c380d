package placement

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/resourceclasses"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/traits"

	"github.com/novacyborg/novacyborg/requestspec"
)

// judgeRefusal looks for the class or trait that Placement does not know and refuses the whole request for.
func (e *explainer) judgeRefusal(ctx context.Context, group requestspec.Group, refusal error) (GroupVerdict, error) {
	var answer *Error
	if !errors.As(refusal, &answer) || answer.StatusCode != http.StatusBadRequest {
		return GroupVerdict{}, refusal
	}
	for _, class := range slices.Sorted(maps.Keys(group.Resources)) {
		err := wrap("get resource class "+class, resourceclasses.Get(ctx, e.at(baseline), class).Err)
		if errors.Is(err, ErrNotFound) {
			return verdict(group, UnknownClass, "placement knows no resource class "+class), nil
		}
		if err != nil {
			return GroupVerdict{}, err
		}
	}
	for _, trait := range slices.Concat(group.Required, group.Forbidden, e.req.RootRequired, e.req.RootForbidden) {
		err := wrap("get trait "+trait, traits.Get(ctx, e.at(baseline), trait).ExtractErr())
		if errors.Is(err, ErrNotFound) {
			return verdict(group, UnknownTrait, "placement knows no trait "+trait), nil
		}
		if err != nil {
			return GroupVerdict{}, err
		}
	}
	return GroupVerdict{}, refusal
}

// judgeRoot looks whether the traits of the root are in the way, and which of them alone is.
func (e *explainer) judgeRoot(ctx context.Context, group requestspec.Group) (GroupVerdict, error) {
	if found, err := e.finds(ctx, only(group), anyRoot); err != nil || !found {
		return GroupVerdict{}, err
	}
	words, err := culprits(e.req.RootRequired, e.req.RootForbidden, func(required, forbidden []string) (bool, error) {
		return e.finds(ctx, only(group), func(r *requestspec.Request) { r.RootRequired, r.RootForbidden = required, forbidden })
	})
	return verdict(group, RootTraits, "providers have it, but only on hosts whose root "+words), err
}

// judgeTraits looks whether the group's own traits are in the way, and which of them alone is.
func (e *explainer) judgeTraits(ctx context.Context, group requestspec.Group) (GroupVerdict, error) {
	with := func(required, forbidden []string) (bool, error) {
		changed := group
		changed.Required, changed.Forbidden = required, forbidden
		return e.finds(ctx, only(changed), anyRoot)
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
