// Package lifecycle runs the operations of instances with accelerators, with nothing ever left behind: those that Nova
// has, and those that Nova refuses.
//
// # Steps
//
// [Manager.Create] is the main job: from a flavor to a claimed host, bound accelerators and a libvirt domain XML. Its
// steps stand in files that bear their numbers; the other operations are made of the same ones:
//
//	1  read the device profiles        GET /v2/device_profiles?name=
//	2  merge the request groups        pure
//	3  ask for candidates              GET /allocation_candidates
//	4  claim one                       PUT /allocations/{instance}             undo: hold what was held before
//	5  create ARQs, match them         POST /v2/accelerator_requests           undo: delete every created uuid
//	6  bind all in one request         PATCH /v2/accelerator_requests          undo: step 5's, which unbinds
//	7  wait until all are bound        events, GET ?instance=
//	8  compose the domain XML          pure
//	9  start the guest                 the Hypervisor                          undo: destroy it
//
// docs/operations.md has every operation with its steps, its undo, and what Nova does instead.
//
// # Records
//
// The package keeps nothing itself. What is to be remembered of an instance is its [Record], which each operation takes
// and returns, also with an error ([Error].Record). Given a [Store], a Manager saves it before each request that changes
// something, together with the [Task] that takes the change back, and again after it. So the undo is data, and outlives
// the process: after a kill -9 at any point [Manager.Resume] goes on from the last saved record, and either finishes the
// operation or takes it back. [FileStore] keeps records in files.
//
// An operation commits with one write of the record. Before it everything is taken back, last step first; after it only
// what the instance had before remains to be freed. Tasks that fail stay in the record's Pending: the next operation of
// the instance, Resume and [Manager.Reconcile] try them again. Nothing is touched that the Manager did not make.
//
// # Guests
//
// A [Hypervisor] starts, stops and moves the guests. Without one, the operations end where the domain XML is composed,
// and the caller does the rest.
//
// # Many instances
//
// One operation runs on an instance at a time, others are refused with [ErrBusy]; only a deletion ends what runs, at
// once. [Manager.CreateMany] builds many instances, and [Manager.Reconcile] compares all records with what Cyborg and
// Placement have.
package lifecycle
