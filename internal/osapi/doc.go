// Package osapi logs in to an OpenStack cloud and makes the service clients
// that the rest of the module sends its requests with.
//
// It adds to gophercloud what Nova's and Cyborg's own clients get from
// keystoneauth:
//
//   - one place for credentials: clouds.yaml with secure.yaml and profiles,
//     OS_* variables, a fixed endpoint with or without a token, or a login that
//     the caller already has ([NewProvider], [NewService]);
//   - one layer of retries, below gophercloud, that repeats a request only when
//     that cannot do harm, with every wait bounded;
//   - redirects that are followed within one origin only, also for a login that
//     came with WithProvider, and never turn a write into a read;
//   - microversions: version documents of three shapes ([Discover]), one copied
//     client per microversion ([WithMicroversion], [WithBareMicroversion]), and
//     the version that an answer says it was served at ([ServedMicroversion]);
//   - failures taken apart ([FailureOf], [Unreachable]), so that each client
//     package can build its own error type from them.
//
// # Which login is used
//
// The first of these that is given: WithProvider; WithCloud; WithEnv;
// WithEndpoint (alone: no login at all, a token only if WithToken says so).
// When none is given the environment decides, as with WithEnv. WithEndpoint
// together with a login replaces the catalog's endpoint and keeps the login.
//
// # Renewal
//
// A token is renewed half a minute before it expires and when it is refused with
// 401; the request is then sent once more. All who need the new token share one
// login. It has no caller's context, so that no caller who gives up takes it
// away from the others, and each caller keeps its own deadline. A login that
// came with WithProvider is renewed in the same way, through its own
// Reauthenticate, so that its owner has the new token too.
//
// # Service tokens
//
// [Connect] can log in a second time, for the X-Service-Token that some requests
// need; see WithServiceCloud and the options beside it.
//
// # Retries
//
// GET, HEAD, PUT and DELETE are repeated on transport errors and on 429, 502,
// 503 and 504. POST and PATCH are repeated only when they surely did not run:
// the connection could not be made, 429, or 503 with Retry-After. Neither
// Cyborg nor Placement has an idempotency key. 423 is never repeated: Cyborg
// says "not yet" with it, and polling is the waiter's business. Waits double
// from the minimum to the maximum; Retry-After, as seconds or as a date, is
// obeyed up to the maximum. A wait that would outlast the caller's deadline is not
// begun, so that the caller gets the answer and not the deadline.
//
// A caller that must know what became of each single request marks its context
// with [AtMostOnce]; [NeverSent] then tells what surely did not arrive.
//
// # Secrets
//
// No error and no log line shows a token or password. Addresses with a user or
// password in them are refused, wherever they come from, and the error names
// the option, key or variable instead of the address. [Config] prints empty. A
// *gophercloud.ServiceClient does not hide its token: never print one. What is
// wrong in clouds.yaml is told by line and key, never by value.
//
// # Bounds
//
// An answer is read up to 64 MiB ([ErrTooLong]), that of an error up to 1 MiB.
//
// # Design decisions
//
//  1. The renewal of tokens is in the transport and not gophercloud's, whose login
//     runs with the context of whoever noticed first.
//  2. Logins and their settings are read here, not by gophercloud's clouds
//     package, which drops endpoint overrides, the list of regions and
//     allow_reauth.
//  3. Redirects are followed above the retries, by one policy. Another origin is
//     refused even without a token: what it answers would pass for the service's.
//  4. A microversion is a copy of the client; no client is changed after it was
//     made.
//  5. A POST or PATCH is repeated after 429 and after 503 with Retry-After,
//     although a proxy could in theory send these after the service has acted.
//     Both are by their definition answers of somebody who did not take the
//     request, overloaded deployments do send them, and what a needless error
//     costs there (a whole build) is more than a stray ARQ, which the level
//     above reports.
package osapi
