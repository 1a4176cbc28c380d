package inputfile

import (
	"go.yaml.in/yaml/v3"

	"github.com/novacyborg/novacyborg/requestspec"
)

// Ports reads ports as Neutron describes them, in request order: {"ports": [{id, vnic_type, device_profile,
// resource_request}]}. A port may have the groups of its profile itself.
func Ports(file string, content []byte) ([]requestspec.Port, error) {
	var ports []requestspec.Port
	r := reader{file: file}
	err := r.read(content, fields{"ports": r.list(func(n *yaml.Node, at string) error {
		var port requestspec.Port
		defer func() { ports = append(ports, port) }()
		return r.objectAt(n, at, fields{
			"id":             r.text(&port.ID),
			"vnic_type":      r.text(&port.VNICType),
			"device_profile": r.text(&port.DeviceProfile),
			"groups":         r.groups(&port.Groups),
			"resource_request": func(n *yaml.Node, at string) error {
				port.ResourceRequest = &requestspec.PortResourceRequest{}
				return r.resourceRequest(n, at, port.ResourceRequest)
			},
		})
	})})
	return ports, err
}

func (r reader) resourceRequest(n *yaml.Node, at string, into *requestspec.PortResourceRequest) error {
	return r.objectAt(n, at, fields{
		"resources":    r.amounts(&into.Resources),
		"required":     r.words(&into.Required),
		"same_subtree": r.words(&into.SameSubtree),
		"request_groups": r.list(func(n *yaml.Node, at string) error {
			var group requestspec.PortRequestGroup
			defer func() { into.RequestGroups = append(into.RequestGroups, group) }()
			return r.objectAt(n, at, fields{
				"id": r.text(&group.ID), "resources": r.amounts(&group.Resources), "required": r.words(&group.Required),
			})
		}),
	})
}

// amounts takes any classes, each with a scalar.
func (r reader) amounts(into *requestspec.ResourceAmounts) field {
	return func(n *yaml.Node, at string) error {
		*into = requestspec.ResourceAmounts{}
		return r.pairs(n, at, func(class string, value *yaml.Node, at string) error {
			var amount any
			err := r.scalar(&amount)(value, at)
			(*into)[class] = amount
			return err
		})
	}
}

// words takes a list of texts.
func (r reader) words(into *[]string) field {
	return r.list(func(n *yaml.Node, at string) error {
		var word string
		err := r.text(&word)(n, at)
		*into = append(*into, word)
		return err
	})
}
