// Package console shows a pool to people and programs: a page that is live, an API in JSON, and metrics for Prometheus.
//
//	GET  /                 the page; /#NAME explains a queue, class, VM or job at once
//	GET  /api/status       elasticpool.Status
//	GET  /api/history      a list of Point: VMs by state, and queues, as long as the pool has run
//	GET  /api/explain      ?what=QUEUE, CLASS, VM or JOB: an Explanation
//	POST /api/commands     an elasticpool.Command; 202 once it is in the journal
//	GET  /metrics          Prometheus' text format
//	GET  /healthz          Health: 200 while cycles end, 503 before the first one and when they do not
//
// Errors are a Problem with their status. Before [Console.Show] there is no pool: 503.
//
// # Who may do what
//
// Reading needs no token. A command needs the one that [WithToken] sets, as Authorization: Bearer TOKEN; without it
// commands are refused, except through a socket that only its owner can open ([Console.Trusted]). A command is JSON and
// from no other site, so that no page can make somebody's browser give one.
//
// The console is meant for the loopback address: [Console.Handler] answers only requests that name it so, and a page of
// another site cannot reach it under a name of its own (DNS rebinding). [WithAnyHost] ends that, for an address that
// others shall reach.
package console
