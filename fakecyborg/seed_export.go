package fakecyborg

import (
	"fmt"
	"net/http"
	"strconv"

	"go.yaml.in/yaml/v3"

	faults "github.com/novacyborg/novacyborg/fakecyborg/fault"
)

// Seed is the present state as a seed: hosts with the devices that they have now,
// device profiles, accelerator requests and rules of faults. What attributes were
// made or deleted through the API, and what was loaded into devices, is not in it.
func (s *Server) Seed() Seed {
	s.origin.Lock()
	hosts := s.origin.seed.Hosts
	s.origin.Unlock()
	s.store.mu.RLock()
	defer s.store.mu.RUnlock()
	seed := Seed{DeviceProfiles: s.store.seedProfiles(), ARQs: s.store.seedARQs()}
	for _, host := range hosts {
		seed.Hosts = append(seed.Hosts, Host{Name: host.Name, ComputeNode: host.ComputeNode, Devices: s.store.seedDevices(host.Name)})
	}
	for _, rule := range s.faults.Counts() {
		seed.Faults = append(seed.Faults, rule.Rule)
	}
	return seed
}

// seedDevices needs the lock, as does seedProfiles.
func (s *store) seedDevices(host string) []Device {
	var list []Device
	for d := range s.devices.all {
		if d.hostname == host {
			card := d.card
			card.Disabled = d.disabled
			list = append(list, card)
		}
	}
	return list
}

func (s *store) seedProfiles() []DeviceProfile {
	var list []DeviceProfile
	for p := range s.profiles.all {
		profile := DeviceProfile{Name: p.name, UUID: p.uuid, Description: textOf(p.description)}
		for _, group := range p.groups {
			var properties Group
			for _, key := range group.keys {
				value, _ := group.values[key].(string)
				properties = append(properties, Property{Key: key, Value: value})
			}
			profile.Groups = append(profile.Groups, properties)
		}
		list = append(list, profile)
	}
	return list
}

// MarshalYAML writes the form that [WithSeedFile] reads, without what is empty.
func (s Seed) MarshalYAML() (any, error) {
	root := &mapping{}
	root.add("hosts", listOf(s.Hosts, Host.node))
	root.add("device_profiles", listOf(s.DeviceProfiles, DeviceProfile.node))
	root.add("accelerator_requests", listOf(s.ARQs, ARQ.node))
	rules, err := faultNodes(s.Faults)
	root.add("faults", rules)
	return root.node(), err
}

// mapping is a YAML object in the making.
type mapping struct{ content []*yaml.Node }

func (m *mapping) node() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode, Content: m.content} }

// add leaves out a nil value.
func (m *mapping) add(key string, value *yaml.Node) {
	if value != nil {
		m.content = append(m.content, textNode(key), value)
	}
}

func (m *mapping) text(key, value string) {
	if value != "" {
		m.add(key, textNode(value))
	}
}

func (m *mapping) number(key string, value int) {
	if value != 0 {
		m.add(key, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(value)})
	}
}

func textNode(text string) *yaml.Node {
	node := &yaml.Node{}
	node.SetString(text)
	return node
}

func listOf[T any](list []T, node func(T) *yaml.Node) *yaml.Node {
	if len(list) == 0 {
		return nil
	}
	sequence := &yaml.Node{Kind: yaml.SequenceNode}
	for _, element := range list {
		sequence.Content = append(sequence.Content, node(element))
	}
	return sequence
}

func (h Host) node() *yaml.Node {
	m := &mapping{}
	m.add("name", textNode(h.Name))
	if node := h.ComputeNode; node != nil {
		below := &mapping{}
		below.text("uuid", node.UUID)
		below.number("vcpus", node.VCPUs)
		below.number("memory_mb", node.MemoryMB)
		below.number("disk_gb", node.DiskGB)
		m.add("compute_node", below.node())
	}
	m.add("devices", listOf(h.Devices, Device.node))
	return m.node()
}

func (d Device) node() *yaml.Node {
	m := &mapping{}
	m.text("driver", d.Driver)
	for _, key := range d.keys() {
		switch value := key.value.(type) {
		case *string:
			m.text(key.name, *value)
		case *int:
			m.number(key.name, *value)
		case *[]string:
			m.add(key.name, listOf(*value, textNode))
		}
	}
	if d.Disabled {
		m.add("disabled", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"})
	}
	return m.node()
}

func (p DeviceProfile) node() *yaml.Node {
	m := &mapping{}
	m.text("name", p.Name)
	m.text("uuid", p.UUID)
	m.text("description", p.Description)
	m.add("groups", listOf(p.Groups, Group.node))
	return m.node()
}

func (g Group) node() *yaml.Node {
	m := &mapping{}
	for _, property := range g {
		m.add(property.Key, textNode(property.Value))
	}
	return m.node()
}

func (a ARQ) node() *yaml.Node {
	m := &mapping{}
	m.text("uuid", a.UUID)
	m.text("device_profile", a.DeviceProfile)
	m.number("group", a.Group)
	m.text("state", a.State)
	m.text("hostname", a.Hostname)
	m.text("device_rp_uuid", a.DeviceRP)
	m.text("instance_uuid", a.Instance)
	m.text("project_id", a.Project)
	m.number("attach_handle", a.Handle)
	return m.node()
}

// faultNodes takes the JSON form of rules, which is YAML.
func faultNodes(rules []faults.Rule) (*yaml.Node, error) {
	if len(rules) == 0 {
		return nil, nil
	}
	sequence := &yaml.Node{Kind: yaml.SequenceNode}
	for _, rule := range rules {
		text, err := rule.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("rule %s: %w", rule.Name, err)
		}
		var document yaml.Node
		if err := yaml.Unmarshal(text, &document); err != nil {
			return nil, fmt.Errorf("rule %s: %w", rule.Name, err)
		}
		sequence.Content = append(sequence.Content, document.Content[0])
	}
	return sequence, nil
}

func (c *controlCall) exportSeed() controlAnswer {
	text, err := yaml.Marshal(c.server.Seed())
	if err != nil {
		return refuseControl(http.StatusInternalServerError, "", err)
	}
	return controlAnswer{status: http.StatusOK, contentType: "application/yaml", body: text}
}
