package requestspec

import (
	"bytes"
	"encoding/json"
)

// The VNIC types whose ports get a device from their own device profile
// (nova/network/model.py:VNIC_TYPES_ACCELERATOR).
const (
	vnicAccelerator         = "accelerator-direct"
	vnicAcceleratorPhysical = "accelerator-direct-physical"
)

// Port is a requested port as Neutron describes it.
type Port struct {
	ID       string `json:"id"`
	VNICType string `json:"vnic_type,omitempty"`
	// DeviceProfile names the port's device profile and Groups are its groups. They count for accelerator ports
	// only.
	DeviceProfile string         `json:"device_profile,omitempty"`
	Groups        []ProfileGroup `json:"groups,omitempty"`
	// ResourceRequest is what Neutron asks for on behalf of the port, for example bandwidth.
	ResourceRequest *PortResourceRequest `json:"resource_request,omitempty"`
}

// Accelerator reports whether the port gets a device from its device profile.
func (p Port) Accelerator() bool {
	return p.VNICType == vnicAccelerator || p.VNICType == vnicAcceleratorPhysical
}

// PortResourceRequest is Neutron's resource_request of a port, in either of its forms: one group
// (Resources and Required), whose suffix is the port's id, or several (RequestGroups and SameSubtree).
type PortResourceRequest struct {
	Resources     ResourceAmounts    `json:"resources,omitempty"`
	Required      []string           `json:"required,omitempty"`
	RequestGroups []PortRequestGroup `json:"request_groups,omitempty"`
	SameSubtree   []string           `json:"same_subtree,omitempty"`
}

// PortRequestGroup is one group of a port's resource request; its id becomes the suffix.
type PortRequestGroup struct {
	ID        string          `json:"id"`
	Resources ResourceAmounts `json:"resources,omitempty"`
	Required  []string        `json:"required,omitempty"`
}

// ResourceAmounts maps a resource class to its amount as JSON gives it. Neutron sends whole numbers. Nova converts
// whatever else stands there, as it does the amounts of a [Property]; strict mode refuses it.
type ResourceAmounts map[string]any

// UnmarshalJSON reads a JSON object. Numbers stay json.Number, so that no digit is lost.
func (a *ResourceAmounts) UnmarshalJSON(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	amounts := map[string]any{}
	if err := decoder.Decode(&amounts); err != nil {
		return err
	}
	*a = amounts
	return nil
}

// groups returns the request's groups in one form. An empty request has none.
func (r *PortResourceRequest) groups(portID string) []PortRequestGroup {
	switch {
	case r == nil:
		return nil
	case r.RequestGroups != nil || r.SameSubtree != nil:
		return r.RequestGroups
	case r.Resources == nil && r.Required == nil:
		return nil
	}
	return []PortRequestGroup{{ID: portID, Resources: r.Resources, Required: r.Required}}
}
