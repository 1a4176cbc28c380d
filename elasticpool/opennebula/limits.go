package opennebula

import (
	"context"
	"math"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Values of quotas that are no limits (include/Quota.h: DEFAULT, UNLIMITED).
const (
	quotaDefault   = -1
	quotaUnlimited = -2
)

// myself asks for the connected user, or its group.
const myself = -1

// quotas are what a user or a group may have (share/doc/xsd/user.xsd, group.xsd).
type quotas struct {
	VMs      []fields `xml:"VM_QUOTA>VM"`
	Defaults []fields `xml:"DEFAULT_USER_QUOTAS>VM_QUOTA>VM"`
	Groups   []fields `xml:"DEFAULT_GROUP_QUOTAS>VM_QUOTA>VM"`
}

// metrics are OpenNebula's metrics of quotas, with the resources that they limit. PCI_DEV counts devices of all kinds.
var metrics = []struct {
	metric    string
	resources []string
}{
	{"VMS", []string{elasticpool.VMs}},
	{"CPU", []string{elasticpool.CPUs}},
	{"MEMORY", []string{elasticpool.Memory}},
	{"SYSTEM_DISK_SIZE", []string{elasticpool.Disk}},
	{"PCI_DEV", []string{elasticpool.GPUs, elasticpool.FPGAs}},
	{"RUNNING_VMS", []string{elasticpool.VMs}},
	{"RUNNING_CPU", []string{elasticpool.CPUs}},
	{"RUNNING_MEMORY", []string{elasticpool.Memory}},
	{"RUNNING_PCI_DEV", []string{elasticpool.GPUs, elasticpool.FPGAs}},
}

// Limits returns what the user, its group and the hosts allow.
func (c *Cloud) Limits(ctx context.Context) (elasticpool.Limits, error) {
	const op = "get limits"
	limits := elasticpool.Limits{Total: elasticpool.Resources{}, Free: elasticpool.Resources{}}
	c.mu.Lock()
	own := c.own
	c.mu.Unlock()
	for _, method := range []string{"one.user.info", "one.group.info"} {
		text, err := c.client.text(ctx, method, myself)
		if err != nil {
			return limits, fault(op, false, err)
		}
		var q quotas
		if err := parseXML("quotas", text, &q); err != nil {
			return limits, fault(op, false, err)
		}
		q.limit(limits, own)
	}
	if err := c.hosts(ctx, limits, own); err != nil {
		return limits, fault(op, false, err)
	}
	return limits, nil
}

// limit lowers limits to the quotas.
func (q quotas) limit(limits elasticpool.Limits, own elasticpool.Resources) {
	set := global(q.VMs)
	for _, m := range metrics {
		most := number(set, m.metric, quotaDefault)
		if most == quotaDefault {
			most = number(global(append(q.Defaults, q.Groups...)), m.metric, quotaUnlimited)
		}
		if most < 0 { // also a default of "default"
			continue
		}
		free := math.Max(0, most-number(set, m.metric+"_USED", 0))
		for _, name := range m.resources {
			lower(limits.Free, name, int64(free))
			lower(limits.Total, name, int64(free)+own[name])
		}
	}
}

// global returns the quota that is not only for some clusters.
func global(all []fields) fields {
	for _, one := range all {
		if one["CLUSTER_IDS"] == "" {
			return one
		}
	}
	return nil
}

// lower sets a limit that is not lower yet.
func lower(limits elasticpool.Resources, name string, limit int64) {
	if now, limited := limits[name]; !limited || limit < now {
		limits[name] = limit
	}
}

func ceil(amount float64) int64 {
	return int64(math.Ceil(math.Min(math.Max(amount, 0), math.MaxInt32)))
}
