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
	// Status is "enabled" or "maintaining", and "" where the server has no
	// microversion 2.3.
	Status    string
	CreatedAt Timestamp
	UpdatedAt Timestamp
	// Raw is the object as Cyborg sent it.
	Raw json.RawMessage
}

type deviceWire struct {
	UUID            string    `json:"uuid"`
	Type            string    `json:"type"`
	Vendor          string    `json:"vendor"`
	Model           nullable  `json:"model"`
	StdBoardInfo    nullable  `json:"std_board_info"`
	VendorBoardInfo nullable  `json:"vendor_board_info"`
	Hostname        string    `json:"hostname"`
	Status          string    `json:"status,omitempty"`
	CreatedAt       Timestamp `json:"created_at"`
	UpdatedAt       Timestamp `json:"updated_at"`
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

// Devices lists the devices of all hosts. Many releases allow it to admins
// only (ErrForbidden).
func (c *Client) Devices(ctx context.Context) ([]Device, error) {
	return c.FindDevices(ctx, DeviceFilter{})
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
