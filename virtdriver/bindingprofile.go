package virtdriver

import "github.com/novacyborg/novacyborg/cyborgclient"

// BindingProfile is what Nova writes into the binding profile of a port about
// its ARQ (nova/accelerator/cyborg.py, get_arq_pci_device_profile).
type BindingProfile struct {
	PhysicalNetwork string `json:"physical_network"`
	// PCISlot is the address as sysfs has it, zero padded: "0000:0c:00.0". Nova
	// joins the fields as they are, and "0000:0c:0.0" matches nothing.
	PCISlot string `json:"pci_slot"`
	ARQUUID string `json:"arq_uuid"`
}

// PortBindingProfile makes the binding profile of a port from its ARQ. It is an
// error when the ARQ is not bound, is no network function, or names no physical
// network.
func PortBindingProfile(arq cyborgclient.ARQ) (BindingProfile, error) {
	profile, err := bindingProfile(arq)
	if err != nil {
		return BindingProfile{}, &ComposeError{Op: "make binding profile", ARQs: []string{arq.UUID}, Err: err}
	}
	return profile, nil
}

func bindingProfile(arq cyborgclient.ARQ) (BindingProfile, error) {
	address, err := portAddress(arq)
	if err != nil {
		return BindingProfile{}, err
	}
	network, err := handleText(arq.AttachHandle.Info, "physical_network")
	if err == nil && network == "" {
		err = wrap(ErrBadField, "physical_network is empty")
	}
	return BindingProfile{PhysicalNetwork: network, PCISlot: address.String(), ARQUUID: arq.UUID}, err
}
