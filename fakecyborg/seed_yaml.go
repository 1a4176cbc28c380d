package fakecyborg

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	faults "github.com/novacyborg/novacyborg/fakecyborg/fault"
)

// text is the seed as YAML, which reads the same again, or the error of one that no
// YAML can hold.
func (s Seed) text() (string, error) {
	text, err := yaml.Marshal(s)
	if err != nil {
		return "", &SeedError{Place: "seed", Err: err}
	}
	read, _, err := parseSeed("seed as YAML", text, "")
	if err != nil {
		return "", err
	}
	again, err := yaml.Marshal(read)
	if err != nil || !bytes.Equal(text, again) {
		return "", &SeedError{Place: "seed", Err: errors.New("it has text that YAML cannot hold")}
	}
	return string(text), nil
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

// textNode is text in a form that reads the same again: what would be a block of
// lines, which yaml gets wrong when they begin with blanks, is in quotes.
func textNode(text string) *yaml.Node {
	node := &yaml.Node{}
	node.SetString(text)
	if node.Style == yaml.LiteralStyle {
		node.Style = yaml.DoubleQuotedStyle
	}
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
	m.add("key", textNode(a.Key))
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
	for _, member := range a.targets() {
		if text, ok := member.value.(*string); ok && arqState(a.State).hasTarget() {
			m.add(member.name, textNode(*text))
		}
	}
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
