package fakecyborg

import "go.yaml.in/yaml/v3"

// parseSeed reads a seed. The second result turns a path of keys into file, line
// and path.
func parseSeed(file string, data []byte) (Seed, func(string) string, error) {
	r := newSeedReader(file, len(data))
	root, err := readDocument(file, data)
	if err != nil || root == nil {
		return Seed{}, r.place, err
	}
	var seed Seed
	err = r.mapping(root, "", map[string]field{
		"hosts":           r.list(func(n *yaml.Node, at string) error { return grow(&seed.Hosts, n, at, r.host) }),
		"device_profiles": r.list(func(n *yaml.Node, at string) error { return grow(&seed.DeviceProfiles, n, at, r.profile) }),
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

func (r *seedReader) host(n *yaml.Node, at string, host *Host) error {
	return r.mapping(n, at, map[string]field{
		"name": r.text(&host.Name),
		"compute_node": func(n *yaml.Node, at string) error {
			host.ComputeNode = &ComputeNode{}
			return r.computeNode(n, at, host.ComputeNode)
		},
		"devices": r.list(func(n *yaml.Node, at string) error { return grow(&host.Devices, n, at, r.device) }),
	})
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
	return r.mapping(n, at, map[string]field{
		"driver":      r.text(&device.Driver),
		"address":     r.text(&device.Address),
		"product_id":  r.text(&device.ProductID),
		"model":       r.text(&device.Model),
		"function_id": r.text(&device.FunctionID),
		"region_id":   r.text(&device.RegionID),
		"vfs":         r.number(&device.VFs),
	})
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
		if err := r.text(&property.Value)(value, at); err != nil {
			return err
		}
		*group = append(*group, property)
		return nil
	})
}
