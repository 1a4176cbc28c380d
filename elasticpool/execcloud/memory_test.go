package execcloud

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// memory is a cloud in memory.
type memory struct {
	mu      sync.Mutex
	servers map[string]elasticpool.Server
}

func newMemory() *memory { return &memory{servers: map[string]elasticpool.Server{}} }

func (m *memory) Servers(_ context.Context, pool string) ([]elasticpool.Server, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := slices.SortedFunc(maps.Values(m.servers), func(a, b elasticpool.Server) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	return slices.DeleteFunc(list, func(s elasticpool.Server) bool { return s.Pool != pool }), true, nil
}

func (*memory) Limits(context.Context) (elasticpool.Limits, error) {
	return elasticpool.Limits{Total: elasticpool.Resources{elasticpool.VMs: 2}}, nil
}

func (m *memory) Create(ctx context.Context, spec elasticpool.ServerSpec) (elasticpool.Server, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if spec.Class.Name == "slow" {
		<-ctx.Done()
		return elasticpool.Server{}, ctx.Err()
	}
	if len(m.servers) == 2 {
		return elasticpool.Server{}, &elasticpool.CloudError{Op: "create", Class: elasticpool.ErrQuota, Detail: "two are enough"}
	}
	made, _ := elasticpool.ServerOfTags(spec.Pool, spec.Tags())
	made.ID, made.Status = "id-"+spec.VM, elasticpool.ServerActive
	m.servers[made.ID] = made
	return made, nil
}

func (m *memory) Delete(_ context.Context, server elasticpool.Server) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.servers, server.ID)
	return nil
}

func (m *memory) Stop(_ context.Context, server elasticpool.Server) error {
	return m.set(server, elasticpool.ServerStopped)
}

func (m *memory) Start(_ context.Context, server elasticpool.Server) error {
	return m.set(server, elasticpool.ServerActive)
}

func (m *memory) set(server elasticpool.Server, status elasticpool.ServerStatus) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	server.Status = status
	m.servers[server.ID] = server
	return nil
}

func spec(vm string) elasticpool.ServerSpec {
	return elasticpool.ServerSpec{
		Pool: "farm", VM: vm, Name: elasticpool.ServerName("farm", vm), Queue: "juno", Generation: 3,
		Class: elasticpool.Class{Name: "cpu", UserData: "#cloud-config\n"},
	}
}
