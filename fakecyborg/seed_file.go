package fakecyborg

import (
	"errors"
	"fmt"
	"maps"

	"go.yaml.in/yaml/v3"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	faults "github.com/novacyborg/novacyborg/fakecyborg/fault"
)

// parseSeed reads a seed. The second result turns a path of keys into file, line
// and path. Other files that the seed names are relative to dir; when that is
// empty it may name none.
func parseSeed(file string, data []byte, dir string) (Seed, func(string) string, error) {
	r := newSeedReader(file, len(data))
	r.dir = dir
	root, err := readDocument(file, data)
	if err != nil || root == nil {
		return Seed{}, r.place, err
	}
	var seed Seed
	err = r.mapping(root, "", map[string]field{
		"hosts":                r.list(func(n *yaml.Node, at string) error { return grow(&seed.Hosts, n, at, r.host) }),
		"device_profiles":      r.list(func(n *yaml.Node, at string) error { return grow(&seed.DeviceProfiles, n, at, r.profile) }),
		"accelerator_requests": r.list(func(n *yaml.Node, at string) error { return grow(&seed.ARQs, n, at, r.arq) }),
		"images": func(n *yaml.Node, at string) error {
			seed.Images = driver.Images{}
			return r.list(func(n *yaml.Node, at string) error { return grow((*[]driver.Image)(&seed.Images), n, at, r.image) })(n, at)
		},
		"faults": func(n *yaml.Node, at string) error { return r.faults(n, at, &seed.Faults) },
	})
	return seed, r.place, err
}

// grow appends what read makes of a node.
func grow[T any](list *[]T, n *yaml.Node, at string, read func(*yaml.Node, string, *T) error) error {
	var element T
	if err := read(n, at, &element); err != nil {
		return err
	}
	*list = append(*list, element)
	return nil
}

// host puts the cards of a real machine behind the devices that are listed.
func (r *seedReader) host(n *yaml.Node, at string, host *Host) error {
	var real realMachine
	fields := map[string]field{
		"name": r.text(&host.Name),
		"compute_node": func(n *yaml.Node, at string) error {
			host.ComputeNode = &ComputeNode{}
			return r.computeNode(n, at, host.ComputeNode)
		},
		"programming_time": r.duration(&host.ProgrammingTime),
		"devices":          r.list(func(n *yaml.Node, at string) error { return grow(&host.Devices, n, at, r.device) }),
	}
	maps.Copy(fields, r.realMachine(&real))
	if err := r.mapping(n, at, fields); err != nil {
		return err
	}
	cards, err := real.cards(r)
	host.Devices = append(host.Devices, cards...)
	return err
}

func (r *seedReader) image(n *yaml.Node, at string, image *driver.Image) error {
	return r.mapping(n, at, map[string]field{
		"id":          r.text(&image.ID),
		"function_id": r.text(&image.FunctionID),
		"region_id":   r.text(&image.RegionID),
	})
}

func (r *seedReader) attribute(n *yaml.Node, at string, attribute *Attribute) error {
	err := r.mapping(n, at, map[string]field{
		"deployable": r.number(&attribute.Deployable),
		"key":        r.text(&attribute.Key),
		"value":      r.text(&attribute.Value),
	})
	if err == nil && !r.has(at+".key") {
		err = r.fail(n, at+".key", "an attribute needs a key")
	}
	return err
}

func (r *seedReader) computeNode(n *yaml.Node, at string, node *ComputeNode) error {
	return r.mapping(n, at, map[string]field{
		"uuid":      r.text(&node.UUID),
		"vcpus":     r.number(&node.VCPUs),
		"memory_mb": r.number(&node.MemoryMB),
		"disk_gb":   r.number(&node.DiskGB),
	})
}

func (r *seedReader) device(n *yaml.Node, at string, device *Device) error {
	fields := r.cardFields(device)
	fields["disabled"], fields["broken"], fields["vanished"] = r.flag(&device.Disabled), r.flag(&device.Broken), r.flag(&device.Vanished)
	fields["bitstream_id"] = r.text(&device.Bitstream)
	fields["attributes"] = r.list(func(n *yaml.Node, at string) error { return grow(&device.Attributes, n, at, r.attribute) })
	return r.mapping(n, at, fields)
}

// cardKey is a key of a card in seeds, with its value: *string, *int or *[]string.
type cardKey struct {
	name  string
	value any
}

// keys are the keys of a card, in the order in which they are written.
func (d *Device) keys() []cardKey {
	c := &d.Card
	return []cardKey{
		{"address", &c.Address},
		{"vendor_id", &c.VendorID},
		{"product_id", &c.ProductID},
		{"model", &c.Model},
		{"controller", &c.Controller},
		{"function_id", &c.FunctionID},
		{"region_id", &c.RegionID},
		{"vfs", &c.VFs},
		{"vf_addresses", &c.VFAddresses},
		{"user_address", &c.UserAddress},
		{"physical_network", &c.PhysicalNetwork},
		{"function_name", &c.FunctionName},
		{"vgpu_type", &c.VGPUType},
		{"vgpu_name", &c.VGPUName},
		{"vgpus", &c.VGPUs},
		{"resource_class", &c.ResourceClass},
	}
}

func (r *seedReader) arq(n *yaml.Node, at string, a *ARQ) error {
	err := r.mapping(n, at, map[string]field{
		"uuid":           r.text(&a.UUID),
		"device_profile": r.text(&a.DeviceProfile),
		"group":          r.number(&a.Group),
		"state":          r.text(&a.State),
		"hostname":       r.text(&a.Hostname),
		"device_rp_uuid": r.text(&a.DeviceRP),
		"instance_uuid":  r.text(&a.Instance),
		"project_id":     r.text(&a.Project),
		"attach_handle":  r.number(&a.Handle),
	})
	if err != nil || !arqState(a.State).hasTarget() {
		return err
	}
	for _, member := range a.targets() {
		if !r.has(at + "." + member.name) {
			return r.fail(n, at+"."+member.name, "a request in state %s has one", a.State)
		}
	}
	return nil
}

// faults leaves the rules to their own package.
func (r *seedReader) faults(n *yaml.Node, at string, rules *[]faults.Rule) error {
	for i, element := range n.Content {
		r.lines[fmt.Sprintf("%s[%d]", at, i)] = element.Line
	}
	read, err := faults.ReadNode(r.file, n, at)
	if wrong, ok := errors.AsType[*faults.Error](err); ok {
		return &SeedError{Place: wrong.Place, Err: wrong.Err}
	}
	*rules = read
	return err
}

func (r *seedReader) profile(n *yaml.Node, at string, profile *DeviceProfile) error {
	return r.mapping(n, at, map[string]field{
		"name":        r.text(&profile.Name),
		"uuid":        r.text(&profile.UUID),
		"description": r.text(&profile.Description),
		"groups":      r.list(func(n *yaml.Node, at string) error { return grow(&profile.Groups, n, at, r.group) }),
	})
}

// group takes any key; what it may be is checked when the profile is stored.
func (r *seedReader) group(n *yaml.Node, at string, group *Group) error {
	return r.pairs(n, at, func(key string, value *yaml.Node, at string) error {
		property := Property{Key: key}
		if property.Null = value.Kind == yaml.ScalarNode && value.Tag == "!!null"; !property.Null {
			if err := r.text(&property.Value)(value, at); err != nil {
				return err
			}
		}
		*group = append(*group, property)
		return nil
	})
}
