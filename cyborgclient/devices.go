package cyborgclient

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

// Device is a piece of hardware on a host (openstack/cyborg:
// cyborg/api/controllers/v2/devices.py).
type Device struct {
	UUID string
	// Type is GPU, FPGA, AICHIP, QAT, NIC or SSD.
	Type          string
	Vendor, Model string
	// StdBoardInfo and VendorBoardInfo are what the driver tells, often a JSON
	// document; "" for null.
	StdBoardInfo, VendorBoardInfo string
	Hostname                      string
	// Status is DeviceEnabled or DeviceMaintaining, and "" where the server has
	// no microversion 2.3.
	Status    DeviceStatus
	CreatedAt Timestamp
	UpdatedAt Timestamp
	// Raw is the object as Cyborg sent it.
	Raw json.RawMessage
}

// DeviceStatus says whether a device is in service.
type DeviceStatus string

// The states of a device (openstack/cyborg: cyborg/common/constants.py).
const (
	DeviceEnabled     DeviceStatus = "enabled"
	DeviceMaintaining DeviceStatus = "maintaining"
)

type deviceWire struct {
	UUID            string       `json:"uuid"`
	Type            string       `json:"type"`
	Vendor          string       `json:"vendor"`
	Model           nullable     `json:"model"`
	StdBoardInfo    nullable     `json:"std_board_info"`
	VendorBoardInfo nullable     `json:"vendor_board_info"`
	Hostname        string       `json:"hostname"`
	Status          DeviceStatus `json:"status,omitempty"`
	CreatedAt       Timestamp    `json:"created_at"`
	UpdatedAt       Timestamp    `json:"updated_at"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (d *Device) UnmarshalJSON(data []byte) error {
	var w deviceWire
	if err := json.Unmarshal(data, &w); err != nil {
		return &decodeError{"device", err}
	}
	*d = Device{
		UUID: w.UUID, Type: w.Type, Vendor: w.Vendor, Model: string(w.Model),
		StdBoardInfo: string(w.StdBoardInfo), VendorBoardInfo: string(w.VendorBoardInfo),
		Hostname: w.Hostname, Status: w.Status,
		CreatedAt: w.CreatedAt, UpdatedAt: w.UpdatedAt, Raw: slices.Clone(data),
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (d Device) MarshalJSON() ([]byte, error) { return keepRaw(d, d.Raw) }

func (d Device) wire() any {
	return deviceWire{
		d.UUID, d.Type, d.Vendor, nullable(d.Model), nullable(d.StdBoardInfo), nullable(d.VendorBoardInfo),
		d.Hostname, d.Status, d.CreatedAt, d.UpdatedAt,
	}
}

// deviceVersion is the version that shows a device's status, or none.
func (c *Client) deviceVersion(ctx context.Context, op string) (osapi.Microversion, error) {
	versions, err := c.knownVersions(ctx, op)
	return newest(versions, versionDeviceStatus), err
}

// newest is the wanted version where the server has it, or else none.
func newest(versions osapi.Versions, want osapi.Microversion) osapi.Microversion {
	if versions.Supports(want) {
		return want
	}
	return osapi.Microversion{}
}
