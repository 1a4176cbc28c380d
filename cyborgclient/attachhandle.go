package cyborgclient

import (
	"bytes"
	"encoding/json"
)

// HandleType says how a device is attached to an instance.
type HandleType string

// The types (openstack/cyborg: cyborg/common/constants.py, ATTACH_HANDLE_TYPES
// as far as drivers use them). "" is the type of an ARQ that is not Bound.
const (
	HandlePCI     HandleType = "PCI"
	HandleMDEV    HandleType = "MDEV"
	HandleTestPCI HandleType = "TEST_PCI" // the fake driver's: no device behind it
)

// AttachHandle is the device that an ARQ got.
type AttachHandle struct {
	Type HandleType
	// UUID is also the uuid of the mediated device for MDEV.
	UUID string
	// Info holds domain, bus, device and function as hexadecimal strings
	// without 0x, and more for some types: physical_network for network cards,
	// asked_type and vgpu_mark for MDEV. Cyborg's values are strings; numbers
	// of other sources are json.Number.
	Info map[string]any
}

// handleInfo reads numbers as they stand, not as floating-point numbers.
type handleInfo map[string]any

// UnmarshalJSON implements json.Unmarshaler.
func (i *handleInfo) UnmarshalJSON(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return decoder.Decode((*map[string]any)(i))
}
