// Query shows the request that Nova would send to Placement for a flavor and a device profile, or says what is
// wrong with them.
//
//	go run ./examples/query -flavor flavor.yaml -profile profile.yaml          the parameters, one a line
//	go run ./examples/query -flavor flavor.yaml -profile profile.yaml -raw     the query string
//	go run ./examples/query -lenient -flavor flavor.yaml                       what Nova would make of a faulty flavor
//	go run ./examples/query -flavor flavor.yaml -profile profile.yaml -explain URL   why Placement finds no host
//
// Files are JSON or YAML. A flavor file has vcpus, memory_mb, root_gb, ephemeral_gb, swap_mb and extra_specs; a
// profile file has name and groups. Without both, the two files beside this program are used.
//
// -explain asks the Placement at URL, with the token of OS_TOKEN ("admin" if it is not set, which a Placement without
// authentication takes), and says group by group whether providers fit and what is in the way if not.
//
// For checks in bulk, one JSON object per line is read from standard input and one answer per line written, in order:
//
//	-jsonl      flavor, profiles, ports, image, destination … in; {"query":…} or {"error":…} out
//	-mapping    allocation and groups in, without mappings; {"mapping":…} or {"error":…} out
//	-mappings   group ids, mappings and accelerator requests in; {"mapping":…,"arq_providers":…} or {"error":…} out
//
// error is a code word (requestspec.Code, plus arq_group_missing, create_failed and bad_input), message says more. Bulk checks
// are strict too; give -lenient for Nova's answers.
package main
