package placement

import (
	"context"
	"errors"
	"maps"
	"slices"
)

// Report makes Placement hold a tree. It reads what is there, works out the difference, applies it in a safe order, and
// starts over when somebody else wrote at the same time or the outcome of a write is unknown. It can be repeated at any
// time, and a report without a difference writes nothing.
//
// A reporter owns what it added, and passes on from report to report what that is:
//
//	owned, err = client.Report(ctx, tree, owned)
//
// What it owns and does not want any more is removed. Nothing else is ever changed: not the parent, not a provider that
// exists, not a trait or inventory that is there already, be it the very one that is wanted, and not an inventory of its
// own that somebody else changed since. What the tree lacks for that reason is ErrForeign; a provider in the wrong place
// is refused before anything is written, everything else after all other work was done. So without a memory (a nil
// Owned) a tree is completed but never altered; see Owning for a reporter that knows better.
//
// The returned Owned is valid also with an error. A write whose outcome stays unknown counts as both done and not done:
// what is found later as it was written, is owned. What is found to be gone is not owned any more. It replaces the Owned
// that was passed, which is left as it is. A process that may be killed uses ReportAndSave.
//
// Inventory that moves to another provider of the same tree (see TreeProvider.Replaces) takes its allocations along;
// this needs a role that may use the reshaper. What is to be removed but is allocated is withdrawn from further use,
// everything else is done, and the result is ErrInUse: report again once it is released. A provider to be removed in
// which others have something stays, without what is owned in it, and is reported as ErrForeign as long as Owned names it.
//
// A server older than microversion 1.29 is refused with ErrVersion, and a malformed tree or Owned with ErrTree, before
// anything is sent. Answers of Placement that are incomplete or contradict each other are an error, and change nothing. ErrNotFound tells that the parent is missing, or a class or trait that does not start with CUSTOM_.
func (c *Client) Report(ctx context.Context, tree Tree, owned Owned) (Owned, error) {
	return c.ReportAndSave(ctx, tree, owned, nil)
}

// ReportAndSave is Report for a process that may be killed at any time. Before each write it calls save with what is owned
// whether or not the write comes to be done; an error of save ends the report. The returned Owned is to be saved, too.
//
//	owned, err = client.ReportAndSave(ctx, tree, owned, store)
//	err = errors.Join(err, store(owned))
//
// After a crash a report with what was saved last goes on, and nothing of the reporter's own is left behind.
func (c *Client) ReportAndSave(ctx context.Context, tree Tree, owned Owned, save func(Owned) error) (Owned, error) {
	op := "report the provider tree"
	if tree.Parent != "" {
		op += " under " + tree.Parent
	}
	if err := errors.Join(tree.check(op), owned.check(op)); err != nil {
		return owned, err
	}
	if err := c.need(ctx, need{baseline, "a tree of providers"}, op); err != nil {
		return owned, err
	}
	r := &reporting{Client: c, op: op, tree: tree, owned: maps.Clone(owned), save: save, stuck: make(map[place]error)}
	err := retry(ctx, func() (bool, error) {
		lost := r.lost
		err := r.once(ctx)
		return errors.Is(err, ErrConcurrentUpdate) || r.lost > lost && r.lost < mostLost, err
	})
	maps.DeleteFunc(r.owned, func(_ string, made OwnedProvider) bool { return made.isZero() })
	return r.owned, err
}

// reporting is a report on its way.
type reporting struct {
	*Client

	op    string
	tree  Tree
	owned Owned
	save  func(Owned) error
	// lost counts the writes whose outcome is not known.
	lost int
	// stuck are the inventories in use that cannot move, and why.
	stuck map[place]error
}

// once is one attempt.
func (r *reporting) once(ctx context.Context) error {
	parent, err := r.parent(ctx)
	if err != nil {
		return err
	}
	wanted := flatten(r.tree.Providers, parent.UUID, parent.Root)
	have, err := r.read(ctx, r.op, r.roots(parent, wanted), r.interest(wanted))
	if err != nil {
		return err
	}
	if parent.UUID != "" && have[parent.UUID] == nil {
		return refuse(ErrNotFound, r.op, "the parent was deleted a moment ago")
	}
	if err := r.confirmTraits(ctx, have); err != nil {
		return err
	}
	if err := r.readGuests(ctx, wanted, have); err != nil {
		return err
	}
	plan, owned, err := difference(r.op, wanted, r.owned, have, r.stuck)
	if err != nil {
		return err
	}
	r.owned = owned
	if err := r.apply(ctx, plan, have); err != nil {
		return err
	}
	return errors.Join(plan.kept...)
}

// parent returns the provider that the tree is under; it is zero for whole trees.
func (r *reporting) parent(ctx context.Context) (Provider, error) {
	if r.tree.Parent == "" {
		return Provider{}, nil
	}
	named, err := r.ProviderByName(ctx, r.tree.Parent)
	if err != nil {
		return Provider{}, &Error{Op: r.op, cause: err}
	}
	return *named, nil
}

// confirmTraits looks twice where a trait of the reporter's own is gone: a broken answer must not make it forget.
func (r *reporting) confirmTraits(ctx context.Context, have state) error {
	for uuid, made := range r.owned {
		if here := have[uuid]; here == nil || len(made.seen(here).Traits) == len(made.Traits) {
			continue
		}
		if moved, err := r.sameTraits(ctx, have[uuid]); err != nil && !moved {
			return err
		}
	}
	return nil
}

// readGuests fetches the aggregates of the providers that are to be removed: others put them in there.
func (r *reporting) readGuests(ctx context.Context, wanted []node, have state) error {
	for uuid := range r.owned {
		here := have[uuid]
		if here == nil || slices.ContainsFunc(wanted, func(n node) bool { return n.UUID == uuid }) {
			continue
		}
		if err := r.readAggregates(ctx, r.op, here); err != nil {
			return err
		}
	}
	return nil
}

// roots returns a provider of each tree that a report is about.
func (r *reporting) roots(parent Provider, wanted []node) []string {
	var roots []string
	if parent.UUID != "" {
		roots = append(roots, parent.UUID)
	} else {
		for _, node := range wanted {
			roots = append(roots, node.UUID)
		}
	}
	for uuid := range r.owned {
		roots = append(roots, uuid)
	}
	return roots
}

// interest returns the providers whose content matters.
func (r *reporting) interest(wanted []node) map[string]bool {
	uuids := make(map[string]bool)
	for _, node := range wanted {
		uuids[node.UUID] = true
	}
	for uuid := range r.owned {
		uuids[uuid] = true
	}
	return uuids
}
