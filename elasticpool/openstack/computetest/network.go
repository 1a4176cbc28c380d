package computetest

import (
	"net/http"
	"slices"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
)

// Port is a port of Neutron that was made by itself; those that Nova makes are only counted.
type Port struct {
	ID          string `json:"id"`
	NetworkID   string `json:"network_id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	DeviceID    string `json:"device_id"`
	ProjectID   string `json:"project_id"`
	Status      string `json:"status"`
	VNICType    string `json:"binding:vnic_type,omitempty"`
	Profile     string `json:"device_profile,omitempty"`
}

// AddPort puts a port into the cloud.
func (s *Server) AddPort(port Port) string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if port.ID == "" {
		port.ID = uuid.NewString()
	}
	if port.ProjectID == "" {
		port.ProjectID = Project
	}
	s.ports = append(s.ports, &port)
	return port.ID
}

// Ports returns the ports.
func (s *Server) Ports() []Port {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.pass()
	all := make([]Port, len(s.ports))
	for i, port := range s.ports {
		all[i] = *port
	}
	return all
}

// SetNetworks replaces the networks.
func (s *Server) SetNetworks(networks ...Network) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.networks = networks
}

// connect gives a server its networks.
func (s *Server) connect(instance *Instance, networks any) string {
	list, ok := networks.([]any)
	if !ok {
		return "" // auto or none
	}
	for _, nic := range list {
		wanted, _ := nic.(map[string]any)
		if id, _ := wanted["port"].(string); id != "" {
			at := slices.IndexFunc(s.ports, func(p *Port) bool { return p.ID == id })
			if at < 0 {
				return "Port id " + id + " could not be found."
			}
			s.ports[at].DeviceID = instance.ID
			instance.Ports = append(instance.Ports, id)
			instance.Networks = append(instance.Networks, s.ports[at].NetworkID)
			continue
		}
		id, _ := wanted["uuid"].(string)
		if !slices.ContainsFunc(s.networks, func(n Network) bool { return n.ID == id }) {
			return "Network " + id + " could not be found."
		}
		instance.Networks = append(instance.Networks, id)
	}
	return ""
}

func (s *Server) listNetworks(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	list := []map[string]any{}
	for _, network := range s.networks {
		if name := r.URL.Query().Get("name"); name == "" || name == network.Name {
			list = append(list, map[string]any{"id": network.ID, "name": network.Name, "status": "ACTIVE"})
		}
	}
	reply(w, http.StatusOK, map[string]any{"networks": list})
}

func (s *Server) listPorts(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.pass()
	query := r.URL.Query()
	list := []*Port{}
	for _, port := range s.ports {
		if d := query.Get("description"); d != "" && d != port.Description {
			continue
		}
		if p := query.Get("project_id"); p != "" && p != port.ProjectID {
			continue
		}
		list = append(list, port)
	}
	reply(w, http.StatusOK, map[string]any{"ports": list})
}

func (s *Server) createPort(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Port Port `json:"port"`
	}
	if !read(w, r, &request) {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.pass()
	port := request.Port
	at := slices.IndexFunc(s.networks, func(n Network) bool { return n.ID == port.NetworkID })
	switch {
	case at < 0:
		refuseNeutron(w, http.StatusNotFound, "NetworkNotFound", "Network "+port.NetworkID+" could not be found.")
		return
	case s.quota.Ports >= 0 && s.portsUsed() >= s.quota.Ports:
		refuseNeutron(w, http.StatusConflict, "OverQuota", "Quota exceeded for resources: ['port'].")
		return
	case s.addressesUsed(port.NetworkID) >= s.networks[at].Total:
		refuseNeutron(w, http.StatusConflict, "IpAddressGenerationFailure",
			"No more IP addresses available on network "+port.NetworkID+".")
		return
	}
	port.ID, port.ProjectID, port.Status = uuid.NewString(), Project, "DOWN"
	s.ports = append(s.ports, &port)
	reply(w, http.StatusCreated, map[string]any{"port": port})
}

// portsUsed counts ports of its own and those that Nova made.
func (s *Server) portsUsed() int {
	count := len(s.ports)
	for _, instance := range s.instances {
		count += len(instance.Networks) - len(instance.Ports)
	}
	return count
}

func (s *Server) addressesUsed(network string) int {
	count := 0
	for _, port := range s.ports {
		if port.NetworkID == network {
			count++
		}
	}
	for _, instance := range s.instances {
		for _, id := range instance.Networks[min(len(instance.Ports), len(instance.Networks)):] {
			if id == network {
				count++
			}
		}
	}
	return count
}

func (s *Server) deletePort(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	id := chi.URLParam(r, "id")
	before := len(s.ports)
	s.ports = slices.DeleteFunc(s.ports, func(p *Port) bool { return p.ID == id })
	if len(s.ports) == before {
		refuseNeutron(w, http.StatusNotFound, "PortNotFound", "Port "+id+" could not be found.")
		return
	}
	reply(w, http.StatusNoContent, nil)
}

func (s *Server) showPortQuota(w http.ResponseWriter, _ *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.pass()
	reply(w, http.StatusOK, map[string]any{"quota": map[string]any{
		"port": map[string]int{"limit": s.quota.Ports, "used": s.portsUsed(), "reserved": 0},
	}})
}

func (s *Server) showAddresses(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.pass()
	id := chi.URLParam(r, "id")
	at := slices.IndexFunc(s.networks, func(n Network) bool { return n.ID == id })
	if at < 0 || s.plain {
		// Neutron says the same of what is not there and of what may not be seen.
		refuseNeutron(w, http.StatusNotFound, "HTTPNotFound", "The resource could not be found.")
		return
	}
	reply(w, http.StatusOK, map[string]any{"network_ip_availability": map[string]any{
		"network_id": id, "network_name": s.networks[at].Name, "subnet_ip_availability": []map[string]any{
			{"ip_version": 4, "total_ips": s.networks[at].Total, "used_ips": s.addressesUsed(id)},
		},
	}})
}
