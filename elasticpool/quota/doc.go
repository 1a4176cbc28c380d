// Package quota decides who gets how many VMs of an elastic pool. It has three parts, which know nothing of each
// other's inside: [Share] divides the pool fairly, the [Ledger] promises VMs for a time, and the [Server] lets others
// ask, in the protocol of VCondor's VMQuota and over HTTP. It stands in for VMQuota and its first come, first served.
//
// # Share
//
// Share is weighted dominant-resource fairness (Ghodsi et al., NSDI 2011) by progressive filling: VM by VM, the next
// one goes to the queue with the smallest dominant share, which is the largest, over all resources, of
//
//	use of the queue / (its weight * capacity of all clouds)
//
// A resource that a cloud does not limit is left out for that cloud in both numbers: what is not scarce is nobody's
// share. Ties go to the queue with less long-term use (Credit), then by name. Shares that differ by less than 1e-12 are
// equal. VMs come one by one, so nothing has to be rounded afterwards, and there is no largest-remainder step.
//
//   - Floors first. A queue that has less than its Min of a resource comes before all others, for VMs that have this
//     resource, as far as it demands them. Idle floors are lent. The last VM may take a queue over its floor.
//   - Ceilings and capacities always hold, whatever a queue has already.
//   - Nothing is wasted: a VM that does not fit is passed over, and others go on. At the end nothing fits that anybody
//     still wants.
//   - VMs that exist (Have) come before new ones: within a queue all of them first, over all its demands; then its
//     demands in their order, and their options in theirs. A queue sorts its demands itself.
//   - The order of queues, and of demands of different queues, does not matter. The same input gives the same result.
//
// A queue may be filled by its weight up to a part that it keeps (Keep), and count more than its weight beyond (Boost). The
// share that decides whose turn it is then is
//
//	(what it has of its Keep + the rest / Boost) / weight
//
// Without keeping, boosts from 1 to b leave each queue that wants more its part by weight, at least divided by b and at
// most times b, but for VMs that cannot be divided.
//
// What follows for fairness, without boosts:
//
//   - With VMs of one size, nobody who wants more has two VMs less than another of the same weight without a floor.
//   - Everybody who wants a VM gets one when there is room for all floors and one VM for each queue besides.
//   - Floors that fit together are honoured, when each queue wants VMs of one kind on one cloud. With several clouds or
//     classes, one queue's first choice may take the only place of another; Share does not go back on a choice.
//   - More weight never means fewer VMs for a queue that wants VMs of one kind, however many resources there are and
//     whatever the others want: its VMs only come earlier, and another queue is crowded out only by VMs that outnumber
//     what it would have left. A queue with several sizes may get fewer but larger VMs.
//
// # Ledger
//
// A [Lease] is VCondor's reservation: so many VMs for a queue, to be launched within the reservation time. The
// controller calls [Ledger.Observe] in each cycle with what it sees; anybody may call [Ledger.Query], [Ledger.Ask] and
// [Ledger.Release]. A lease is the least of
//
//   - the need that is stated. Without a need nothing is reserved, so polls keep nobody out.
//   - the queue's ceiling less its VMs and leases,
//   - the queue's fair target, from Share, less its VMs and leases,
//   - the capacity less all VMs and all leases.
//
// That is computed and written down under one lock; two askers never both get the last VM. A VM that appears takes the
// place of a leased one, so nothing counts twice. A lease that was not used lapses, but only when an observation made
// after its time has shown which of its VMs were launched at the last moment. The same goes for a lease that is
// released by name; VMs that are given back by number are free at once, since the asker says that he has not launched
// them. VMs that the controller starts by itself have to be kept apart from those that appear by leases:
// [Usage] says how.
//
// Each change is an [Event], given to the persist function before it counts. A new ledger is brought to the same state
// by [Ledger.Restore] with a [Snapshot] and [Ledger.Replay] of the events after it. Both may be given what they know
// already. [Ledger.Checkpoint] hands out a snapshot while no event can come between. When persist fails, nothing is
// granted; the record may be in the journal all the same, therefore the next event carries the whole state
// (Event.Before). After an error of Release, treat the VMs as given back.
//
// Capacity and fair targets are not kept. After a restart nothing is leased before the first observation.
//
// # Line protocol
//
// One JSON value a line, over TCP or a unix socket; blanks around it do not matter; an empty line ends the connection;
// one connection may carry any number of requests.
//
//	{"ResID": "juno"}
//	{"ResID":"JUNO","MIN":100,"AVAILABLE":50,"MAX":400,"USED":20,"FAIR":70}
//
// That is what VCondor's clients send and check: ResID in upper case, MIN and AVAILABLE as integers; further keys they
// ignore. A request in an array of one is answered in an array of one. A queue is found in any case as long as only one
// fits. Requests may also have
//
//	WANT     VMs to lease beyond those that run or are leased
//	CLASS    the class they will be of
//	TTL      seconds the lease is to hold, at most the queue's reservation time
//	RELEASE  the id of a lease to end, or a number of VMs to give back; not together with WANT
//	TOKEN    the token, when the service asks for one
//
// and answers
//
//	MAX      the ceiling, or the capacity when there is none
//	USED     VMs of the queue
//	FAIR     VMs that it is due
//	LEASE    the id of the lease that was given; AVAILABLE is its size then
//	TTL      seconds until it lapses
//	ERROR    why there is no proper answer; MIN and AVAILABLE are there all the same, 0 for an unknown queue
//
// Everything gets an answer: null, bad JSON, unknown queues. Old clients fill up to MIN whatever AVAILABLE says; give
// them a floor that they may have.
//
// The service listens on the loopback address, or, with a token or with TLS and
// client certificates, on any. Its unix socket has mode 0600; a
// socket that a dead process left is replaced, one that somebody listens on never.
// [Limits] bound lines, connections and waiting. A [Client] keeps its connection for some seconds and repeats nothing
// but queries.
//
// # HTTP
//
//	GET    /quota                         all queues
//	GET    /quota/{queue}                 one queue
//	POST   /quota/{queue}/leases          {"want": 5, "class": "gpu", "ttl_s": 300}: 201 with the lease, 409 when none is free
//	DELETE /quota/{queue}/leases/{id}     ends a lease
//
// Errors are application/problem+json. The token goes into "Authorization: Bearer". Where the handler listens, and with
// what TLS, is up to who serves it.
package quota
