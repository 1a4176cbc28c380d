package placement

import (
	"context"
	"fmt"

	"github.com/novacyborg/novacyborg/requestspec"
)

// Reason is why a request group finds no provider.
type Reason string

// The reasons, in the order in which they are looked for.
const (
	// Fits says that the group alone finds providers.
	Fits Reason = "fits"
	// UnknownClass says that Placement does not know a resource class of the group.
	UnknownClass Reason = "unknown class"
	// UnknownTrait says that Placement does not know a trait of the group or of the root.
	UnknownTrait Reason = "unknown trait"
	// RootTraits says that providers exist, but only under roots that lack a required trait or have a forbidden one,
	// such as disabled hosts.
	RootTraits Reason = "root traits"
	// Traits says that providers have room, but not the right traits.
	Traits Reason = "traits"
	// Destination says that the providers are in the wrong aggregates or the wrong tree.
	Destination Reason = "destination"
	// TooFew says that no single provider has enough left.
	TooFew Reason = "too few"
	// Absent says that nobody has anything of a resource class to give.
	Absent Reason = "absent"
	// Apart says that every group finds providers, but no host has them all, or not in the wanted arrangement.
	Apart Reason = "apart"
	// Unjudged says that a group without resources means something only together with others.
	Unjudged Reason = "unjudged"
)

// WholeRequest stands for all groups together in GroupVerdict.Suffix.
const WholeRequest = "*"

// GroupVerdict says whether a request group finds a provider, and if not, why.
type GroupVerdict struct {
	// Suffix is the group's suffix, which is the requester id of port and profile groups; "" is the flavor's own
	// group and WholeRequest all of them together.
	Suffix string `json:"suffix"`
	// Reason is Fits, or what is in the way.
	Reason Reason `json:"reason"`
	// Text is a sentence for people, with the group, the class, the amount and the reason.
	Text string `json:"text"`
}

// Explain asks Placement group by group why a request finds no candidates: each group alone, then with fewer and fewer
// conditions. Only when every group finds providers is the whole request asked, and a verdict about WholeRequest added if it
// finds none. A class or trait that Placement does not know is a verdict, not an error. Where a group requires
// traits, each provider that has them is read, to tell used-up devices from missing ones. Hosts are named by their root
// providers. Nova has nothing like it: its log says that there are no valid hosts.
func (c *Client) Explain(ctx context.Context, req *requestspec.Request) ([]GroupVerdict, error) {
	if req == nil {
		return nil, refuse(ErrInvalid, "explain a request", "the request is nil")
	}
	e := &explainer{Client: c, req: req, providers: make(map[string]Provider), unknown: make(map[string]bool)}
	var verdicts []GroupVerdict
	fit := true
	for _, group := range req.Groups {
		verdict, err := e.judge(ctx, group)
		if err != nil {
			return nil, err
		}
		verdicts = append(verdicts, verdict)
		fit = fit && (verdict.Reason == Fits || verdict.Reason == Unjudged)
	}
	if !fit {
		return verdicts, nil
	}
	whole, err := e.judgeWhole(ctx)
	if err != nil || whole.Reason == Fits {
		return verdicts, err
	}
	return append(verdicts, whole), nil
}

// explainer asks variants of one request.
type explainer struct {
	*Client

	req *requestspec.Request
	// providers are the hosts that were looked up.
	providers map[string]Provider
	// unknown tells of each name that was looked up whether Placement does not know it.
	unknown map[string]bool
}

// variant changes a copy of the request.
type variant func(*requestspec.Request)

func only(groups ...requestspec.Group) variant {
	return func(r *requestspec.Request) { r.Groups, r.SameSubtree = groups, nil }
}

func anyRoot(r *requestspec.Request) { r.RootRequired, r.RootForbidden = nil, nil }

func unlimited(r *requestspec.Request) { r.Limit = 0 }

// ask returns what a variant of the request finds.
func (e *explainer) ask(ctx context.Context, variants ...variant) (*Candidates, error) {
	asked := *e.req
	for _, change := range variants {
		change(&asked)
	}
	return e.Candidates(ctx, &asked)
}

// finds tells whether a variant of the request finds anything.
func (e *explainer) finds(ctx context.Context, variants ...variant) (bool, error) {
	found, err := e.ask(ctx, variants...)
	return err == nil && len(found.List) > 0, err
}

// judge explains one group. Names are looked at as soon as nothing is found: whether Placement refuses an unknown one
// depends on what else the query finds.
func (e *explainer) judge(ctx context.Context, group requestspec.Group) (GroupVerdict, error) {
	var found *Candidates
	var refusal error
	if !isResourceless(group) {
		if found, refusal = e.ask(ctx, only(group)); refusal == nil && len(found.List) > 0 {
			return verdict(group, Fits, count(len(found.List), "candidate")), nil
		}
	}
	if refusal != nil && !isBadRequest(refusal) {
		return GroupVerdict{}, refusal
	}
	judged, err := e.judgeNames(ctx, group)
	switch {
	case err != nil || judged.Reason != "":
		return judged, err
	case refusal != nil:
		return GroupVerdict{}, refusal
	case isResourceless(group):
		return verdict(group, Unjudged, "it has no resources and counts only together with others"), nil
	}
	return e.judgeEmpty(ctx, group)
}

// judgeEmpty explains a group of known names that finds nothing.
func (e *explainer) judgeEmpty(ctx context.Context, group requestspec.Group) (GroupVerdict, error) {
	for _, look := range []func(context.Context, requestspec.Group) (GroupVerdict, error){
		e.judgeRoot, e.judgeStock, e.judgeTraits, e.judgeDestination, e.judgeBareRoot, e.judgeResources,
	} {
		if found, err := look(ctx, group); err != nil || found.Reason != "" {
			return found, err
		}
	}
	return verdict(group, TooFew, "no single provider has all of this free"), nil
}

// count puts a number before a noun.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// verdict makes a verdict about a group.
func verdict(group requestspec.Group, reason Reason, text string) GroupVerdict {
	return GroupVerdict{Suffix: group.Suffix, Reason: reason, Text: describe(group) + ": " + text}
}

// judgeDestination looks whether aggregates or a forced tree are in the way.
func (e *explainer) judgeDestination(ctx context.Context, group requestspec.Group) (GroupVerdict, error) {
	if group.InTree == "" && len(group.Aggregates)+len(group.ForbiddenAggregates) == 0 {
		return GroupVerdict{}, nil
	}
	hosts, err := e.hosts(ctx, only(bare(group)))
	if err != nil || len(hosts) == 0 {
		return GroupVerdict{}, err
	}
	return verdict(group, Destination, "providers on "+list(hosts)+" have room, but none in the wanted tree and aggregates"), nil
}

// bare returns a group with nothing but its resources.
func bare(group requestspec.Group) requestspec.Group {
	group.Required, group.Forbidden = nil, nil
	group.Aggregates, group.ForbiddenAggregates, group.InTree = nil, nil, ""
	return group
}

// isBare tells whether a group has nothing but its resources.
func isBare(group requestspec.Group) bool {
	return len(group.Required)+len(group.Forbidden)+len(group.Aggregates)+len(group.ForbiddenAggregates) == 0 && group.InTree == ""
}
