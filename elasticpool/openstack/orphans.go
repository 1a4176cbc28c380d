package openstack

import (
	"context"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/elasticpool"
)

// OrphanKind is what was left.
type OrphanKind string

// Kinds of orphans.
const (
	OrphanPort   OrphanKind = "port"
	OrphanVolume OrphanKind = "volume"
	OrphanARQ    OrphanKind = "arq"
)

// Orphan is something that was made for a server of the pool which is gone.
type Orphan struct {
	Kind   OrphanKind `json:"kind"`
	ID     string     `json:"id"`
	VM     string     `json:"vm"`
	Server string     `json:"server,omitempty"` // it was bound to
	Status string     `json:"status,omitempty"` // in its service
	Since  time.Time  `json:"since"`            // when this provider first found it
}

// Orphans returns what servers of the pool have left: ports and volumes that bear its tags while no server of their VM
// is there, and ARQs of instances that this provider has known and that Nova knows no more. What the login may not see is
// left out. It is an error when the list of servers is not whole: then nothing is surely an orphan.
//
// Something that was just made for a server to come looks the same; only the time tells. So Reap leaves a grace.
func (p *Provider) Orphans(ctx context.Context, pool string) ([]Orphan, error) {
	op := p.op("find orphans of pool %s", pool)
	if pool != p.settings.Pool {
		return nil, invalid(op, "the provider serves pool %q", p.settings.Pool)
	}
	var found []Orphan
	for _, look := range []func(context.Context) ([]Orphan, error){p.portOrphans, p.volumeOrphans, p.arqOrphans} {
		some, err := look(ctx)
		if err != nil && !notAllowed(err) {
			return nil, classify(op, err)
		}
		found = append(found, some...)
	}
	// The servers are read last: what was found belongs to none of them, however long the rest took.
	servers, complete, err := p.Servers(ctx, pool)
	switch {
	case err != nil:
		return nil, classify(op, err)
	case !complete:
		return nil, &elasticpool.CloudError{Op: op, Class: elasticpool.ErrTransient, Detail: "the list of servers is not whole"}
	}
	left := p.ofNobody(ctx, without(found, servers))
	p.memory.sinceOrphaned(left)
	return left, nil
}

// ofNobody keeps what is bound to no server, or to one that Nova surely does not know: a port may have been given to a
// server that is none of the pool's, and a list that was read while a server was made does not have it.
func (p *Provider) ofNobody(ctx context.Context, found []Orphan) []Orphan {
	var left []Orphan
	for _, orphan := range found {
		if orphan.Server != "" {
			if _, err := p.server(ctx, orphan.Server); !gone(err) {
				continue
			}
		}
		left = append(left, orphan)
	}
	return left
}

// without drops what belongs to a VM or a server that is there.
func without(found []Orphan, servers []elasticpool.Server) []Orphan {
	there := make(map[string]bool, 2*len(servers))
	for _, s := range servers {
		there[s.VM], there[s.ID] = true, true
	}
	var left []Orphan
	for _, orphan := range found {
		if !there[orphan.VM] && !there[orphan.Server] {
			left = append(left, orphan)
		}
	}
	return left
}

func (p *Provider) portOrphans(ctx context.Context) ([]Orphan, error) {
	if p.network == nil {
		return nil, nil
	}
	marked, err := p.markedPorts(ctx, ports.ListOpts{})
	if err != nil {
		return nil, err
	}
	var found []Orphan
	for _, port := range marked {
		vm, _ := markedVM(port, p.settings.Pool)
		found = append(found, Orphan{Kind: OrphanPort, ID: port.ID, VM: vm, Server: port.DeviceID, Status: port.Status})
	}
	return found, nil
}

func (p *Provider) volumeOrphans(ctx context.Context) ([]Orphan, error) {
	if p.volumes == nil {
		return nil, nil
	}
	marked, err := p.markedVolumes(ctx, "")
	if err != nil {
		return nil, err
	}
	var found []Orphan
	for _, volume := range marked {
		orphan := Orphan{Kind: OrphanVolume, ID: volume.ID, VM: volume.Metadata[elasticpool.TagVM], Status: volume.Status}
		if len(volume.Attachments) > 0 {
			orphan.Server = volume.Attachments[0].ServerID
		}
		found = append(found, orphan)
	}
	return found, nil
}

// arqOrphans looks for ARQs of servers that this provider has seen go.
func (p *Provider) arqOrphans(ctx context.Context) ([]Orphan, error) {
	past := p.memory.past()
	if p.cyborg == nil || len(past) == 0 {
		return nil, nil
	}
	arqs, err := p.cyborg.ARQs(ctx, cyborgclient.ARQFilter{})
	if err != nil {
		return nil, err
	}
	var found []Orphan
	for _, arq := range arqs {
		if s, ours := past[arq.InstanceUUID]; ours {
			found = append(found, Orphan{Kind: OrphanARQ, ID: arq.UUID, VM: s.VM, Server: s.ID, Status: string(arq.State)})
		}
	}
	return found, nil
}
