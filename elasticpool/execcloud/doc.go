// Package execcloud lets any program be a cloud of the elastic pool: a plugin, which speaks JSON, a line at a time, on its
// standard input and output.
//
// [New] returns an [elasticpool.Provider] that runs a plugin. [Serve] is the other side: a plugin in Go is a provider and
// one call.
//
//	func main() {
//		err := execcloud.Serve(context.Background(), os.Stdin, os.Stdout, myProvider{})
//		…
//	}
//
// The folders examples/localworkers and examples/ec2cloud of this module are plugins.
//
// # The process
//
// One process of the plugin runs at a time. It starts with the first request. When it dies it is started again with the next
// request, but not before it has rested (WithBackoff); requests before that fail. It leads a process group. It should end
// when its standard input ends; after a grace it gets SIGTERM, after another its whole group SIGKILL (WithGrace). What it
// leaves running on purpose must leave the group, as setsid does, and must not hold its standard output open.
//
// A pool has one process of it. `elasticpool plan` and dry runs start one of their own, maybe beside that of a pool that runs.
// They ask it for servers and limits only (WithReadOnly), and set ELASTICPOOL_READ_ONLY=1 in its environment. A plugin
// that does something by itself when it starts, such as taking a lock or going on with what it began, must leave that
// out then ([ReadOnly]); what it answers may be a moment old.
//
// What it writes to its standard error goes to the log: at most 4096 bytes of a line and 600 lines a minute. Requests are never
// logged, since user data may hold secrets; what a plugin writes is its own matter.
//
// # Requests
//
// The pool writes one JSON object a line. Ids rise from 1 in each process. Up to several hundred requests may be under way
// at the same time.
//
//	{"id":7,"method":"servers","timeout_ms":60000,"params":{"pool":"farm"}}
//
// timeout_ms is how long the pool waits for the answer. The plugin writes one JSON object a line, in any order, for each
// request one, with its id and either a result or an error:
//
//	{"id":7,"result":{"servers":[],"complete":true}}
//	{"id":8,"error":{"class":"quota","detail":"Quota exceeded for cores: requested 8, used 96 of 100"}}
//
// An error has a class, a word of [elasticpool.ErrorWord]: quota, capacity, invalid, unauthorized, unknown_outcome,
// unsupported or transient; any other word counts as transient. The detail is for people: the cloud's own words.
//
// Lines end with a newline and have at most 32 MiB. Both sides ignore keys that they do not know.
//
// # The handshake
//
// The first request of each process is capabilities. It tells the protocols that the pool speaks. The plugin chooses one, and
// names the methods that it has; what it lacks (such as stop and start) is then never asked:
//
//	→ {"id":1,"method":"capabilities","timeout_ms":60000,"params":{"protocols":[1]}}
//	← {"id":1,"result":{"protocol":1,"methods":["servers","limits","create","delete"]}}
//
// # The methods
//
// Objects of servers, specs and resources are those of package elasticpool in JSON ([elasticpool.Server],
// [elasticpool.ServerSpec], [elasticpool.Resources]). Status is building, active, stopped, deleting, error or unknown.
//
// servers lists the servers whose tags name this pool, and no others. complete is false when the list may be short: then
// the pool concludes nothing from what is not in it. Both keys must be there: a failure is never an empty list.
//
//	→ {"id":2,"method":"servers","timeout_ms":60000,"params":{"pool":"farm"}}
//	← {"id":2,"result":{"servers":[{"id":"i-1","vm":"01JD…","pool":"farm","class":"cpu8","queue":"juno","generation":3,
//	   "status":"active","addresses":["192.0.2.7"],"created":"2026-11-30T12:00:00Z"}],"complete":true}}
//
// limits tells what the pool may use in all, its own servers included, and what can be had now. A resource that is absent is
// not limited.
//
//	→ {"id":3,"method":"limits","timeout_ms":60000,"params":{}}
//	← {"id":3,"result":{"total":{"vms":50,"cpus":400},"free":{"vms":12,"cpus":96}}}
//
// create makes a server and stores all tags with it, so that servers finds it. It answers as soon as the cloud has taken the
// request. When it is asked again for a VM that has a server, it answers with that server. The pool takes no server for
// another VM or pool.
//
//	→ {"id":4,"method":"create","timeout_ms":60000,"params":{"spec":{"pool":"farm","vm":"01JD…","name":"ep-farm-01JD…","queue":"juno",
//	   "generation":3,"class":{"name":"cpu8","image":"alma9","flavor":"m1.large",…}},"tags":{"elasticpool.pool":"farm",…}}}
//	← {"id":4,"result":{"server":{"id":"i-1","vm":"01JD…","pool":"farm","class":"cpu8","status":"building"}}}
//
// delete removes a server with all that was made for it. It is repeated; a server that is gone is a success. stop puts a
// server to sleep and start wakes it. All three get the server as servers gave it.
//
//	→ {"id":5,"method":"delete","timeout_ms":60000,"params":{"server":{"id":"i-1","vm":"01JD…","pool":"farm",…}}}
//	← {"id":5,"result":{}}
//
// User data of a class are a template; WithUserData fills it in, so that plugins get it finished.
//
// # What goes wrong
//
//   - A request without an answer in its time fails: a create with class unknown_outcome, since the server may have been made,
//     others with transient. A late answer is dropped. After three such requests in a row, without a word from the plugin
//     in between, the process is hung: it is killed and replaced.
//   - The same happens to requests under way when the process dies. Requests that it has surely not seen are transient.
//   - A plugin that does not read blocks its pipe. When that lasts for the time of a request, the process is killed.
//   - An answer that cannot be understood (no result and no error, both, wrong types, a server for another VM) is no answer: its
//     request fails at once, a create with unknown_outcome.
//   - A line that is no answer (no JSON, no id, the id of no request, too long) is logged and skipped; the error of the next
//     request without an answer tells of it. More than 100 such lines end the process.
//   - An answer with id 0 and an error is a complaint about a line that the plugin could not read. It is such a line too.
package execcloud
