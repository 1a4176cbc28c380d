package placement

import (
	"context"
	"errors"
)

// Report makes Placement hold a tree. It reads what is there, works out the difference, applies it in a safe order, and
// starts over when somebody else wrote at the same time; so it can be repeated at any time, and a report without a
// difference writes nothing.
//
// It never changes what it did not create: the parent, other providers, and the traits and inventories that others put
// on the tree's providers stay as they are (see Tree.Previous for what counts as own work). Where the tree cannot be
// had without that, it fails with ErrForeign. Inventory that moves to another provider of the same tree (see
// TreeProvider.Replaces) takes its allocations along; this needs a role that may use the reshaper. What is
// to be removed but is allocated is withdrawn from further use, everything else is done, and the result is ErrInUse:
// report again once it is released. A provider to be removed in which others have something stays,
// without what was reported of it; everything else is done, and the result is ErrForeign.
//
// A server older than microversion 1.29 is refused with ErrVersion, and a malformed tree with ErrTree, before anything
// is sent. ErrNotFound tells that the parent is missing, or a class or trait that does not start with CUSTOM_.
func (c *Client) Report(ctx context.Context, tree Tree) error {
	op := "report the provider tree"
	if tree.Parent != "" {
		op += " under " + tree.Parent
	}
	if err := tree.check(op); err != nil {
		return err
	}
	if err := c.need(ctx, need{baseline, "a tree of providers"}, op); err != nil {
		return err
	}
	return retryConflicts(ctx, func() error { return c.report(ctx, op, tree) })
}

// report is one attempt.
func (c *Client) report(ctx context.Context, op string, tree Tree) error {
	var parent Provider
	if tree.Parent != "" {
		named, err := c.ProviderByName(ctx, tree.Parent)
		if err != nil {
			return &Error{Op: op, cause: err}
		}
		parent = *named
	}
	wanted, mine := flatten(tree.Providers, parent.UUID, parent.Root), ownershipOf(tree.Previous)
	have, err := c.read(ctx, op, rootsOf(parent, wanted, mine), interest(wanted, mine))
	if err != nil {
		return err
	}
	plan, err := difference(op, wanted, mine, have)
	if err != nil {
		return err
	}
	if err := c.apply(ctx, op, plan, have); err != nil {
		return err
	}
	return errors.Join(plan.kept...)
}

// rootsOf returns a provider of each tree that a report is about.
func rootsOf(parent Provider, wanted []node, mine ownership) []string {
	if parent.UUID != "" {
		return []string{parent.UUID}
	}
	var roots []string
	for _, node := range wanted {
		roots = append(roots, node.UUID)
	}
	for uuid := range mine.providers {
		roots = append(roots, uuid)
	}
	return roots
}

// interest returns the providers whose content matters.
func interest(wanted []node, mine ownership) map[string]bool {
	uuids := make(map[string]bool)
	for _, node := range wanted {
		uuids[node.UUID] = true
	}
	for uuid := range mine.providers {
		uuids[uuid] = true
	}
	return uuids
}
