package fakecyborg

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	faults "github.com/novacyborg/novacyborg/fakecyborg/fault"
)

// Seed is the present state as a seed: hosts with the devices that they have now,
// device profiles, accelerator requests, images and rules of faults; also which
// devices are broken or have vanished, what was loaded into them, and the
// attributes that were made through the API. Not in it are devices of [WithDriver], cards that no
// report has found yet, attributes deleted through the API, requests that
// cannot be read, and ids of devices and attach handles.
func (s *Server) Seed() Seed {
	s.store.mu.RLock()
	defer s.store.mu.RUnlock()
	seed := Seed{DeviceProfiles: s.store.seedProfiles(), ARQs: s.store.seedARQs(), Images: s.store.images}
	for _, host := range s.store.hosts {
		host.Devices = s.store.seedDevices(host.Name)
		seed.Hosts = append(seed.Hosts, host)
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
		if card := s.cardNow(d); d.hostname == host && card.Driver != "" {
			list = append(list, card)
		}
	}
	return list
}

// cardNow is a device as a seed says it, as it is now; without a driver for one
// that no seed can have.
func (s *store) cardNow(d *device) Device {
	card := d.card
	if card.Driver == "" {
		return card
	}
	card.Disabled, card.Broken, card.Vanished, card.Bitstream, card.Attributes = d.disabled, false, true, "", nil
	if machine, ok := s.machines[d.hostname]; ok {
		if slot, err := machine.Slot(d.ControlPath); err == nil {
			card.Driver, card.Card, card.Broken, card.Vanished = slot.Kind, slot.Card, slot.Broken, false
		}
	}
	for i, place := range s.partsOf(d) {
		card.Bitstream = cmp.Or(card.Bitstream, valueOf(place.bitstream))
		for a := range s.attributes.all {
			if a.deployableID == place.id && a.made {
				card.Attributes = append(card.Attributes, Attribute{Deployable: i + 1, Key: a.key, Value: a.value})
			}
		}
	}
	return card
}

func (s *store) seedProfiles() []DeviceProfile {
	var list []DeviceProfile
	for p := range s.profiles.all {
		profile := DeviceProfile{Name: p.name, UUID: p.uuid, Description: textOf(p.description)}
		for _, group := range p.groups {
			var properties Group
			for _, key := range group.keys {
				value, known := group.values[key].(string)
				properties = append(properties, Property{Key: key, Value: value, Null: !known})
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
	root.add("images", imageNodes(s.Images))
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

func (m *mapping) flag(key string, value bool) {
	if value {
		m.add(key, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"})
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
	if h.ProgrammingTime != 0 {
		m.text("programming_time", h.ProgrammingTime.String())
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
	m.flag("disabled", d.Disabled)
	m.flag("broken", d.Broken)
	m.flag("vanished", d.Vanished)
	m.text("bitstream_id", d.Bitstream)
	m.add("attributes", listOf(d.Attributes, Attribute.node))
	return m.node()
}

func (a Attribute) node() *yaml.Node {
	m := &mapping{}
	m.number("deployable", a.Deployable)
	m.text("key", a.Key)
	m.text("value", a.Value)
	return m.node()
}

// imageNodes tells an image service without images from none.
func imageNodes(images driver.Images) *yaml.Node {
	if images == nil {
		return nil
	}
	return cmp.Or(listOf(images, imageNode), &yaml.Node{Kind: yaml.SequenceNode})
}

func imageNode(image driver.Image) *yaml.Node {
	m := &mapping{}
	m.text("id", image.ID)
	m.text("function_id", image.FunctionID)
	m.text("region_id", image.RegionID)
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
		if property.Null {
			m.add(property.Key, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"})
			continue
		}
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
