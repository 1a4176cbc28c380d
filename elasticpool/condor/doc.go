// Package condor makes an HTCondor pool an elasticpool.BatchSystem, by HTCondor's own command line.
//
// The tools bring authentication and every version's wire protocol along, and run where they can: here, by ssh, or in a
// container (Config.Command). They have to run as an administrator of the pool.
//
// # Jobs
//
// Each schedd is a source ([Pool.Sources]). It groups its jobs itself (condor_q -group-by), which takes a fraction of
// the time that a list of jobs takes; requests that are expressions are computed from the attributes that come along.
// Where grouping is not known, or a request can be computed by HTCondor alone, condor_q computes and prints every job
// (-af), and the jobs are summed up while they are read: a queue of 100,000 is never in memory.
//
// Held jobs are counted but are no demand. Jobs that late materialisation keeps back are demand (Hidden). Jobs of the
// scheduler, local and grid universes never take a worker and are left out. A job whose requests have no value matches
// no slot: it counts as held.
//
// # Workers
//
// One query tells the slots, the masters and the collector's own age, so that they fit together. A worker is found by
// its attribute ElasticVM. What is free stands in the partitionable slot; a worker that drains, or that has not
// reported for two intervals, gives nothing. A worker whose startd serves no queue is as warm as one without a startd.
//
// # Joining and binding
//
// A worker's START asks for jobs of the queue in its own ElasticQueue, which is empty at first. [Pool.Bind] sets it in the
// running startd (condor_config_val -rset, then condor_reconfig). Measured with HTCondor 23.9: a job that runs stays; when
// it ends the startd gives the claim up because START is false, and refuses the next job of the old queue that the
// schedd tries on it; the next match is of the new queue. A startd that restarts serves nobody until it is bound anew.
//
// A warm worker has START_DAEMONS = False. That alone is a trap: the next reconfiguration of its master, by anybody,
// would stop a startd that condor_on has started, so [Pool.Join] sets it to True in the running master first.
// condor_reconfig goes to the master, because the startd's own daemon ad comes to the collector later than its slots.
//
// [WorkerConfig] is what a worker's configuration needs for all this.
//
// # Draining
//
// [Pool.Drain] lets the startd itself check that it is idle at the moment it begins, which no query can. HTCondor's graceful
// drain ends jobs at once unless MAXJOBRETIREMENTTIME says otherwise, and counts that from a job's start: a worker
// that would end jobs is not drained. A drained worker is warm again, and can be joined.
//
// # Failures
//
// A tool that ends with an error, is killed, complains, takes too long, prints too much, or prints half an answer is an
// [Error], never an empty list. HTCondor's true empty list of jobs is no output at all; a list of workers without the
// collector's own ad is an error, because a collector that has just begun knows nobody, not even itself.
package condor
