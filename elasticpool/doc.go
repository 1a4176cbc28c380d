// Package elasticpool grows and shrinks a pool of virtual machines with the job queues of a batch system.
//
// It follows VCondor of IHEP, which served the HTCondor queues of several physics experiments from one OpenStack, and
// does what VCondor's slides promise: demand from the queues, a quota service with a lower and an upper threshold and a
// reservation time for each queue, two buffers (running machines outside the pool, and checked head-room of the clouds),
// several clouds, joining and draining.
//
// Data flows one way, once a cycle:
//
//	BatchSystem ─ jobs, workers ─┐
//	Provider ──── servers, limits ┼─► Input ─► Controller.Decide ─► Decision ─► actions ─► BatchSystem, Provider
//	Pool ──────── outcomes ──────┘                 │
//	                                             State
//
// [Controller] is pure: no I/O, no clock, no randomness. The same inputs give the same decisions, which is why a
// decision log can be replayed, and why the simulator runs the very code that runs a real pool. [Pool] is the loop
// around it: it asks, lets the controller decide, writes what is intended into a journal, and acts.
//
// # What is true
//
// The clouds are: each server bears metadata that names its pool, class, queue and VM id. The journal holds intentions
// only. What a sensor says has an age and a health ([Seen]); a failure is never an empty answer, and on doubt the pool
// freezes: it keeps what it has and says why.
//
// # Life of a VM
//
//	planned → requested → building → booted → warm → joining → joined → draining → deleting → gone
//
// A warm VM runs only its condor_master: it belongs to no queue and takes no slot (the level-1 buffer). A VM is bound to
// a queue when it joins, and an idle VM is bound anew where another queue needs it. See [VMState] for all states and
// [ActionKind] for what moves a VM between them.
package elasticpool
