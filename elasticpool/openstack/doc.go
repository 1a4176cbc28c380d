// Package openstack is an elasticpool.Provider on one project of an OpenStack cloud: servers of Nova, with accelerators
// from Cyborg by the flavor's accel:device_profile.
//
//	provider, err := openstack.New(ctx, "ihep", openstack.Settings{Pool: "physics"}, cyborgclient.WithCloud("ihep"))
//
// The login is that of packages cyborgclient and placement, with the same options: an entry of clouds.yaml, the OS_*
// variables, or a login that the caller has. Compute is required. Image and network services are needed for names; ids
// work without. Accelerator, placement and block-storage services are used where the catalog has them.
//
// # What a class says
//
// Flavor, Image and Network are ids or exact names, Network several with commas between them, or none, or auto (the
// default: Nova finds one). An image's name must be that of one active image; a flavor must have DeviceProfile as its
// accel:device_profile if the class names one. Names are remembered for a while (Settings.NamesAge) and looked up anew
// when Nova refuses what they stand for. KeyPair and Zone go to Nova as they are. Keys of Extra are the constants
// Extra…; a key that is not among them is refused.
//
// UserData is a template, see package userdata. Its joinToken is that of Settings.JoinToken or JoinTokenFile:
//
//	#cloud-config
//	write_files:
//	  - path: /etc/condor/tokens.d/pool
//	    permissions: "0600"
//	    content: {{json joinToken}}
//	  - path: /etc/condor/config.d/50-vm
//	    content: {{printf "ElasticVM = %q\nSTARTD_ATTRS = ElasticVM\n" .VM | json}}
//
// Whoever may read user data in the VM or its config drive reads the token: give it a short life.
//
// # What is ours
//
// A server is the pool's if its metadata has the pool's tags (elasticpool.TagPool and TagVM), whatever it is named. Stop,
// Start and Delete read the server first and leave alone one without them. Ports that the pool makes bear the tags in
// their description; the volume that Nova boots a server from gets them before the server is deleted.
//
// # A VM is made once
//
// Nova has nothing that makes a creation unique. The request is sent at most once (only while no connection can be made
// it is tried again), and the VM's server is looked for before it, and after it when the outcome is not clear: no
// answer, 500, 502, 504. Then it is returned if it is seen; otherwise the error is ErrUnknownOutcome after a lost answer,
// and ErrTransient after a failure of Nova itself. Asking again for the same VM is safe. A login that came with
// WithProvider has a transport of its own, which must not repeat POST either.
//
// # A list is whole or said to be short
//
// [Provider.Servers] asks at microversion 2.69: that shows servers whose cell is down instead of leaving them out. A list
// is not complete when one is shown so, when a later page fails, when the server that a page begins after was deleted
// meanwhile (Nova answers 400), and when a page repeats itself. A first page that fails is an error.
//
// # Statuses
//
//	building  BUILD, REBUILD
//	active    ACTIVE, MIGRATING, PASSWORD, VERIFY_RESIZE
//	stopped   SHUTOFF, SUSPENDED, PAUSED, SHELVED, SHELVED_OFFLOADED
//	error     ERROR, with Nova's fault in Server.Fault; ClassOfFault tells its class
//	deleting  any status with the task deleting or soft-deleting
//	unknown   everything else, and tasks that are about to change a status (powering-off, unshelving, …)
//
// DELETED and SOFT_DELETED servers are not listed. Server.Host is the hypervisor if the login may see it, or else the
// zone with the beginning of the id that Nova gives the host for the project.
//
// # Errors
//
// All are *elasticpool.CloudError with the cloud's own words and request id.
//
//	ErrQuota         403 and 413 that speak of a quota or limit, 409 OverQuota of Neutron
//	ErrUnauthorized  401, and every other 403: of the policy
//	ErrInvalid       400 and 404 of a request for a server, and what is found wrong before it
//	ErrCapacity      no valid host, no addresses, accelerators that cannot be bound: by their words
//	ErrUnsupported   406: a Nova older than Stein; 405, 501
//	ErrTransient     other 409, 413 and 429, 5xx, no connection, Cyborg that Nova could not reach, a Keystone that is away
//
// # Limits
//
// Cores, memory and servers come from Nova's absolute limits. Total is the quota less what the project's other servers
// use: all but those with the pool's tags, whose flavors are read from the servers themselves. Own servers in deletion
// count as own until they are gone, as they do for Nova. See [Provider.Limits] for addresses and accelerators. Free
// accelerators need an admin's login; a user's that may ask Cyborg, but sees only ARQs of its own project, gets an upper
// bound.
//
// # What is left behind
//
// Delete removes what a server leaves as soon as the server is gone within Settings.DeleteWait. Everything else, such as
// leavings of servers that vanished, is found by [Provider.Orphans] and removed by [Provider.Reap]: call it now and then,
// with a grace well above the time that a creation takes. Cyborg does not tell whose an instance was: ARQs are found for
// servers that this provider has seen in the last day. Since the fix of CVE-2026-40214 Cyborg lets only services delete
// bound ARQs: without a service token (cyborgclient.WithServiceCloud) they are told to Settings.Logger and stay.
//
// # Design decisions
//
//  1. Every request names one fixed microversion. A Nova without it says so itself (406); nothing is negotiated.
//  2. Only the marker is taken from the link to the next page, since behind proxies links name addresses that cannot be
//     reached.
//  3. Limits reads the list of servers itself instead of using the last one of Servers: with an older list the pool's own
//     new servers would count as others' for a cycle, and the pool would shrink for them.
//  4. A port's mark is its description, which the request that makes it can set; tags would be a second request, and a
//     port without a mark between the two.
//  5. 400 and 404 of a creation mean a class that cannot work; the pool then stops asking. What passes (an image that is
//     being uploaded, Cyborg that is away) is told apart by its words.
package openstack
