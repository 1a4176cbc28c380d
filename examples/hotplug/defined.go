package main

import (
	"errors"
	"fmt"

	"github.com/digitalocean/go-libvirt"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// definition is the XML with which the domain starts next, secrets included since it is defined again from it.
func (h *host) definition(domain libvirt.Domain) ([]byte, error) {
	text, err := h.DomainGetXMLDesc(domain, libvirt.DomainXMLInactive|libvirt.DomainXMLSecure)
	return []byte(text), err
}

// define gives the domain the devices for its next start; all of them or none.
func (h *host) define(domain libvirt.Domain, arqs []cyborgclient.ARQ) error {
	before, err := h.definition(domain)
	if err != nil {
		return err
	}
	composition, err := virtdriver.Compose(before, arqs)
	if err != nil {
		return err
	}
	var created []virtdriver.MediatedDevice
	for _, m := range composition.Mediated {
		isNew, err := h.createMediated(m)
		if err != nil {
			return errors.Join(err, h.removeAll(created))
		}
		if isNew {
			created = append(created, m)
		}
	}
	if _, err := h.DomainDefineXML(string(composition.XML)); err != nil {
		return errors.Join(fmt.Errorf("define %s: %w", domain.Name, err), h.removeAll(created))
	}
	for _, arq := range composition.Attached {
		h.say("defined", arq.UUID)
	}
	return nil
}

// undefine takes the devices out of what the domain starts with.
func (h *host) undefine(domain libvirt.Domain, arqs []cyborgclient.ARQ) error {
	before, err := h.definition(domain)
	if err != nil {
		return err
	}
	decomposition, err := virtdriver.Decompose(before, arqs)
	if err != nil || len(decomposition.Detached) == 0 {
		return err
	}
	if _, err := h.DomainDefineXML(string(decomposition.XML)); err != nil {
		return fmt.Errorf("define %s: %w", domain.Name, err)
	}
	for _, arq := range decomposition.Detached {
		h.say("taken out", arq.UUID)
	}
	return h.removeAll(decomposition.Mediated)
}

func (h *host) removeAll(mediated []virtdriver.MediatedDevice) error {
	var failures []error
	for _, m := range mediated {
		failures = append(failures, h.removeMediated(m))
	}
	return errors.Join(failures...)
}
