package elasticpool

import "github.com/novacyborg/novacyborg/elasticpool/quota"

// Resources are amounts by name: cpus, memory_mb, disk_mb, gpus, fpgas, vms, and any other that jobs ask for.
type Resources = quota.Resources

// Names of resources. Memory and disk are in MiB, as HTCondor counts them.
const (
	VMs    = quota.VMs
	CPUs   = quota.CPUs
	Memory = quota.Memory
	Disk   = quota.Disk
	GPUs   = quota.GPUs
	FPGAs  = quota.FPGAs
)
