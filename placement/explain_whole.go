package placement

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/requestspec"
)

// judgeWhole explains why groups that find providers one by one find none together.
func (e *explainer) judgeWhole(ctx context.Context) (GroupVerdict, error) {
	found, err := e.finds(ctx)
	if err != nil || found {
		return GroupVerdict{Reason: Fits}, err
	}
	for _, look := range []func(context.Context) (string, error){e.judgeSubtree, e.judgeIsolation, e.judgePairs} {
		if text, err := look(ctx); err != nil || text != "" {
			return GroupVerdict{Suffix: WholeRequest, Reason: Apart, Text: text}, err
		}
	}
	text, err := e.perGroup(ctx)
	text = "all groups together: each finds providers, but no host has enough for all of them: " + text
	return GroupVerdict{Suffix: WholeRequest, Reason: Apart, Text: text}, err
}

// perGroup names for each group the hosts that fit, and those that fit all.
func (e *explainer) perGroup(ctx context.Context) (string, error) {
	var words, common []string
	for _, group := range e.req.Groups {
		if isResourceless(group) {
			continue
		}
		hosts, err := e.hosts(ctx, only(group), unlimited)
		if err != nil {
			return "", err
		}
		if len(words) == 0 {
			common = hosts
		}
		common = slices.DeleteFunc(slices.Clone(common), func(host string) bool { return !slices.Contains(hosts, host) })
		name := cmp.Or(group.Suffix, "the flavor's own group")
		words = append(words, name+": "+list(hosts))
	}
	return strings.Join(append(words, "common: "+list(common)), "; "), nil
}

// judgeSubtree looks whether same_subtree is in the way.
func (e *explainer) judgeSubtree(ctx context.Context) (string, error) {
	if len(e.req.SameSubtree) == 0 {
		return "", nil
	}
	hosts, err := e.hosts(ctx, only(slices.DeleteFunc(slices.Clone(e.req.Groups), isResourceless)...))
	if err != nil || len(hosts) == 0 {
		return "", err
	}
	return "all groups together: " + list(hosts) + " could serve them, but not in one subtree as same_subtree wants", nil
}

// judgeIsolation looks whether group_policy isolate is in the way.
func (e *explainer) judgeIsolation(ctx context.Context) (string, error) {
	if e.req.GroupPolicy != "isolate" {
		return "", nil
	}
	hosts, err := e.hosts(ctx, func(r *requestspec.Request) { r.GroupPolicy = "none" })
	if err != nil || len(hosts) == 0 {
		return "", err
	}
	return "all groups together: " + list(hosts) + " could serve them, but not on different providers as group_policy isolate wants", nil
}

// judgePairs looks for a group that no host has together with the flavor's own.
func (e *explainer) judgePairs(ctx context.Context) (string, error) {
	flavor, found := e.req.Group("")
	if !found {
		return "", nil
	}
	for _, group := range e.req.Groups {
		if group.Suffix == "" || isResourceless(group) {
			continue
		}
		if found, err := e.finds(ctx, only(flavor, group)); err != nil {
			return "", err
		} else if !found {
			text, err := e.perGroup(ctx)
			return describe(group) + ": providers have it, but on no host that also has what the flavor asks for: " + text, err
		}
	}
	return "", nil
}

func isResourceless(group requestspec.Group) bool { return len(group.Resources) == 0 }
