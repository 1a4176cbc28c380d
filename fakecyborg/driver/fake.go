package driver

import (
	"strconv"
	"strings"

	"github.com/novacyborg/novacyborg/internal/pci"
)

// fakeAccelerators is how many handles the device has.
const fakeAccelerators = 16

// fakeKind is Cyborg's own test driver; a host has at most one of its devices.
// It mirrors cyborg/accelerator/drivers/fake.py:FakeDriver.
func fakeKind() Kind { return Kind{name: "fake", describe: describeFake} }

func describeFake(_ Kind, host string, _ Card, _ pci.Address) (Device, error) {
	handles := make([]Handle, 0, fakeAccelerators)
	for i := 1; i <= fakeAccelerators; i++ {
		handles = append(handles, Handle{Type: HandleTestPCI, Info: []Pair{
			{Key: "domain", Value: "0000"},
			{Key: "bus", Value: "0c"},
			{Key: "device", Value: strconv.Itoa(i / 8)},
			{Key: "function", Value: strconv.Itoa(i % 8)},
		}})
	}
	return Device{
		Type: "FPGA", Vendor: "0xABCD", Model: "miss model info",
		StdBoardInfo:    `{"device_id": "0xabcd", "class": "Fake class"}`,
		VendorBoardInfo: "fake_vendor_info",
		ControlPath:     "0000:0c:00.0",
		Deployables: []Deployable{{
			Name:       strings.Map(plainName, host) + "_FakeDevice",
			Driver:     "fake",
			Attributes: []Pair{{Key: "traits1", Value: "CUSTOM_FAKE_DEVICE"}, {Key: classKey, Value: "FPGA"}},
			Handles:    handles,
		}},
	}, nil
}

// plainName replaces what the driver does not leave in a deployable's name.
func plainName(r rune) rune {
	switch {
	case 'A' <= r && r <= 'Z', 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '_', r == '-':
		return r
	}
	return '_'
}
