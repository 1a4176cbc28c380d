package inventory_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	"github.com/novacyborg/novacyborg/fakecyborg/driver/inventory"
)

// checkParsed wants places in errors, and each function to be in one card that
// can be described, or ignored with a reason.
func checkParsed(t *testing.T, functions []inventory.Function, err error) {
	t.Helper()
	if err != nil {
		if _, ok := errors.AsType[*inventory.Error](err); !ok && !strings.Contains(err.Error(), "after line") {
			t.Fatalf("no place: %v", err)
		}
		return
	}
	found, err := inventory.Cards(functions, inventory.Rules{Passthrough: []inventory.Passthrough{{Vendor: "8086", Product: "154c"}}})
	if err != nil {
		t.Fatal(err)
	}
	owners := make(map[string]bool)
	for _, card := range found.Cards {
		kind, err := driver.Named(card.Driver)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := kind.Describe("h", card.Card); err != nil {
			t.Fatal(err)
		}
		for _, address := range card.Functions {
			if owners[address] {
				t.Fatalf("%s is in two cards", address)
			}
			owners[address] = true
		}
	}
	for _, ignored := range found.Ignored {
		if owners[ignored.Function.Address] || ignored.Reason == "" {
			t.Fatalf("ignored %+v", ignored)
		}
		owners[ignored.Function.Address] = true
	}
	for _, f := range functions {
		if !owners[f.Address] {
			t.Fatalf("%s is lost", f.Address)
		}
	}
}

func FuzzParseLspci(f *testing.F) {
	f.Add(fleet)
	f.Add("0000:3d:00.0 0b40: 8086:37c8\n\tKernel driver in use: c6xx\nSlot:\t0000:af:00.0\nClass:\t0302\nVendor:\t10de\nDevice:\t1eb8\n")
	f.Add("15 0000:5d:00.0 0302 10de:2335 nvidia\n5d0505:01:00.0 0108\n")
	f.Fuzz(func(t *testing.T, text string) {
		functions, err := inventory.ParseLspci("f", strings.NewReader(text))
		checkParsed(t, functions, err)
	})
}

func FuzzParseListing(f *testing.F) {
	f.Add("/sys/bus/pci/devices/0000:3d:00.0/vendor:0x8086\ndevices/0000:3d:00.0/device:0x37c8\ndevices/0000:3d:00.0/class:0x0b4000\ndevices/0000:3d:00.0/virtfn0 -> ../0000:3d:01.0\n")
	f.Add("devices/0000:af:00.0/mdev_supported_types/nvidia-222/devices/x\ndevices/0000:af:00.0/uevent:DRIVER=x\n")
	f.Fuzz(func(t *testing.T, text string) {
		functions, err := inventory.ParseListing("f", strings.NewReader(text))
		checkParsed(t, functions, err)
	})
}
