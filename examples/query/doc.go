// Query shows the request that Nova would send to Placement for a flavor and a device profile, or says what is
// wrong with them.
//
//	go run ./examples/query -flavor flavor.yaml -profile profile.yaml          the parameters, one a line
//	go run ./examples/query -flavor flavor.yaml -profile profile.yaml -raw     the query string
//	go run ./examples/query -lenient -flavor flavor.yaml                       what Nova would make of a faulty flavor
//	go run ./examples/query -flavor flavor.yaml -profile profile.yaml -explain URL   why Placement finds no host
//	go run ./examples/query -flavor flavor.yaml -profile profile.yaml -cloud NAME    the same of a cloud of clouds.yaml
//	go run ./examples/query -flavor flavor.yaml -ports ports.yaml -profile nic.yaml -image image.yaml
//
// Files are JSON or YAML. A flavor file has name, vcpus, memory_mb, root_gb, ephemeral_gb, swap_mb and extra_specs; a
// profile file has name, description and groups. Each may also be what the service shows, or what "openstack flavor show
// NAME -f json" and "openstack accelerator device profile show NAME -f json" print, all of it or the columns of -c. Without
// both files, the two beside this program are used; they ask for what the first host of fakecyborg's built-in seed has.
// Give -profile again for each profile that a port names. A ports file has ports, an image file has properties, both as in the lines
// of -jsonl below. Each error stands on its own line, with file, line and key. All of this goes with -raw, -explain and
// -cloud alike.
//
// -explain asks the Placement at URL, with the token of OS_TOKEN ("admin" if it is not set, which a Placement without
// authentication takes), -cloud logs in by clouds.yaml and needs a catalog that has Placement; both say group by group
// whether providers fit and what is in the way if not, and on which host all of them fit together. The Placement of
// "fakecyborg -placement embedded" is at /placement below the address that it prints.
//
// -largest PGPU=1 says that no provider has more than one PGPU: two in one group, which one provider would have to
// serve, are then an error instead of a note. Give it again for each class.
//
// # Checks in bulk
//
// With -jsonl, -mapping or -mappings one JSON object per line is read from standard input and one answer per line
// written, in order; empty lines are passed over. The lines of the examples are broken here for reading.
//
// -jsonl asks for the query of a request. Only flavor is needed, and each key can be left out inside too:
//
//	{"flavor": {"name": "f", "vcpus": 2, "memory_mb": 2048, "root_gb": 20, "ephemeral_gb": 0, "swap_mb": 512,
//	   "extra_specs": {"accel:device_profile": "gpu"}},
//	 "device_profiles": [{"name": "gpu", "groups": [{"resources:PGPU": "1", "trait:CUSTOM_X": "required"}]}],
//	 "ports": [{"id": "p1", "vnic_type": "accelerator-direct", "device_profile": "gpu",
//	   "resource_request": {"resources": {"NET_BW_EGR_KILOBIT_PER_SEC": 1000}, "required": ["CUSTOM_NET"]}},
//	   {"id": "p2", "resource_request": {"request_groups": [{"id": "g", "resources": {"CUSTOM_NIC": 1},
//	   "required": ["CUSTOM_NET"]}], "same_subtree": ["g"]}}],
//	 "image": {"properties": {"trait:CUSTOM_Y": "required"}}, "boot_from_volume": true,
//	 "destination": {"host": "h", "node": "n", "aggregates": [["6be1b1b1-0000-4000-8000-0000000000a1"]],
//	   "forbidden_aggregates": ["6be1b1b1-0000-4000-8000-0000000000a9"]},
//	 "force_hosts": ["h"], "force_nodes": ["n"], "compute_nodes": [{"host": "h", "node": "n",
//	   "uuid": "c532cf11-02ed-4b03-9dd8-3e9a454131dc"}],
//	 "scheduler_hints": {"group": "g"}, "root_required": ["CUSTOM_R"], "root_forbidden": ["CUSTOM_S"],
//	 "same_subtree": [["device_profile_0"]], "max_placement_results": 1000}
//
// The answer is {"query": "…"}, with "findings" if something was found that is no error. device_profiles are all that
// Cyborg has; the flavor and the ports name theirs. A port's own "groups" stand for a profile that is not in the list.
//
// -mapping matches groups to providers without the mappings of Placement 1.34:
//
//	{"allocation": [{"rp": "rp1", "resources": {"PGPU": 1}, "traits": ["CUSTOM_X"]}],
//	 "groups": [{"id": "device_profile_0", "resources": {"PGPU": 1}, "required": ["CUSTOM_X"], "suffixed": true,
//	   "forbidden": [], "aggregates": [], "forbidden_aggregates": [], "in_tree": ""}]}
//
// The answer is {"mapping": {"device_profile_0": ["rp1"]}}. Only id and resources of a group are needed; suffixed is
// true if it is left out. What cannot be matched without mappings is the error not_supported.
//
// -mappings matches groups and ARQs to providers by the mappings of a candidate:
//
//	{"group_ids": ["device_profile_0", "device_profile_0p1"],
//	 "mappings": {"device_profile_0": ["rp1"], "device_profile_0p1": ["rp2"]},
//	 "flavor_arqs": [{"uuid": "a1", "device_profile_group_id": 0}],
//	 "port_arqs": [{"port": "p1", "arq": {"uuid": "a2", "device_profile_group_id": 0}}]}
//
// The answer is {"mapping": {…}, "arq_providers": {"a1": "rp1", "a2": "rp2"}}. An ARQ is as Cyborg shows it and may have
// any other keys; flavor_arqs is null if the flavor has no profile.
//
// What cannot be answered is {"error": "…", "message": "…"}: a code word and what is wrong. The words are those of
// requestspec.Code, arq_group_missing and create_failed for -mappings, and bad_input for a line that is no JSON, has
// an unknown key or a value of the wrong type; its message begins with the number of the line. By kind they are:
//
//	profile, empty_group, suffix_conflict, bad_amount, no_valid_host, cpu_policy, feature      what Nova refuses too
//	resource_class, trait, key, base_class, trait_only, group_policy, never_fits               strict mode's own
//	no_mapping, not_supported, search_limit                                                    of -mapping
//	mapping_missing, arq_group_missing, create_failed                                          of -mappings
//	bad_input                                                                                  the line cannot be read
//
// Keys that Nova and Cyborg show a flavor or a profile with besides those above (id, uuid, created_at, links and such) are
// passed over. Two groups of one id are not_supported with -mapping, because the answer has one entry for both; with
// -mappings the entry serves both. A search that would take longer than about a second is search_limit. Requests are judged
// strictly: a key that occurs twice is bad input, and so is a size of a flavor that is no whole number. Give -lenient for
// Nova's answers: of a key the last value counts, and sizes are what Nova's Flavor object makes of them (4 of " 4 " and
// of 4.7, 1 of true). A size of a flavor of 2^63 or more is bad input in both modes, and so is
// such an amount with -mapping: no database of Nova or Placement holds one.
package main
