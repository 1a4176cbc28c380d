package pciowner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
)

// oneTimeUse is the tag of devices that nobody gets a second time unseen (Nova
// 2025.2 and later).
const oneTimeUse = "one_time_use"

// DeviceSpec is one entry of a PCI list (nova/pci/devspec.py, PciDeviceSpec).
type DeviceSpec struct {
	// File and Line are where the option that holds the entry begins, Option is
	// its name: "[pci]device_spec".
	File   string
	Line   int
	Option string
	// VendorID and ProductID are 4 hexadecimal digits, or "*" for any.
	VendorID, ProductID string
	// Address is what the entry says about addresses: a glob, or a JSON object of
	// regular expressions; "" for any.
	Address string
	// Devname is the interface that the entry names, "" when it names none.
	Devname string
	// Tags are all other keys, such as physical_network, which may be null.
	// managed, live_migratable and one_time_use are "true" or "false".
	Tags map[string]any
	// RemoteManaged says that only devices whose card has a serial number match.
	RemoteManaged bool

	address *addressPattern // nil: the interface is not on the host
}

// Matches says whether the entry is for the device.
func (s DeviceSpec) Matches(d Device) bool {
	return s.address != nil && !d.wide() &&
		(s.VendorID == anything || s.VendorID == d.Vendor) &&
		(s.ProductID == anything || s.ProductID == d.Product) &&
		s.address.matches(d) &&
		(!s.RemoteManaged || d.Serial != "")
}

// Tag is a tag's value as text, "" when it is not there or null.
func (s DeviceSpec) Tag(name string) string {
	if s.Tags[name] == nil {
		return ""
	}
	return fmt.Sprint(s.Tags[name])
}

// parseSpecs reads the values of a list option. All faulty ones are reported.
func parseSpecs(values []value, h host) ([]DeviceSpec, error) {
	var specs []DeviceSpec
	var faults []error
	for _, v := range values {
		entries, bad := entriesOf(v.text)
		if bad != nil {
			faults = append(faults, v.fail(bad))
		}
		for _, entry := range entries {
			spec, bad := h.spec(entry)
			if bad != nil {
				faults = append(faults, v.fail(bad))
				continue
			}
			spec.File, spec.Line, spec.Option = v.file, v.line, v.option.String()
			specs = append(specs, *spec)
		}
	}
	return specs, errors.Join(faults...)
}

// entriesOf reads a JSON object, or a list of them (nova/pci/whitelist.py).
func entriesOf(text string) ([]map[string]any, *fault) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var content any
	err := decoder.Decode(&content)
	if _, more := decoder.Token(); err == nil && !errors.Is(more, io.EOF) {
		err = errors.New("there is more after the value")
	}
	if err != nil {
		return nil, faultf(ErrSpec, "entry %q is no JSON: %v", text, err)
	}
	list, ok := content.([]any)
	if object, is := content.(map[string]any); is {
		list, ok = []any{object}, true
	}
	if !ok {
		return nil, faultf(ErrSpec, "entry %s: want an object or a list of them", text)
	}
	entries := make([]map[string]any, len(list))
	for i, item := range list {
		if entries[i], ok = item.(map[string]any); !ok {
			return nil, faultf(ErrSpec, "entry %s: want an object", jsonText(item))
		}
	}
	return entries, nil
}

// host is what Nova asks the machine while it reads its list.
type host struct {
	byAddress, byInterface map[string]Device
	withVFs                map[string]bool // addresses of devices whose virtual functions are there
	cyborg                 bool            // read as Cyborg does, which knows no tags
}

func newHost(devices []Device) host {
	h := host{byAddress: make(map[string]Device), byInterface: make(map[string]Device), withVFs: make(map[string]bool)}
	for _, d := range devices {
		h.byAddress[d.Address] = d
		h.withVFs[d.Parent] = true
		for _, name := range d.Interfaces {
			h.byInterface[name] = d
		}
	}
	return h
}

func (h host) spec(entry map[string]any) (*DeviceSpec, *fault) {
	s := &DeviceSpec{Tags: maps.Clone(entry)}
	for _, key := range []string{"vendor_id", "product_id", "devname", "address"} {
		delete(s.Tags, key)
	}
	var bad *fault
	if s.VendorID, bad = identifier(entry, "vendor_id"); bad != nil {
		return nil, bad
	}
	if s.ProductID, bad = identifier(entry, "product_id"); bad != nil {
		return nil, bad
	}
	if bad = h.place(s, entry["devname"], entry["address"]); bad != nil {
		return nil, bad
	}
	if h.cyborg {
		return s, nil
	}
	s.RemoteManaged = flagOf(s.Tags["remote_managed"]) == "true"
	for _, tag := range []string{"managed", "live_migratable", oneTimeUse} {
		item := s.Tags[tag]
		if item == nil {
			continue
		}
		if s.Tags[tag] = flagOf(item); s.Tags[tag] == "" {
			return nil, faultf(ErrSpec, "cannot parse tag %q: %s is neither true nor false", tag, jsonText(item))
		}
	}
	return s, h.checkRemote(s)
}

