// Package simulate runs an elastic pool on virtual time: the very controller that runs a real pool, in a world of jobs,
// workers and clouds that is made up and can be repeated.
//
// A world has a trace of jobs, queues, a matchmaker like HTCondor's, and clouds with a capacity, latencies and, if
// wanted, faults. Once a cycle it builds an [elasticpool.Input], lets a [Policy] decide, and does what was decided.
// Nothing in it looks at a clock or runs in parallel, so one seed gives one result, byte for byte.
//
// # What a run needs
//
// [Run] takes a [Config] whose zero value is a run of 14 days of 200 VMs of one core at load 0.8, by the pool's own
// controller. Traces come from a generator (bags of tasks with daily and weekly cycles, see [Shape]), from a file in
// the Standard Workload Format of the Parallel Workloads Archive (see [SWFReader]), or from the caller.
//
// Load is the CPU time that the jobs of the window ask for, divided by the CPU time that the pool could give in it.
//
// # Policies
//
//   - fair: the controller of package elasticpool. Without Config.Policy its pool has floors of a tenth, lets VMs go
//     that idle for as long as a boot takes, and half of them at once; the rest of its control is the default.
//   - static: each queue has its weighted part of the pool, always on.
//   - vcondor: the rules of IHEP's VCondor and its quota service, as they were meant: a round each ten minutes, one job
//     is one VM, a VM serves one queue for life, idle VMs above the lower threshold go in random order.
//   - linear: the linear controller of COBalD: demand follows utilisation and allocation at a fixed rate.
//   - oracle: knows the trace, boots ahead of the jobs and deletes at once. No policy does much better.
//
// VMs of all policies but fair join their queue by themselves when they have booted; fair's come up warm and are told.
//
// # Measures
//
// [Result] says exactly how each of them is taken. After the window no jobs come any more, and the run goes on until the
// last has ended: else a policy would look the cheaper the more it leaves undone. Jobs that have not ended after
// Config.Tail count with the time they have waited until then, and are told as unserved. [Compare] makes a table of several policies over several seeds, and
// [WriteReport] a page of it with plots.
//
// The matchmaker counts resources only: conditions on devices (elasticpool.JobGroup.Require) have no place in traces.
package simulate
