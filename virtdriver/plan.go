package virtdriver

import (
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// plan is a domain, what it has, and what it is to have.
type plan struct {
	config  composeConfig
	domain  *domain
	present map[hostKey]hostDevice
	wanted  []device
	// skipped are the ARQs that policies left out, reports the reasons of those
	// that are to be reported.
	skipped []cyborgclient.ARQ
	reports []error
}

func newPlan(domainXML []byte, arqs []cyborgclient.ARQ, opts []ComposeOption) (*plan, error) {
	config, err := newComposeConfig(opts)
	if err != nil {
		return nil, err
	}
	return config.plan(domainXML, arqs)
}

// newRemoval plans for devices that are to go. Their ARQs may be unbound already.
func newRemoval(domainXML []byte, arqs []cyborgclient.ARQ, opts []ComposeOption) (*plan, error) {
	config, err := newComposeConfig(opts)
	if err != nil {
		return nil, err
	}
	config.removing = true
	for i := range config.ports {
		config.ports[i].ARQ.State = ""
	}
	return config.plan(domainXML, withoutState(arqs))
}

func (c composeConfig) plan(domainXML []byte, arqs []cyborgclient.ARQ) (*plan, error) {
	doc, err := readDomain(domainXML)
	if err != nil {
		return nil, err
	}
	p := &plan{config: c, domain: doc}
	if p.present, err = doc.hostDevices(); err != nil {
		return nil, err
	}
	return p, p.want(arqs)
}

// want decides for each ARQ: a device, skipped, or an error.
func (p *plan) want(arqs []cyborgclient.ARQ) error {
	for _, port := range p.config.ports {
		d, err := port.device(p.domain.virtType)
		if err != nil {
			return port.failure(err)
		}
		p.wanted = append(p.wanted, d)
	}
	var made []device
	for _, arq := range arqs {
		if slices.ContainsFunc(p.config.ports, func(port Port) bool { return strings.EqualFold(port.ARQ.UUID, arq.UUID) }) {
			continue
		}
		d, left, err := p.config.decide(arq, p.domain.virtType)
		switch {
		case err != nil:
			return &ComposeError{ARQs: []string{arq.UUID}, Err: err}
		case d != nil:
			made = append(made, *d)
			continue
		case left != nil:
			p.reports = append(p.reports, &ComposeError{ARQs: []string{arq.UUID}, Err: left})
		}
		p.skipped = append(p.skipped, arq)
	}
	made, err := p.withCompanions(made)
	if err != nil {
		return err
	}
	p.wanted = append(p.wanted, made...)
	sortDevices(p.wanted)
	if err := refuseTwins(p.wanted); err != nil {
		return err
	}
	if err := p.config.groupFunctions(p.wanted); err != nil {
		return err
	}
	writeGuestAddresses(p.wanted)
	return nil
}

// missing are the devices that the domain does not have yet. It is an error when
// it has one of them otherwise.
func (p *plan) missing() ([]device, error) {
	var missing []device
	for _, d := range p.wanted {
		if err := p.refusePresentTwin(d); err != nil {
			return nil, err
		}
		had, ok := p.present[d.key]
		if !ok {
			missing = append(missing, d)
			continue
		}
		element, err := d.tree()
		if err != nil {
			return nil, d.failure(err)
		}
		if said := difference(had.element, element); said != "" {
			return nil, had.inUse(d, said)
		}
	}
	return missing, p.check(missing)
}

// check looks for what would give a guest that does not start. The host can be
// another one than that for which the domain got its devices.
func (p *plan) check(missing []device) error {
	for _, check := range []func([]device) error{p.checkGuestAddresses, p.checkOptions} {
		if err := check(missing); err != nil {
			return err
		}
	}
	return p.checkTopology()
}

// arqsOf are the ARQs of devices, each once.
func arqsOf(devices []device) []cyborgclient.ARQ {
	var arqs []cyborgclient.ARQ
	for _, d := range devices {
		if !d.companion {
			arqs = append(arqs, d.arq)
		}
	}
	return arqs
}

// mediatedOf are the mediated devices among devices.
func mediatedOf(devices []device) []MediatedDevice {
	var mediated []MediatedDevice
	for _, d := range devices {
		if d.mediated != nil {
			mediated = append(mediated, *d.mediated)
		}
	}
	return mediated
}
