package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/digitalocean/go-libvirt"

	"github.com/novacyborg/novacyborg/virtdriver"
)

// createMediated makes a mediated device that stays over restarts of the host (nova/virt/libvirt/driver.py,
// _create_mdev). One that is there already is left as it is.
func (h *host) createMediated(m virtdriver.MediatedDevice) (created bool, err error) {
	if name, err := h.findMediated(m); name != "" || err != nil {
		return false, err
	}
	parent, err := h.NodeDeviceGetXMLDesc(m.Parent, 0)
	if err != nil {
		return false, fmt.Errorf("mediated device %s: parent: %w", m.UUID, err)
	}
	types, err := virtdriver.MdevTypes([]byte(parent))
	if err != nil {
		return false, err
	}
	if err := m.CheckParent(types); err != nil {
		return false, err
	}
	node, err := h.NodeDeviceDefineXML(m.XML(), 0)
	if err != nil {
		return false, fmt.Errorf("define mediated device %s: %w", m.UUID, err)
	}
	if err := h.NodeDeviceCreate(node.Name, 0); err != nil {
		return false, errors.Join(fmt.Errorf("start mediated device %s: %w", m.UUID, err), h.NodeDeviceUndefine(node.Name, 0))
	}
	if err := h.NodeDeviceSetAutostart(node.Name, 1); err != nil {
		fmt.Fprintf(h.out, "note: mediated device %s does not start with the host: %v\n", m.UUID, err)
	}
	return true, nil
}

// removeMediated ends the mediated device and forgets it.
func (h *host) removeMediated(m virtdriver.MediatedDevice) error {
	name, err := h.findMediated(m)
	if name == "" || err != nil {
		return err
	}
	return errors.Join(h.NodeDeviceDestroy(name), h.NodeDeviceUndefine(name, 0))
}

// findMediated gives libvirt's name of the device, empty if there is none: mdev_, the uuid with underscores, and since
// libvirt 8.0 the parent.
func (h *host) findMediated(m virtdriver.MediatedDevice) (string, error) {
	devices, _, err := h.ConnectListAllNodeDevices(1, uint32(libvirt.ConnectListNodeDevicesCapMdev))
	if err != nil {
		return "", err
	}
	for _, device := range devices {
		if strings.HasPrefix(device.Name, "mdev_"+strings.ReplaceAll(m.UUID, "-", "_")) {
			return device.Name, nil
		}
	}
	return "", nil
}
