package requestspec

import (
	"fmt"
	"strings"
)

// Traits of the root provider that two pre-filters decide
// (nova/scheduler/request_filter.py:compute_status_filter, accelerators_filter).
const (
	traitDisabled     = "COMPUTE_STATUS_DISABLED"
	traitAccelerators = "COMPUTE_ACCELERATORS"
)

// limitHints are the hints for which Nova must see every candidate.
var limitHints = []string{"group", "same_host", "different_host"}

func (b *builder) rootRequired() []string {
	traits := append([]string(nil), b.in.RootRequired...)
	if b.profileGroups {
		traits = append(traits, traitAccelerators)
	}
	return sortedSet(traits)
}

// addDestination puts aggregates and the target's tree into the unsuffixed group, which is made anew if it was dropped
// (nova/scheduler/utils.py:resources_from_request_spec).
func (b *builder) addDestination() error {
	destination := b.in.Destination
	for _, set := range destination.Aggregates {
		// Nova joins a set by commas and splits it again.
		d := b.group("")
		uuids := strings.Split(strings.Join(set, ","), ",")
		d.aggregates = append(d.aggregates, sorted(uuids))
	}
	if len(destination.ForbiddenAggregates) > 0 {
		b.group("").forbiddenAggregates = sortedSet(destination.ForbiddenAggregates)
	}
	for _, hint := range limitHints {
		if _, given := b.in.Hints[hint]; given {
			b.unlimit = true
		}
	}
	return b.addTarget(first(destination.Host, b.in.ForceHosts), first(destination.Node, b.in.ForceNodes))
}

// first returns wanted, or else the first of forced.
func first(wanted string, forced []string) string {
	if wanted == "" && len(forced) > 0 {
		return forced[0]
	}
	return wanted
}

// addTarget limits the request to the tree of the one node that host and node select. A host with several nodes cannot
// be asked for, so the limit is lifted to see all of its candidates.
func (b *builder) addTarget(host, node string) error {
	if host == "" && node == "" {
		return nil
	}
	switch nodes := b.nodes(host, node); len(nodes) {
	case 0:
		return b.refuse(Finding{
			Where: "request", Reason: ErrNoValidHost,
			Message: fmt.Sprintf("there is no compute node with host %q and node %q", host, node),
		})
	case 1:
		b.group("").inTree = nodes[0].UUID
	default:
		b.unlimit = true
	}
	return nil
}

// nodes mirrors nova/scheduler/host_manager.py:HostManager.get_compute_nodes_by_host_or_node: only a host alone
// selects more than one node.
func (b *builder) nodes(host, node string) []ComputeNode {
	var found []ComputeNode
	for _, n := range b.in.ComputeNodes {
		if (host == "" || n.Host == host) && (node == "" || n.Node == node) {
			found = append(found, n)
		}
	}
	if node != "" && len(found) > 1 {
		found = found[:1]
	}
	return found
}
