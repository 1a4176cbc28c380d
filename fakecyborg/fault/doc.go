// Package fault is how the fake Cyborg fails on command: rules that say which
// exchange, bind or event is hit, and the faults that they bring. It does no
// input or output; package fakecyborg asks a [Set] at each point where a fault
// can happen.
//
// # Rules
//
// A [Rule] names an operation of the API, or one of the points [Bind],
// [Program] and [Event]; it may narrow that to one scope, accelerator request,
// host or instance. Of what matches it hits all, the first n, the nth, or, with
// a sequence, each in its own way. Nothing is left to chance: the same requests
// in the same order are hit in the same way.
//
// Rules are asked in the order in which they were added. The first that hits is
// the only one; those behind it do not count the exchange, so that two rules of
// "the first one" are a queue.
//
//	faults := fault.NewSet("arq:create", "arq:update")
//	err := faults.Add(fault.Rule{Operation: "arq:update", First: 2, Fault: fault.Status{Code: 503}})
//
// The same rule in YAML or JSON, for seeds and for the control API, see [Parse]:
//
//   - {operation: "arq:update", first: 2, fault: {kind: status, code: 503}}
//
// # Faults
//
// A fault is a small struct in a file of its own. It implements [Fault] and one
// of [AtExchange], [AtBind] and [AtEvent], and has a line in the table in
// kinds.go; nothing else needs to know it. docs/faults.md lists all of them.
package fault
