// Package cyborgclient talks to Cyborg, OpenStack's accelerator service, API v2.
//
// It does what nova/accelerator/cyborg.py does for Nova, and has the rest of the
// API too: device profiles, accelerator requests (ARQs) from creation to
// deletion, devices, deployables and attributes. docs/cyborg-api.md lists the
// operations and the service's oddities. Start with [New]:
//
//	client, err := cyborgclient.New(ctx, cyborgclient.WithCloud("mycloud"))
//	profile, err := client.DeviceProfileByName(ctx, "fpga-one")
//	arqs, err := client.CreateARQs(ctx, profile.Name)
//	providers, err := cyborgclient.Match(arqs, mapping, "")
//	err = client.Bind(ctx, bindings)
//
// # The life of an ARQ
//
// [Client.CreateARQs] makes one ARQ for each unit of each resource of the
// profile; they are Initial. [Client.Bind] gives all ARQs of an instance their
// provider, host and instance in one request; they go through BindStarted to
// Bound or BindFailed, mostly before Bind returns, in any case with an event to
// Nova when they are Bound. [Client.ARQsByInstance] shows the states and, once
// Bound, the [AttachHandle]. [Client.Unbind] frees the device and keeps the
// ARQ; [Client.DeleteARQs] and [Client.DeleteARQsByInstance] free and delete.
//
// # What it protects from
//
// The real service takes some requests that spoil its own data (an instance
// that is no uuid makes every list answer 400 from then on) and answers others
// with a bare 500. Arguments are checked before they are sent; the error is
// then ErrInvalid. After a failed Bind some ARQs of the request may be Bound
// and one may be BindStarted: Error.ARQs has their states, and Error.AllBound
// says that the bind worked all the same. Unbind or delete all of them; a failed
// Unbind tells the states too. A list of uuids with an unknown one in it is
// refused as a whole by the service; DeleteARQs then deletes them one by one.
//
// The service compares uuids as texts, and names sometimes without case. Uuids
// may be given in any form: they are sent in lower case and with dashes. Of
// profiles only the exact name counts, for deletion and for ARQs too.
//
// A redirect to another address is refused: neither the tokens go there, nor is
// what answers there taken for Cyborg's. An answer is read up to 64 MiB.
//
// Requests are repeated only where that does no harm; see the options
// [WithRetries] and [WithTransport].
//
// # Service tokens
//
// Since the fix of CVE-2026-40214 Cyborg lets only services bind, unbind and
// delete ARQs of instances: it wants a service's token beside the user's.
//
//	cyborgclient.New(ctx, cyborgclient.WithCloud("me"), cyborgclient.WithServiceCloud("nova"))
//	cyborgclient.New(ctx, cyborgclient.WithCloud("nova"), cyborgclient.WithOwnServiceToken())
//
// The second client works for the service alone. Tokens of logins are renewed
// before they expire and after a 401. The service token goes only with the
// requests that need it.
//
// # Images
//
// [ApplyImage] and [Client.DeviceProfileForImage] combine what an instance's
// image says about programming with its profile.
//
// # Watching
//
// [WithHook] tells a function of each request: operation, duration, status,
// attempts, request id.
//
// # Errors
//
// Every error of a call is an [*Error]: operation, status, Cyborg's own words
// without the Python traceback, request id. The sentinels (ErrNotFound,
// ErrInUse, …) are found with errors.Is, a cancelled or expired context too.
// [Error.RetryElsewhere] says whether another host could work, [Error.Refused]
// whether Cyborg surely did nothing. An answer of success that lacks its list,
// or holds an object without a uuid, is ErrInvalidAnswer.
//
// What a release does not have is ErrVersion, and the text names the release that
// brought it: Train has only profiles and ARQs. ErrNotFound always is Cyborg's own
// word about an object. A 404 of something else on the way is ErrUnreachable, as is
// a refused redirect. ErrUnavailable is "not now": 429, 502, 503 and 504 that
// stayed after the repetitions. A deletion of a profile or attribute is done when
// the object is not there after an attempt whose answer was lost.
//
// # Microversions
//
// The call decides: devices are read at 2.3 where the server has it (for the
// status), DeviceProfile asks for 2.2 to find a name, Bind for 2.1 when a binding
// names a project, everything else for none. Servers of the releases 2024.1 to 2026.1 understand only a header value
// without the service type and ignore the standard one; the client sees that
// in the answer, asks again and remembers it until an answer says otherwise. What
// the server can do is read again when an answer contradicts what was read.
//
// # JSON
//
// The types marshal as Cyborg's JSON. An object that was read and not changed
// marshals as it came, with fields that this package does not know; those are
// also in Raw. To log an object, marshal it: fmt's verbs would print Raw as
// numbers.
package cyborgclient
