package config

import _ "embed"

// Example is a configuration with every key explained.
//
//go:embed example.yaml
var Example string
