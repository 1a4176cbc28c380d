package driver

import (
	"strconv"
	"strings"
)

// fakeDriver is Cyborg's own test driver; a host has at most one of its
// devices. It reads no field of the card.
// It mirrors cyborg/accelerator/drivers/fake.py:FakeDriver.
type fakeDriver struct{}

// fakeAccelerators is how many handles the device has.
const fakeAccelerators = 16

func (fakeDriver) Discover(host string, card Card) (Device, error) {
	if err := card.refuse("fake", "address", "product_id", "model", "function_id", "region_id", "vfs"); err != nil {
		return Device{}, err
	}
	handles := make([]Handle, 0, fakeAccelerators)
	for i := 1; i <= fakeAccelerators; i++ {
		handles = append(handles, Handle{Type: "TEST_PCI", Info: []Pair{
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
			Attributes: []Pair{{Key: "traits1", Value: "CUSTOM_FAKE_DEVICE"}, {Key: "rc", Value: "FPGA"}},
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
