package opennebula

import (
	"context"
	"math"
	"strconv"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// host is a host (share/doc/xsd/host.xsd). CPU is in hundredths, memory in KiB.
type host struct {
	State int `xml:"STATE"`
	Share struct {
		MaxCPU int64 `xml:"MAX_CPU"`
		CPU    int64 `xml:"CPU_USAGE"`
		MaxMem int64 `xml:"MAX_MEM"`
		Mem    int64 `xml:"MEM_USAGE"`
		PCIs   []pci `xml:"PCI_DEVICES>PCI"`
	} `xml:"HOST_SHARE"`
}

// works are the states in which a host takes VMs (include/Host.h: MONITORING_MONITORED, MONITORED).
var works = map[int]bool{1: true, 2: true}

// hosts lowers limits to what hosts have free. A user that may see no hosts knows nothing of them.
func (c *Cloud) hosts(ctx context.Context, limits elasticpool.Limits, own elasticpool.Resources) error {
	text, err := c.client.text(ctx, "one.hostpool.info")
	if isCode(err, codeAuthorization) {
		return nil
	}
	if err != nil {
		return err
	}
	var list struct {
		Hosts []host `xml:"HOST"`
	}
	if err := parseXML("list of hosts", text, &list); err != nil || len(list.Hosts) == 0 {
		return err
	}
	free := elasticpool.Resources{elasticpool.CPUs: 0, elasticpool.Memory: 0, elasticpool.GPUs: 0, elasticpool.FPGAs: 0}
	for _, one := range list.Hosts {
		if works[one.State] {
			free = free.Plus(one.free())
		}
	}
	for name, amount := range free {
		lower(limits.Free, name, amount)
		lower(limits.Total, name, amount+own[name])
	}
	return nil
}

// free returns what a host has free.
func (h host) free() elasticpool.Resources {
	free := elasticpool.Resources{
		elasticpool.CPUs: max(0, h.Share.MaxCPU-h.Share.CPU) / 100, elasticpool.Memory: max(0, h.Share.MaxMem-h.Share.Mem) >> 10,
	}
	for _, device := range h.Share.PCIs {
		if name := device.resource(); name != "" && device.VM == "-1" {
			free[name]++
		}
	}
	return free
}

// number reads a number of a quota; what is absent or is none is the given one.
func number(of fields, name string, absent float64) float64 {
	value, err := strconv.ParseFloat(of[name], 64)
	if err != nil || math.IsNaN(value) {
		return absent
	}
	return math.Min(value, math.MaxInt32*1024)
}
