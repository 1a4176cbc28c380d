package computetest

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"
)

// Instance is a server.
type Instance struct {
	ID, Name, Status, Task string
	Metadata               map[string]string
	Fault                  string
	Flavor                 Flavor
	Host, Zone             string
	Networks               []string // ids
	Ports                  []string // ids of ports that it was given
	Volumes                []string // ids of volumes that go with it
	UserData               string   // as sent, base64
	Created                time.Time

	ready, ends time.Time // when it leaves BUILD, and the cloud
}

// AddServer puts a server into the project, as if somebody else had made it. What is zero is filled in: it is ACTIVE and
// of the first flavor.
func (s *Server) AddServer(instance Instance) string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	instance.ID = cmp.Or(instance.ID, uuid.NewString())
	instance.Status = cmp.Or(instance.Status, "ACTIVE")
	if instance.Flavor.ID == "" {
		instance.Flavor = s.flavors[0]
	}
	if instance.Metadata == nil {
		instance.Metadata = map[string]string{}
	}
	if instance.Created.IsZero() {
		instance.Created = time.Now()
	}
	s.instances = append(s.instances, &instance)
	return instance.ID
}

// Servers returns all servers as they are, in the order in which they were made.
func (s *Server) Servers() []Instance {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.pass()
	all := make([]Instance, len(s.instances))
	for i, instance := range s.instances {
		all[i] = *instance
	}
	return all
}

// Change changes a server.
func (s *Server) Change(id string, change func(*Instance)) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if instance := s.instance(id); instance != nil {
		change(instance)
	}
}

// Remove takes a server away at once, as an operator does behind the API.
func (s *Server) Remove(id string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.instances = slices.DeleteFunc(s.instances, func(i *Instance) bool { return i.ID == id })
}

// BreakBuild lets the next server end in ERROR with that fault.
func (s *Server) BreakBuild(fault string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.broken = append(s.broken, fault)
}

// StickDeletes lets servers in deletion stay so until they are deleted by force.
func (s *Server) StickDeletes(stuck bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.stuck = stuck
}

// CellDown hides all that Nova's API does not know without the servers' cell.
func (s *Server) CellDown(down bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.cellDown = down
}

// SetQuota changes the quota.
func (s *Server) SetQuota(quota Quota) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.quota = quota
}

func (s *Server) instance(id string) *Instance {
	s.pass()
	for _, instance := range s.instances {
		if instance.ID == id {
			return instance
		}
	}
	return nil
}

// pass lets happen what the time has brought: builds and deletions that are over.
func (s *Server) pass() {
	now := time.Now()
	s.instances = slices.DeleteFunc(s.instances, func(i *Instance) bool {
		if i.ends.IsZero() || now.Before(i.ends) {
			return false
		}
		s.release(i)
		return true
	})
	for _, instance := range s.instances {
		if instance.Status == "BUILD" && !now.Before(instance.ready) {
			settle(instance)
		}
	}
}

// settle ends a build.
func settle(instance *Instance) {
	instance.Status, instance.Task = "ACTIVE", ""
	if instance.Fault != "" {
		instance.Status, instance.Host = "ERROR", ""
	}
}

// release gives back what a server had. Ports that it was given only lose it.
func (s *Server) release(instance *Instance) {
	for _, port := range s.ports {
		if port.DeviceID == instance.ID {
			port.DeviceID = ""
		}
	}
	if s.leaves {
		for _, volume := range s.volumes {
			if slices.Contains(instance.Volumes, volume.ID) {
				volume.Status = "available"
			}
		}
		return
	}
	s.volumes = slices.DeleteFunc(s.volumes, func(v *Volume) bool { return slices.Contains(instance.Volumes, v.ID) })
}
