// Package novacyborg is the map of the module: Nova's side of the talk with Cyborg, in Go.
//
// OpenStack instances get FPGAs, GPUs and other accelerators from Cyborg. Nova asks for them while it builds an instance.
// Each of Nova's steps is a function here:
//
//	Nova step                                          | here
//	---------------------------------------------------+------------------------------------------------
//	all of them, in order, each with its undo          | lifecycle.Manager.Create
//	1 read the device profile                          | cyborgclient.Client.DeviceProfileByName
//	2 flavor and profile become request groups         | requestspec.Build
//	  the query for Placement                          | requestspec.Request.Query
//	3 ask for allocation candidates                    | placement.Client.Candidates
//	  which provider serves which group                | placement.Candidate.Provider
//	  the same, of an answer read by other means       | requestspec.Match
//	  why there is no candidate                        | placement.Client.Explain
//	4 claim a candidate                                | placement.Client.Claim
//	5 create the accelerator requests (ARQs)           | cyborgclient.Client.CreateARQs
//	  match each ARQ to its provider                   | cyborgclient.Match
//	6 bind the ARQs                                    | cyborgclient.Client.Bind
//	7 take Cyborg's events                             | virtdriver.NewReceiver
//	  wait until every ARQ is bound                    | virtdriver.Waiter.Wait
//	8 put the devices into the libvirt domain XML      | virtdriver.Compose
//	9 start the guest                                  | lifecycle.WithHypervisor
//	several instances at once                          | lifecycle.Manager.CreateMany
//	delete the instance                                | lifecycle.Manager.Delete
//	  unbind and delete its ARQs                       | cyborgclient.Client.DeleteARQsByInstance
//	  release its claim                                | placement.Client.Release
//	  its host is gone                                 | lifecycle.Manager.DeleteLocal
//	rebuild                                            | lifecycle.Manager.Rebuild
//	rescue                                             | lifecycle.Manager.Rescue
//	  unrescue                                         | lifecycle.Manager.Unrescue
//	evacuate                                           | lifecycle.Manager.Evacuate
//	shelve                                             | lifecycle.Manager.Shelve
//	  offload                                          | lifecycle.Manager.Offload
//	  unshelve                                         | lifecycle.Manager.Unshelve
//	stop                                               | lifecycle.Manager.Stop
//	start                                              | lifecycle.Manager.Start
//	reboot                                             | lifecycle.Manager.SoftReboot
//	  hard                                             | lifecycle.Manager.HardReboot
//	a host has started                                 | lifecycle.Manager.HostBoot
//
// What Nova does not do for instances with accelerators:
//
//	wish                                               | here
//	---------------------------------------------------+------------------------------------------------
//	resize                                             | lifecycle.Manager.Resize
//	cold migrate                                       | lifecycle.Manager.Migrate
//	  confirm either                                   | lifecycle.Manager.Confirm
//	  revert either                                    | lifecycle.Manager.Revert
//	live migrate                                       | lifecycle.Manager.LiveMigrate
//	suspend                                            | lifecycle.Manager.Suspend
//	  resume                                           | lifecycle.Manager.Unsuspend
//	devices into a running guest                       | lifecycle.Manager.Attach
//	  and out of it                                    | lifecycle.Manager.Detach
//	go on after a crash                                | lifecycle.Manager.Resume
//	its record is lost                                 | lifecycle.Manager.Recover
//	find what was left behind                          | lifecycle.Manager.Reconcile
//	  and mend it                                      | lifecycle.Manager.Repair
//	check a project's limits                           | placement.Client.CheckLimits
//	claim on another host for the same instance        | placement.Client.Move
//
// What stands in for the services in tests:
//
//	service                                            | here
//	---------------------------------------------------+------------------------------------------------
//	Cyborg, in a Go test                               | fakecyborg.Start
//	Cyborg, as an http.Handler                         | fakecyborg.New
//	Placement, in a Go test                            | placementtest.Start
//	Placement, as an http.Handler                      | placementtest.New
//	a driver's report of its devices                   | placement.Client.Report
//
// The package itself holds no code; its example, in example_test.go, does every step by hand, from the device profile to
// the deletion. Read lifecycle to learn the flow, docs/architecture.md for the import arrows, docs/nova-faults.md for the
// faults of Nova that comments cite, and docs/limits.md for what is not done.
package novacyborg
