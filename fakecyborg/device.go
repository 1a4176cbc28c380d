package fakecyborg

import (
	"strconv"
	"time"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// device is a card.
// It mirrors cyborg/objects/device.py:Device.
type device struct {
	driver.Device
	id       int
	uuid     string
	hostname string
	disabled bool
	created  time.Time
	updated  time.Time
	// card is what the seed says about it.
	card Device
}

// deviceWire is a device on the wire.
// It mirrors cyborg/api/controllers/v2/devices.py:Device.
type deviceWire struct {
	UUID            string  `json:"uuid"`
	Type            string  `json:"type"`
	Vendor          string  `json:"vendor"`
	Model           string  `json:"model"`
	StdBoardInfo    *string `json:"std_board_info"`
	VendorBoardInfo *string `json:"vendor_board_info"`
	Hostname        string  `json:"hostname"`
	// Status is shown from 2.3 on.
	Status    string  `json:"status,omitempty"`
	Links     []link  `json:"links"`
	CreatedAt *string `json:"created_at"`
	UpdatedAt *string `json:"updated_at"`
}

type deviceList struct {
	Devices []deviceWire `json:"devices"`
}

func (d device) wire(x *exchange) deviceWire {
	wire := deviceWire{
		UUID: d.uuid, Type: d.Type, Vendor: d.Vendor, Model: d.Model,
		StdBoardInfo: textOrNull(d.StdBoardInfo), VendorBoardInfo: textOrNull(d.VendorBoardInfo),
		Hostname:  d.hostname,
		Links:     []link{selfLink(x.base(), "devices", d.uuid)},
		CreatedAt: isoTime(d.created), UpdatedAt: isoTime(d.updated),
	}
	if x.version >= minorDeviceHasStatus {
		wire.Status = "enabled"
		if d.disabled {
			wire.Status = "maintaining"
		}
	}
	return wire
}

func textOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// listDevices returns copies in order.
func (s *store) listDevices(keep func(*device) bool) []device {
	s.mu.RLock()
	defer s.mu.RUnlock()
	found := []device{}
	for d := range s.devices.all {
		if keep(d) {
			found = append(found, *d)
		}
	}
	return found
}

// deviceColumns are those of the table devices.
var deviceColumns = columns[device]{
	"id":                func(d device) string { return numberText(d.id) },
	"uuid":              func(d device) string { return d.uuid },
	"type":              func(d device) string { return d.Type },
	"vendor":            func(d device) string { return d.Vendor },
	"model":             func(d device) string { return d.Model },
	"std_board_info":    func(d device) string { return d.StdBoardInfo },
	"vendor_board_info": func(d device) string { return d.VendorBoardInfo },
	"hostname":          func(d device) string { return d.hostname },
	"status":            func(d device) string { return strconv.FormatBool(d.disabled) },
	"created_at":        func(d device) string { return timeText(d.created) },
	"updated_at":        func(d device) string { return timeText(d.updated) },
}

// listDevices answers in order of ids; with any filter the newest come first.
func (x *exchange) listDevices() (any, error) {
	filter, err := x.readFilter()
	if err != nil {
		return nil, err
	}
	filtered := filter.given
	for _, name := range []string{"type", "vendor", "hostname"} {
		filtered = filtered || x.query[name] != ""
	}
	devices := x.server.store.listDevices(func(d *device) bool {
		return x.wants("type", d.Type) && x.wants("vendor", d.Vendor) && x.wants("hostname", d.hostname)
	})
	if filtered && !filter.given {
		filter.given, filter.sortKey = true, "created_at"
	}
	if devices, err = arrange(filter, devices, deviceColumns); err != nil {
		return nil, err
	}
	answer := deviceList{Devices: []deviceWire{}}
	for _, d := range devices {
		answer.Devices = append(answer.Devices, d.wire(x))
	}
	return answer, nil
}

// wants compares a value with the query parameter of that name, as the database does;
// an empty parameter is no filter.
func (x *exchange) wants(name, value string) bool {
	return x.query[name] == "" || sameKey(x.query[name]) == sameKey(value)
}

func (x *exchange) showDevice() (any, error) {
	x.server.store.mu.RLock()
	defer x.server.store.mu.RUnlock()
	d, err := x.server.store.findDevice(x.parameters["uuid"])
	if err != nil {
		return nil, err
	}
	return d.wire(x), nil
}

// findDevice returns a device; the caller holds the lock.
func (s *store) findDevice(uuid string) (*device, error) {
	d, ok := s.devices.get(uuid)
	if !ok {
		return nil, notFound("Device not found with uuid=%s", uuid)
	}
	return d, nil
}
