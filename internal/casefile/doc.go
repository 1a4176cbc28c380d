// Package casefile is the wire form of cases: what a flavor, profiles and ports look like as one line of JSON, and a
// matching problem as another. The recorded answers of Nova have this form, and examples/query reads it from standard
// input.
//
//	{"flavor": {"vcpus": 2, "extra_specs": {"accel:device_profile": "gpu"}}, "device_profiles": […], …}
//
// [Decode] reads a line into [Query], [Mapping] or [Mappings], or into a [Case] of one of them with its id and its
// expected answer. Strict reading refuses what is hardly meant, with its place: a key that occurs twice or is not known,
// an amount that is no whole number. Lenient reading takes of a key the last value, as Python's json does, and converts
// the flavor's sizes as Nova's Flavor object does.
package casefile
