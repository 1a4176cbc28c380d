package config

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Keys whose zero the code takes for a key that is not there. A default that is used in place of what somebody has written
// would be found out when it is too late.
var (
	zeroIsDefault = []string{
		"queues.weight", "queues.reservation", "classes.price", "decision_log.max_bytes",
		"clouds.opennebula.timeout", "clouds.exec.timeout", "clouds.openstack.delete_wait", "clouds.openstack.names_age",
		"htcondor.runtime_unit", "htcondor.interval", "htcondor.timeout", "htcondor.max_output", "htcondor.min_retirement", "htcondor.factory_every",
		"json.timeout", "json.max_size",
	}
	zeroIsNoLimit = []string{"queues.upper", "classes.max"}
)

var index = regexp.MustCompile(`\[\d+\]`)

// checkZeros finds zeros that would not mean zero.
func (c *Config) checkZeros(f *faults) {
	walk(c.root, "", func(path string, node *yaml.Node) {
		if node.Kind != yaml.ScalarNode || !isZero(node.Value) {
			return
		}
		key := index.ReplaceAllString(path, "")
		f.that(!strings.HasPrefix(key, "control.") && !slices.Contains(zeroIsDefault, key),
			"0 cannot be set: leave the key out for the default, or write a small value", steps(path)...)
		f.that(!slices.Contains(zeroIsNoLimit, key), "0 would be no limit: leave the key out for that, or write 1 at least", steps(path)...)
	})
}

func isZero(text string) bool {
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return n == 0
	}
	d, err := time.ParseDuration(text)
	return err == nil && d == 0
}

// steps returns the steps of a path of walk.
func steps(path string) []any {
	var all []any
	for key := range strings.SplitSeq(path, ".") {
		all = append(all, keySteps(key)...)
	}
	return all
}
