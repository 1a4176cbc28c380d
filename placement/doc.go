// Package placement is the client side of OpenStack Placement, as Nova's scheduler and Cyborg's conductor use it:
// candidates for a request, which provider serves which of its groups, claims, and reports of provider trees.
//
// # Candidates and claims
//
//	req, err := requestspec.Build(requestspec.Input{Flavor: flavor, Profile: profile})
//	found, err := client.Candidates(ctx, req)
//	claim, err := client.Claim(ctx, consumer, found.List[0])
//	provider, err := found.List[0].Provider(requestspec.RequesterID(0, ""))
//	…
//	err = client.Release(ctx, claim)
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
// differences and leaves alone what it did not create; see Tree.Previous.
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
// with the Err… kinds.
package placement
