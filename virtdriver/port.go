package virtdriver

import (
	"fmt"
	"net"
	"slices"
	"strings"

	"libvirt.org/go/libvirtxml"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/internal/pci"
)

// Port is a network port whose device is a virtual function that an ARQ holds
// (vnic_type accelerator-direct).
type Port struct {
	// ID is Neutron's uuid of the port.
	ID string
	// MAC is the port's address, which the function gets.
	MAC string
	// VLAN is the tag of the port's segment, 1 to 4094; 0 means none.
	VLAN uint
	// ARQ is the bound ARQ of the port.
	ARQ cyborgclient.ARQ
}

// maxVLAN is the highest tag that a network can have.
const maxVLAN = 4094

// WithPorts adds an <interface type="hostdev"> for each port. The ARQs of ports
// that are also among the ARQs that Compose is given make no hostdev of their
// own; Nova adds the function a second time when the guest restarts. Interfaces
// stand after the last interface of the domain
// (nova/virt/libvirt/vif.py, get_config_hw_veb).
func WithPorts(ports ...Port) ComposeOption {
	return func(c *composeConfig) error {
		c.ports = append(c.ports, ports...)
		return nil
	}
}

// device makes the interface of the port.
func (p Port) device(virtType string) (device, error) {
	address, err := portAddress(p.ARQ)
	if err != nil {
		return device{}, err
	}
	if _, ok := managedByType[virtType]; !ok {
		return device{}, wrap(ErrVirtType, "%q", virtType)
	}
	mac, err := net.ParseMAC(p.MAC)
	if err != nil || len(mac) != 6 || mac[0]&1 != 0 {
		return device{}, wrap(ErrPort, "mac %q is no unicast address of six bytes", p.MAC)
	}
	if p.VLAN > maxVLAN {
		return device{}, wrap(ErrPort, "vlan %d, the highest is %d", p.VLAN, maxVLAN)
	}
	element := &libvirtxml.DomainInterface{
		Managed: "yes",
		MAC:     &libvirtxml.DomainInterfaceMAC{Address: mac.String()},
		Source: &libvirtxml.DomainInterfaceSource{Hostdev: &libvirtxml.DomainInterfaceSourceHostdev{
			PCI: &libvirtxml.DomainHostdevSubsysPCISource{Address: addressXML(address)},
		}},
	}
	if p.VLAN > 0 {
		element.VLan = &libvirtxml.DomainInterfaceVLan{Tags: []libvirtxml.DomainInterfaceVLanTag{{ID: p.VLAN}}}
	}
	return device{arq: p.ARQ, key: hostKey{address: address}, tag: tagInterface, element: element, mac: mac.String()}, nil
}

// portAddress is the function that the ARQ of a port holds.
func portAddress(arq cyborgclient.ARQ) (pci.Address, error) {
	if err := checkBound(arq); err != nil {
		return pci.Address{}, err
	}
	if kind := arq.AttachHandle.Type; kind != cyborgclient.HandlePCI {
		return pci.Address{}, wrap(ErrHandleType, "%q is no network function", kind)
	}
	return handleAddress(arq.AttachHandle.Info)
}

// isOfPort tells whether a port has the ARQ. It is an error when it has another
// device there; one that is to go may have lost its handle here.
func (p *plan) isOfPort(arq cyborgclient.ARQ) (bool, error) {
	at := slices.IndexFunc(p.wanted, func(d device) bool { return strings.EqualFold(d.arq.UUID, arq.UUID) })
	if at < 0 {
		return false, nil
	}
	d := p.wanted[at]
	address, err := handleAddress(arq.AttachHandle.Info)
	if p.config.removing || err == nil && d.key == (hostKey{address: address}) {
		return true, nil
	}
	return false, d.failure(wrap(ErrARQTwice, "its port has %s and it is given without that handle too", d.key))
}

// failure names the port beside its ARQ.
func (p Port) failure(err error) *ComposeError {
	return &ComposeError{ARQs: []string{p.ARQ.UUID}, Err: fmt.Errorf("port %s: %w", p.ID, err)}
}
