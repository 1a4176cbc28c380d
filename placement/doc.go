// Package placement is the client side of OpenStack Placement, as Nova's scheduler and Cyborg's conductor use it:
// candidates for a request, which provider serves which of its groups, claims, and reports of provider trees.
//
// # From a report to a claim and back
//
//	client, err := placement.New(ctx, placement.WithCloud("devstack"))
//	…
//	owned, err := client.Report(ctx, placement.Tree{Parent: "host1", Providers: []placement.TreeProvider{{
//		UUID: cardUUID, Name: "host1_card0", // chosen by the reporter, and the same in every report
//		Inventories: map[string]placement.Inventory{"FPGA": {Total: 1}},
//		Traits:      []string{"CUSTOM_ARRIA10"},
//	}}}, nil) // owned is for the next report
//	…
//	req, err := requestspec.Build(requestspec.Input{Flavor: flavor, Profile: profile})
//	…
//	found, err := client.Candidates(ctx, req)
//	…
//	if len(found.List) == 0 {
//		verdicts, err := client.Explain(ctx, req) // which group finds nothing, and why
//		…
//	}
//	card, err := found.List[0].Provider(requestspec.RequesterID(0, "")) // who serves device profile group 0
//	…
//	consumer := placement.Consumer{UUID: instanceUUID, ProjectID: project, UserID: user}
//	claim, err := client.Claim(ctx, consumer, found.List[0])
//	…
//	err = client.Release(ctx, claim)
//
// The example of New is the same as a program that runs. There are more with Candidates, Move, Report, CheckLimits (fed from
// Keystone's unified limits), Owning and WithHook.
//
// # Claims
//
// Every write names the consumer's generation, so that nobody's allocation is ever overwritten or deleted. Conflicts
// (placement.concurrent_update) are repeated after waits that grow and are jittered; before each repetition the state
// is read again. A write whose outcome is unknown is recognised by what the consumer holds, one that was answered never
// is: an equal allocation is then somebody else's. The Claim that comes with an error says whether something may have
// been taken. Move and Drop carry an instance from one host to another under the same consumer. A Claim can be stored as
// JSON and used after a crash.
//
// When a request finds nothing, Explain says for each group why. CheckLimits compares a request with a project's limits.
//
// # Reports
//
// Report makes Placement hold a tree of providers: the children of a compute node, or whole trees. It writes only
// differences and leaves alone what it did not create. What that is, it tells in an Owned, which the caller passes to the
// next report and can store as JSON. Without one, a tree is completed and nothing is altered. A process that may be killed
// uses ReportAndSave, which hands over what to store before each write.
//
// # Mappings
//
// It is always certain which provider serves which group: mappings that Placement gives are checked against what the
// candidate takes, and worked out where it gives none. A candidate for which that fails is left out, and told in
// Candidates.LeftOut.
//
// # Watching
//
// WithHook tells a function of each request: operation, duration, status, attempts, request id.
//
// # Old servers
//
// Nothing below microversion 1.29 is of use (nested providers). From there on a request is sent at the lowest version
// that knows everything in it; what only later versions know is made up for where the result is the same (string
// suffixes, mappings, root traits), or else refused with ErrVersion before anything is sent.
//
// # Errors
//
// Every error is or wraps an *Error, which tells the operation, Placement's reason and the request id; use errors.Is
// with the kinds:
//
//   - any method: ErrUnauthorized, ErrForbidden; ErrVersion where the server is too old, before anything is sent
//   - Candidates: ErrNotFound for a class or trait that Placement refuses as unknown, ErrInvalid for a nil request, ErrMapping
//     when candidates were found, but for none of them is it certain which provider serves which group. That nothing fits
//     is no error.
//   - Explain: ErrInvalid, and ErrMapping as Candidates; unknown names are verdicts
//   - Candidate.Provider: ErrMapping
//   - Claim: ErrInvalid (unusable ids, empty candidate), ErrNotFound (a provider or class is gone), ErrNoCapacity,
//     ErrConsumerExists, ErrConcurrentUpdate
//   - Move and Drop: as Claim, with ErrConsumerChanged in place of ErrConsumerExists
//   - Release: ErrConsumerChanged, ErrConcurrentUpdate
//   - Provider, ProviderByName: ErrNotFound
//   - CheckLimits: ErrOverLimit, ErrInvalid
//   - Report: ErrTree, ErrNotFound (the parent, or a standard class or trait that Placement does not know), ErrForeign,
//     ErrInUse, ErrConcurrentUpdate
package placement
