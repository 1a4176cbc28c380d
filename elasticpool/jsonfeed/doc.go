// Package jsonfeed makes any batch system an elasticpool.BatchSystem: it reads jobs and workers from a JSON document that
// a command prints, a file holds or a URL answers with, and runs commands to join, bind, drain and free workers.
//
// The document is one object. Unknown keys are errors, and so is a key that is missing where it is asked for: an empty
// queue is written as "jobs": [].
//
//	{
//	  "jobs": [
//	    {"queue": "juno", "request": {"cpus": 4, "memory_mb": 8192, "gpus": 1}, "require": {"gpus": "Capability >= 7.0"},
//	     "idle": 120, "running": 40, "held": 2, "hidden": 0, "oldest": "2026-11-30T18:00:00Z", "runtime": "4h", "jobs": ["17.0"]}
//	  ],
//	  "workers": [
//	    {"vm": "01JX…", "name": "wn1.example.org", "queue": "juno", "joined": true, "draining": false,
//	     "total": {"cpus": 8, "memory_mb": 16384}, "free": {"cpus": 4, "memory_mb": 8192},
//	     "jobs": [{"id": "17.3", "queue": "juno", "since": "2026-11-30T18:05:00Z", "runtime": "4h"}],
//	     "idle_since": "2026-11-30T18:00:00Z", "heard": "2026-11-30T18:09:30Z"}
//	  ],
//	  "since": "48h",
//	  "interval": "30s"
//	}
//
// The keys mean what the fields of elasticpool.JobGroup, elasticpool.Worker and elasticpool.Workers mean; durations are
// written as 90s, 10m or 4h, times as RFC 3339. Jobs and workers may come from two documents, each with its own part.
//
// # Commands
//
// A command's arguments may have {vm}, {name}, {queue} and {only_idle} in them. The worker is on its standard input, as
// JSON. It ends with 0 when it is done, with 3 when a worker is not drained because it is busy, with 4 when there is no
// such worker, and with anything else, and words on its standard error, when it failed. Each of them may be run again.
package jsonfeed
