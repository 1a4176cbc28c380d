package pciowner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/novacyborg/novacyborg/internal/pci"
)

// Device is a PCI function of the host, as lspci -Dnn, sysfs or libvirt show it.
type Device struct {
	// Address is "0000:3b:00.0". Devices in domains above 0xffff keep theirs;
	// neither Nova nor Cyborg can hand them out.
	Address string `json:"address"`
	// Vendor and Product are the ids, 4 hexadecimal digits each, "" when unknown;
	// only entries for any id match then.
	Vendor  string `json:"vendor,omitempty"`
	Product string `json:"product,omitempty"`
	// Class is the class and subclass, 4 hexadecimal digits, "" when unknown.
	Class string `json:"class,omitempty"`
	// Model is the device in words.
	Model string `json:"model,omitempty"`
	// Parent is the address of the physical function that a virtual one belongs
	// to.
	Parent string `json:"parent,omitempty"`
	// TotalVFs is how many virtual functions the device can have (sriov_totalvfs).
	TotalVFs int `json:"total_vfs,omitempty"`
	// VFProduct is the product id that its virtual functions have
	// (sriov_vf_device).
	VFProduct string `json:"vf_product,omitempty"`
	// Interfaces are the names of its network interfaces.
	Interfaces []string `json:"interfaces,omitempty"`
	// Serial is the card's serial number in the vital product data.
	Serial string `json:"serial,omitempty"`
	// IOMMUGroup is the number of the group that can only be handed out as a
	// whole, "" when unknown.
	IOMMUGroup string `json:"iommu_group,omitempty"`
}

var (
	anyAddress = regexp.MustCompile(`^[0-9a-f]{4,8}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7]$`)
	fourDigits = regexp.MustCompile(`^(?:[0-9a-f]{4})?$`)
)

// normal is the device in lower case, with a domain.
func (d Device) normal() (Device, error) {
	for _, text := range []*string{&d.Address, &d.Parent} {
		if *text = strings.ToLower(*text); strings.Count(*text, ":") == 1 {
			*text = "0000:" + *text
		}
	}
	for _, text := range []*string{&d.Vendor, &d.Product, &d.VFProduct, &d.Class} {
		*text = strings.TrimPrefix(strings.ToLower(*text), "0x")
	}
	switch {
	case !anyAddress.MatchString(d.Address):
		return d, fmt.Errorf("device %q: the address is none of the form 0000:3b:00.0", d.Address)
	case d.Parent != "" && !anyAddress.MatchString(d.Parent):
		return d, fmt.Errorf("device %s: the parent %q is no address of the form 0000:3b:00.0", d.Address, d.Parent)
	case !fourDigits.MatchString(d.Vendor) || !fourDigits.MatchString(d.Product):
		return d, fmt.Errorf("device %s: vendor and product are 4 hexadecimal digits each, got %q and %q", d.Address, d.Vendor, d.Product)
	}
	return d, nil
}

// wide says that the domain does not fit into 16 bits.
func (d Device) wide() bool {
	_, err := pci.ParseAddress(d.Address)
	return errors.Is(err, pci.ErrWideDomain)
}

// Normalize checks devices and puts their addresses and ids into lower case; an
// address that is there twice is an error. [ParseNova], [ParseCyborg] and
// [Check] do it themselves.
func Normalize(devices []Device) ([]Device, error) {
	normal := make([]Device, len(devices))
	seen := make(map[string]bool, len(devices))
	var faults []error
	for i, d := range devices {
		var err error
		if normal[i], err = d.normal(); err != nil {
			faults = append(faults, err)
		} else if seen[normal[i].Address] {
			faults = append(faults, fmt.Errorf("device %s is listed twice", normal[i].Address))
		}
		seen[normal[i].Address] = true
	}
	return normal, errors.Join(faults...)
}

// ParseDevices reads a JSON list of devices with the keys of [Device]. Keys that
// it does not have are errors.
func ParseDevices(file string, text []byte) ([]Device, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var devices []Device
	err := decoder.Decode(&devices)
	if _, more := decoder.Token(); err == nil && !errors.Is(more, io.EOF) {
		err = errors.New("there is more after the list")
	}
	if err == nil {
		devices, err = Normalize(devices)
	}
	if err != nil {
		return nil, fmt.Errorf("%s:%d: list of devices: %w", file, 1+bytes.Count(text[:min(len(text), int(decoder.InputOffset()))], []byte("\n")), err)
	}
	return devices, nil
}