// place reads which devices an entry is for by their place.
func (h host) place(s *DeviceSpec, devname, address any) *fault {
	if !falsy(devname) {
		s.Devname = pythonText(devname)
	}
	if !falsy(address) {
		text, ok := address.(string)
		if !ok {
			text = jsonText(address)
		}
		s.Address = text
	}
	if s.Devname != "" && s.Address != "" {
		return faultf(ErrDevname, "devname %q and address %s", s.Devname, jsonText(address))
	}
	var bad *fault
	s.address, bad = h.pattern(s.Devname, address)
	return bad
}

// identifier reads a vendor's or product's number. Nova strips the blanks of the
// first only, which makes a difference for "*".
func identifier(entry map[string]any, key string) (string, *fault) {
	item, given := entry[key]
	if !given {
		return anything, nil
	}
	text, ok := item.(string)
	if !ok {
		return "", faultf(ErrType, "%s must be a string of hexadecimal digits, got %s", key, jsonText(item))
	}
	if key == "vendor_id" {
		text = strings.TrimFunc(text, pythonSpace)
	}
	return hexField(key, text, maxID, 4)
}

// pattern makes what an entry says about addresses (WhitelistPciAddress); nil
// when its interface is not there.
func (h host) pattern(devname string, address any) (*addressPattern, *fault) {
	if devname != "" {
		d, ok := h.byInterface[devname]
		if !ok || d.wide() {
			return nil, nil //nolint:nilnil // no pattern is a fact about the host and no fault
		}
		address = d.Address
	}
	if falsy(address) {
		address = "*:*:*.*"
	}
	var p *addressPattern
	var bad *fault
	switch form := address.(type) {
	case string:
		p, bad = glob(form)
	case map[string]any:
		p, bad = regular(form)
	default:
		return nil, faultf(ErrAddress, "want a text or an object, got %s", jsonText(address))
	}
	if bad != nil {
		return nil, bad
	}
	if one, ok := p.single(); ok {
		p.physical = h.byAddress[one].TotalVFs > 0
	}
	return p, nil
}

// checkRemote refuses remote_managed for what is not on the host and for
// physical functions. Nova compares the ids that the entry gives with those of
// the physical function, but only if the entry names an interface: for an
// address it looks for a device of a wrong name, and ends.
func (h host) checkRemote(s *DeviceSpec) *fault {
	switch {
	case !s.RemoteManaged || s.address != nil && !s.address.physical:
		return nil
	case s.address == nil:
		return faultf(ErrRemoteManaged, "there is no interface %s", s.Devname)
	case s.Devname == "":
		return faultf(ErrRemoteManaged, "the address is of a physical function; name its virtual functions")
	}
	return s.checkFunctionIDs(h.byInterface[s.Devname])
}

// checkFunctionIDs compares an entry with the virtual functions of a device.
func (s *DeviceSpec) checkFunctionIDs(d Device) *fault {
	vendor := s.VendorID == anything || s.VendorID == d.Vendor
	switch {
	case d.VFProduct == "":
		return faultf(ErrRemoteManaged, "device %s does not tell the product id of its virtual functions", d.Address)
	case vendor && s.ProductID == d.VFProduct:
		return nil
	case vendor && (s.ProductID == anything || s.ProductID == d.Product):
		return faultf(ErrRemoteManaged, "device %s is a physical function", d.Address)
	}
	return faultf(ErrSpec, "the ids %s:%s are not those of the virtual functions of device %s", s.VendorID, s.ProductID, d.Address)
}

// flagOf reads a flag the way of oslo.utils (bool_from_string): "true", "false"
// or, for what is neither, "".
func flagOf(item any) string {
	switch strings.ToLower(strings.TrimFunc(pythonText(item), pythonSpace)) {
	case "1", "t", "true", "on", "y", "yes":
		return "true"
	case "0", "f", "false", "off", "n", "no":
		return "false"
	}
	return ""
}

// pythonText is str() of the simple values of JSON.
func pythonText(item any) string {
	switch v := item.(type) {
	case nil:
		return "None"
	case bool:
		return map[bool]string{true: "True", false: "False"}[v]
	}
	return fmt.Sprint(item)
}

// falsy says that Python takes the value for no.
func falsy(item any) bool {
	switch v := item.(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return v == ""
	case json.Number:
		f, err := v.Float64()
		return err == nil && f == 0
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

func jsonText(item any) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(item) // it came from JSON
	return strings.TrimSpace(b.String())
}
