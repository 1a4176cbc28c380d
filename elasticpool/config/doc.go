// Package config reads the configuration of a pool: one YAML file with the policy that the controller follows, and how
// its batch system and its clouds are reached.
//
// Reading is strict: an unknown key, a value of the wrong kind or a policy that contradicts itself is an error that
// names file, line and key, all of them at once, and asks whether a key that is almost right was meant. [Example] is a
// file with every key explained.
//
// Secrets are never in the file: it names files that hold them, and [Secret] refuses those that everybody can read.
package config
