package condor

import (
	"maps"
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// request is a resource that jobs ask for, and how.
type request struct {
	resource  string
	attribute string // of the job: RequestGPUs
	require   string // conditions on the devices: RequireGPUs; empty: there are none
	slot      string // what a slot has of it: GPUs
	unit      int64  // how many of HTCondor's units one of ours is; amounts are rounded up
	least     int64  // what a job without the attribute asks for
}

// requestsOf returns what a job can ask for: CPUs, memory, disk, and the configured devices.
func requestsOf(config Config) []request {
	all := []request{
		{resource: elasticpool.CPUs, attribute: "RequestCpus", slot: "Cpus", unit: 1, least: 1},
		{resource: elasticpool.Memory, attribute: "RequestMemory", slot: "Memory", unit: 1},
		{resource: elasticpool.Disk, attribute: "RequestDisk", slot: "Disk", unit: 1024}, // KiB
	}
	for _, resource := range slices.Sorted(maps.Keys(config.Resources)) {
		attribute := config.Resources[resource]
		device := attribute[len("Request"):]
		all = append(all, request{resource: resource, attribute: attribute, require: "Require" + device, slot: device, unit: 1})
	}
	return all
}

// queueOf returns the queue that a value of the job's attribute names.
func (p *Pool) queueOf(value string) string { return strings.TrimPrefix(value, p.config.Prefix) }
