// Package inputfile reads the files that the examples take: a flavor, a device profile, ports and an image, in YAML or
// JSON.
//
// A flavor has name, vcpus, memory_mb, root_gb, ephemeral_gb, swap_mb (whole numbers, memory and swap in MiB, disks in
// GiB) and extra_specs; a profile has name, description and groups:
//
//	vcpus: 4                           name: gpu
//	memory_mb: 8192                    groups:
//	extra_specs:                         - resources:PGPU: 1
//	  accel:device_profile: gpu            trait:CUSTOM_NVIDIA_1EB8: required
//
// Both may be what Nova, Cyborg and their command-line client show of one object: ram for memory_mb, properties for
// extra_specs and so on.
//
// Errors name the file, the line and the path of the key, what is wrong there and what is possible:
//
//	flavor.yaml:3: vcpu: unknown key, known keys are ephemeral_gb, extra_specs, memory_mb, …
package inputfile
