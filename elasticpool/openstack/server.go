package openstack

import (
	"cmp"
	"slices"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// server is what is read of Nova's.
type server struct {
	ID       string            `json:"id"`
	Name     string            `json:"name"`
	Status   string            `json:"status"`
	Task     string            `json:"OS-EXT-STS:task_state"`
	Metadata map[string]string `json:"metadata"` // nil when its cell is down
	Fault    struct {
		Message string `json:"message"`
	} `json:"fault"`
	Created   time.Time                  `json:"created"`
	Host      string                     `json:"OS-EXT-SRV-ATTR:host"` // for admins
	HostID    string                     `json:"hostId"`
	Zone      string                     `json:"OS-EXT-AZ:availability_zone"`
	Addresses map[string][]serverAddress `json:"addresses"`
	Flavor    embeddedFlavor             `json:"flavor"`
	Volumes   []attachedVolume           `json:"os-extended-volumes:volumes_attached"`
}

type serverAddress struct {
	Addr    string `json:"addr"`
	Version int    `json:"version"`
}

// embeddedFlavor is the flavor as it was when the server was made.
type embeddedFlavor struct {
	VCPUs int64             `json:"vcpus"`
	RAM   int64             `json:"ram"`
	Extra map[string]string `json:"extra_specs"`
}

type attachedVolume struct {
	ID   string `json:"id"`
	Dies bool   `json:"delete_on_termination"`
}

// hidden says that Nova knows no more of the server than that it is there: its cell is down. It may be ours.
func (s server) hidden() bool { return s.Metadata == nil && s.Status == "UNKNOWN" }

// ours says that the server bears the pool's tag and the VM's.
func (s server) ours(pool, vm string) bool {
	return s.Metadata[elasticpool.TagPool] == pool && s.Metadata[elasticpool.TagVM] == vm
}

// of returns the server as the pool sees it. It is false for servers that are not its own, or no more.
func (s server) of(pool string) (elasticpool.Server, bool) {
	own, ok := elasticpool.ServerOfTags(pool, s.Metadata)
	if !ok || deletedStatus(s.Status) {
		return elasticpool.Server{}, false
	}
	own.ID, own.Status, own.Fault = s.ID, statusOf(s.Status, s.Task), s.Fault.Message
	if own.Fault != "" {
		own.FaultClass = elasticpool.ErrorWord(ClassOfFault(own.Fault))
	}
	own.Host, own.Created = s.host(), s.Created
	for _, addresses := range s.Addresses {
		for _, address := range addresses {
			own.Addresses = append(own.Addresses, address.Addr)
		}
	}
	slices.Sort(own.Addresses)
	return own, true
}

// host is the hypervisor's name, which only admins see, or else the zone with the first digits of the id that Nova gives
// the host for this project.
func (s server) host() string {
	const enough = 8
	if s.Host != "" || s.HostID == "" {
		return cmp.Or(s.Host, s.Zone)
	}
	return s.Zone + "/" + s.HostID[:min(enough, len(s.HostID))]
}
