// Package placementtest is OpenStack Placement over HTTP, in memory: for tests, and for programs that need a Placement without a
// database.
//
//	server := placementtest.Start(t)                          // on a free loopback port until the test ends
//	client := &http.Client{Transport: server.Transport()}     // or in process, without sockets
//
// It speaks the whole API from 1.0 to 1.39 as release 13 and later do: resource providers with nesting and moves, inventories,
// traits, aggregates, resource classes, allocations with provider and consumer generations, usages by consumer type, the reshaper,
// and allocation candidates with suffixed groups, sharing providers, group policy, same_subtree, in_tree, member_of, required with
// in:, root_required, limit and mappings. Statuses, error codes and body forms are those of the real service, and the reasons in
// error details are of the same kind. The standard classes and traits are there from the start. Every request for candidates that
// the real service answers in no defined order is answered here oldest tree first, so that tests can be repeated.
//
// # Who may call
//
// As with the real service's noauth2, a request needs X-Auth-Token, the token "admin" has the admin role, any other none. The role
// list can be given in an X-Roles header. The reshaper wants the role service, which the token "admin" alone does not have.
// [WithDeprecatedPolicy] lets an administrator reshape too, [WithoutAuth] lets everybody do everything.
//
// # Oddities kept
//
// A first claim that names a provider which does not exist is refused but leaves a consumer record of generation 0; the next claim
// must send 0. A claim with empty allocations for a consumer that never had any leaves one too. DELETE of one inventory in use
// answers with the code of a stale generation. A repeated parameter counts by its last value in some places and by its first in
// others.
//
// # Where it parts from the real service on purpose
//
// Two defects of the candidate search are not copied, since their outcome depends on hash order there. When the plain group and
// another group ask for the same class without group_policy=none, the real service adds up amounts in objects that several answers
// share. When sharing providers alone can give the plain group of a request with further groups, it keeps the plain group for one
// tree only and loses the candidates of all others. Also, it fails with status 500 when a sharing provider is a child in a tree that
// a filter removes; here such a request is answered. Last-Modified is the time of the answer. The opening sentence of an error's
// detail is this package's own.
//
// # Limits
//
// A body longer than 16 MiB is refused with status 413, and a listening server gives a client one minute to send a request. A
// search for candidates ends, with status 503, when its request's context does; and with status 500 after a number of steps that
// [WithSearchSteps] sets. The real service has no such bound: it answers such a question after hours, or dies of it.
//
// # Inside
//
// One [sync.RWMutex] guards one store; the handlers, one file per resource (handle_*.go), are thin over it and registered in one
// table (routes.go). A search that takes longer than some hundredths of a second goes on over a copy (snapshot.go), so that a claim
// does not wait for it. A write that can fail half-way runs in a transaction that takes itself back (tx.go). The search (search.go,
// option.go, product.go, combine.go) walks the trees that have the rarest class asked for, makes combinations one by one, and stops
// at the limit.
package placementtest
