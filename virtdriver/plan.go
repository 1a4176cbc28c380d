package virtdriver

import (
	"cmp"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// plan is a domain, what it has, and what it is to have.
type plan struct {
	config  composeConfig
	domain  *domain
	present map[hostKey]hostDevice
	wanted  []device
	// changed are those of the wanted that the domain has because a device in it
	// was made to be them.
	changed []device
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
	doc, err := readDomain(domainXML)
	if err != nil {
		return nil, err
	}
	return config.plan(doc, arqs)
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
	doc, err := readDomain(domainXML)
	if err != nil {
		return nil, err
	}
	return config.plan(doc, withoutState(arqs))
}

func (c composeConfig) plan(doc *domain, arqs []cyborgclient.ARQ) (*plan, error) {
	present, err := doc.hostDevices()
	if err != nil {
		return nil, err
	}
	p := &plan{config: c, domain: doc, present: present}
	return p, p.want(arqs)
}

// want decides which devices the domain is to have, in the guest's order.
func (p *plan) want(arqs []cyborgclient.ARQ) error {
	for _, port := range p.config.ports {
		d, err := port.device(p.domain.virtType)
		if err != nil {
			return port.failure(err)
		}
		p.wanted = append(p.wanted, d)
	}
	made, err := p.makeDevices(arqs)
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

// makeDevices decides for each ARQ that is no port's: a device, skipped, or an error.
func (p *plan) makeDevices(arqs []cyborgclient.ARQ) ([]device, error) {
	var made []device
	for _, arq := range arqs {
		ofPort, err := p.isOfPort(arq)
		switch {
		case err != nil:
			return nil, err
		case ofPort:
			continue
		}
		d, left, err := p.config.decide(arq, p.domain.virtType)
		switch {
		case err != nil:
			return nil, &ComposeError{ARQs: []string{arq.UUID}, Err: err}
		case d != nil:
			made = append(made, *d)
			continue
		case left != nil:
			p.reports = append(p.reports, &ComposeError{ARQs: []string{arq.UUID}, Err: left})
		}
		p.skipped = append(p.skipped, arq)
	}
	return p.withCompanions(made)
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
		if said := cmp.Or(difference(had.element, element), vlanDifference(had.element, element)); said != "" {
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
