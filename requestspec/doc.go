// Package requestspec turns a flavor, device profiles, ports, an image and scheduling wishes into the request groups and
// the exact allocation-candidates query that Nova sends to Placement, and finds out which provider serves which group of
// an answer. It is pure: no input or output, no clock, and the same input gives the same bytes.
//
// # From a flavor to a query
//
//	request, err := requestspec.Build(requestspec.Input{Flavor: flavor, Profile: groups})
//	query := request.Query()
//
// [Build] takes Nova's steps in Nova's order (nova/scheduler/utils.py:resources_from_request_spec): the groups of the
// ports and of the device profile, the flavor's extra specs, the traits of the image, CPU policies, the flavor's own
// sizes, guest features, then zero amounts are dropped, then the destination and the group policy. [Resolve] looks
// device profiles up by name, for callers that have a list of them.
//
// # Groups and suffixes
//
// The unsuffixed group may be served by a whole provider tree. Each suffixed group is served by exactly one provider,
// and its suffix is its name in the answer. Group N of the flavor's device profile has the suffix device_profile_N, that
// of a port's profile device_profile_N<port id>; see [RequesterID]. A group that asks for M devices gets them all from
// one provider; ask for M groups to spread them, with group_policy=isolate in the flavor if they must be spread.
//
// # Strict and lenient
//
// [Lenient] is Nova to the byte, checked against recorded answers and by running Nova itself on random inputs: what Nova
// skips is skipped, and what Nova would only log is listed in [Request.Findings]. The default is strict: every
// such finding is an error, and all of them are in one [*Error], each with its place, key and value. A typing error in a
// profile then cannot boot a guest without its device. Strict mode differs in this:
//
//	what                                                            lenient (Nova)               strict
//	unknown class, bad amount, unknown trait value, bad policy      skipped with a warning       ErrClass, ErrAmount, ErrTrait, ErrGroupPolicy
//	class or trait name that Placement cannot have (CUSTOM_a)       sent                         ErrClass, ErrTrait
//	trait required and forbidden                                    sent                         ErrTrait
//	key that is almost a resource, a trait or group_policy          ignored                      ErrKey
//	other accel: key, key that is almost accel:device_profile       boots without a device       ErrKey
//	key that is almost one of hw:, os: or pci_passthrough:          ignored                      ErrKey
//	amount of a port's request as text, fraction or truth value     converted                    ErrAmount
//	traits:X (suffix s)                                             another group                ErrKey
//	suffix inside a profile, one class twice, line feed in a key    ignored, last wins           ErrKey
//	amounts 2.5 and true as JSON values                             cut to 2, taken as 1         ErrAmount
//	amount above 2147483647                                         sent                         ErrNeverFits
//	VCPU, PCPU, MEMORY_MB, DISK_GB in a profile                     flavor's amount is dropped   ErrBaseClass
//	group with traits only                                          empty parameter, refused     ErrTraitOnly; fine in a same_subtree
//	profile group with zero amounts only                            dropped, no provider later   ErrEmptyGroup
//	profile without groups, impossible or empty profile name        boots without a device       ErrProfile
//	profile of a port that is no accelerator port                   ignored                      ErrProfile
//	accel:device_profile_name                                       ignored                      read; ErrProfile if it contradicts
//	several suffixes in the flavor and no group policy              sent, refused by Placement   ErrGroupPolicy
//	the same, but all but one of them empty                         sent, refused by Placement   policy none
//	trait of an image that is not required                          ignored                      ErrTrait
//	thread or emulator policy without pinned CPUs                   sent; Nova's API refuses it  ErrCPUPolicy
//	request that asks for nothing at all                            sent, refused by Placement   ErrEmptyGroup
//	same_subtree of a suffix that is not there, or empty            sent, refused by Placement   ErrKey
//	root trait that Placement cannot have                           sent, refused by Placement   ErrTrait
//	aggregate, or uuid of the target node, that is no uuid          sent, refused by Placement   ErrKey
//	port id that Placement does not take as a suffix                sent, refused by Placement   ErrKey
//	key of an image that is almost a trait, or a resource           ignored                      ErrKey
//	more of a class than Input.LargestProvider, in one group        sent, fits nowhere           ErrNeverFits
//	two or more PGPU in one group, nothing known of providers       sent                         advice only
//
// Build knows no providers, so that two PGPU in one group are refused only when [Input.LargestProvider] says that no provider
// has two: drivers of Cyborg report one GPU on each provider, but others may report more.
//
// docs/strict-mode.md lists every recorded case of Nova that strict mode answers differently.
//
// Both modes refuse what Nova refuses: [ErrProfile], [ErrEmptyGroup], [ErrSuffixConflict], [ErrAmount],
// [ErrNoValidHost], [ErrCPUPolicy] and [ErrFeature]. [Code] gives the code word of an error for machines.
// [Finding.Advice] marks what is worth a word but never refused.
//
// A Go map has no order, so two extra specs that name one class in one group (possible only by a line feed at the end
// of one key) are taken in the order of their keys. Device profile groups keep their order: [ProfileGroup].
//
// # From an answer to providers
//
// Whoever asks Placement with package placement and binds with package cyborgclient needs none of this: a
// placement.Candidate has its mapping, and cyborgclient.Match gives each accelerator request its provider. [Match] is
// what these two are made of, for callers that have their own answer of Placement.
//
// [Match] maps each group to its provider: by the mappings of the answer (Placement 1.34) or, for older services, by a
// search that finds the assignment that Nova's enumeration would find.
package requestspec
