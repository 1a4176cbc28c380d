// Package lifecycle runs Nova's steps for an instance with accelerators, in order, each with its undo.
//
// [Manager.Create] is the main job: from a flavor to a claimed host, bound accelerators and a libvirt domain XML. Its
// steps stand in files that bear their numbers:
//
//	1  read the device profiles        GET /v2/device_profiles?name=
//	2  merge the request groups        pure
//	3  ask for candidates              GET /allocation_candidates
//	4  claim one                       PUT /allocations/{instance}             undo: release it, by generation
//	5  create ARQs, match them         POST /v2/accelerator_requests           undo: delete every created uuid
//	6  bind all in one request         PATCH /v2/accelerator_requests          undo: step 5's, which unbinds
//	7  wait until all are bound        events, GET ?instance=
//	8  compose the domain XML          pure
//
// If a step fails, what was done is taken back in reverse order, with a context and deadline of its own, and the next
// candidate is tried where that can help: first the other devices of the same host, then the other hosts. When
// Create returns an error, nothing is left behind; what could not be taken back stands in the Undo field of the
// [Error].
//
// [Manager.Delete] frees what a [Record] names. The package keeps nothing itself: the caller stores the Record.
package lifecycle
