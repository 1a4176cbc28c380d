package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strings"
)

// releases are the answers of Nova's releases, unchecked values and all.
var releases = map[string]func(hostdevCase) (answer, error){"2025.1": nova2025, "2026.2": nova2026}

// nova2025 is nova/virt/libvirt/driver.py, _get_guest_config and _guest_add_accel_pci_devices, of 31.0.0: all handles
// must be of type PCI, or none is used.
func nova2025(c hostdevCase) (answer, error) {
	byType, err := partition(c)
	if err != nil || len(byType) != 1 {
		return answer{}, err
	}
	return pciDevices(byType[`"PCI"`], c.VirtType)
}

// nova2026 is the same of 34.0.0: PCI handles, then mediated devices; others are left out one by one.
func nova2026(c hostdevCase) (answer, error) {
	byType, err := partition(c)
	if err != nil {
		return answer{}, err
	}
	a, err := pciDevices(byType[`"PCI"`], c.VirtType)
	if err != nil {
		return answer{}, err
	}
	for _, arq := range byType[`"MDEV"`] {
		created, err := mediated(arq)
		if err != nil {
			return answer{}, err
		}
		a.Mediated = append(a.Mediated, created)
		a.Devices = append(a.Devices, fmt.Sprintf(`<hostdev mode="subsystem" type="mdev" managed="no" model="vfio-pci">`+
			`<source><address uuid="%s"/></source></hostdev>`, escaped(created.UUID)))
	}
	return a, nil
}

// partition sorts ARQs by the type of their handle, as JSON has it.
func partition(c hostdevCase) (map[string][]json.RawMessage, error) {
	byType := make(map[string][]json.RawMessage)
	for _, arq := range c.ARQs {
		kind, err := field(arq, "attach_handle_type")
		if err != nil {
			return nil, err
		}
		byType[string(kind)] = append(byType[string(kind)], arq)
	}
	return byType, nil
}

func pciDevices(arqs []json.RawMessage, virtType string) (answer, error) {
	managed := "yes"
	if virtType == "parallels" {
		managed = "no"
	}
	var a answer
	for _, arq := range arqs {
		values, err := handleFields(arq)
		if err != nil {
			return answer{}, err
		}
		var attributes strings.Builder
		for i, name := range []string{"domain", "bus", "slot", "function"} {
			text, isText := values[i].(string)
			if !isText {
				return answer{}, refusal{codeBadField, fmt.Sprintf("%s is %v", name, values[i])}
			}
			if !strings.HasPrefix(text, "0x") {
				text = "0x" + text
			}
			fmt.Fprintf(&attributes, ` %s="%s"`, name, escaped(text))
		}
		a.Devices = append(a.Devices, fmt.Sprintf(`<hostdev mode="subsystem" type="pci" managed="%s">`+
			`<source><address%s/></source></hostdev>`, managed, attributes.String()))
	}
	return a, nil
}

// mediated is _guest_add_accel_mdev_devices: the parent's name is joined from the fields as they are.
func mediated(arq json.RawMessage) (createdMdev, error) {
	values, err := handleFields(arq)
	if err != nil {
		return createdMdev{}, err
	}
	info, err := field(arq, "attach_handle_info")
	if err != nil {
		return createdMdev{}, err
	}
	created := createdMdev{Parent: fmt.Sprintf("pci_%v_%v_%v_%v", values[0], values[1], values[2], values[3])}
	if created.Type, err = text(info, "asked_type"); err != nil {
		return createdMdev{}, err
	}
	created.UUID, err = text(arq, "attach_handle_uuid")
	return created, err
}

// handleFields reads domain, bus, device and function of the handle.
func handleFields(arq json.RawMessage) (values [4]any, err error) {
	info, err := field(arq, "attach_handle_info")
	if err != nil {
		return values, err
	}
	for i, name := range []string{"domain", "bus", "device", "function"} {
		raw, err := field(info, name)
		if err != nil {
			return values, err
		}
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		if err := decoder.Decode(&values[i]); err != nil {
			return values, refusal{codeBadField, err.Error()}
		}
	}
	return values, nil
}

// field looks a key up as Python does: what is no object is a bad field, a key that is not there a missing one.
func field(object json.RawMessage, name string) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(object, &fields); err != nil || fields == nil {
		return nil, refusal{codeBadField, fmt.Sprintf("%.40s is no object with a %s", object, name)}
	}
	value, ok := fields[name]
	if !ok {
		return nil, refusal{codeMissing, name + " is not there"}
	}
	return value, nil
}

func text(object json.RawMessage, name string) (string, error) {
	raw, err := field(object, name)
	if err != nil {
		return "", err
	}
	var value string
	if err := json.Unmarshal(raw, &value); err != nil {
		return "", refusal{codeBadField, fmt.Sprintf("%s is %s", name, raw)}
	}
	return value, nil
}

func escaped(text string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(text)) // writing into memory cannot fail
	return b.String()
}
