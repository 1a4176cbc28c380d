package virtdriver

import (
	"github.com/novacyborg/novacyborg/cyborgclient"
)

// Decomposition is what [Decompose] made.
type Decomposition struct {
	// XML is the domain without the devices, otherwise byte for byte the input.
	XML []byte
	// Detached are the ARQs whose devices were taken out, Absent those whose
	// devices the domain did not have; both in the guest's order.
	Detached, Absent []cyborgclient.ARQ
	// Mediated are the mediated devices that the host does not need any more.
	Mediated []MediatedDevice
	// Reports tell of functions of the same devices of the host that have no ARQ
	// and stay, since nothing says that they are companions.
	Reports []error
}

// Decompose takes the devices of ARQs out of a domain XML, whatever libvirt has
// added to them, with the white space before them. It is the inverse of
// [Compose]: what Compose put in comes out to the byte, if the domain did not
// have it before. (One spelling does not come back: <devices ></devices>, with
// the end tag where Compose puts it, becomes <devices/>.) Give it the options that Compose was given; ARQs of ports can be
// among the ARQs or in [WithPorts]. An ARQ that is Bound no more, but whose
// handle is known from before, is taken out too, and so is one whose device the
// host does not have any more. With [WithCompanions] the companions go that the
// domain has, of the functions without an ARQ: those that the topology names or, where
// it does not know the device, those right behind it. [WithOthers] names functions
// that are no companions. Refused is what would leave functions of a guest's
// device without their function 0.
func Decompose(domainXML []byte, arqs []cyborgclient.ARQ, opts ...ComposeOption) (*Decomposition, error) {
	p, err := newRemoval(domainXML, arqs, opts)
	if err != nil {
		return nil, inOperation("decompose domain", err)
	}
	present, absent, err := p.split()
	if err != nil {
		return nil, inOperation("decompose domain", err)
	}
	present = p.parting(present)
	if err := p.checkLeft(present); err != nil {
		return nil, inOperation("decompose domain", err)
	}
	var edits []edit
	for _, d := range present {
		edits = append(edits, p.domain.removal(p.present[d.key].place))
	}
	return &Decomposition{
		XML: p.domain.remove(edits), Detached: arqsOf(present), Absent: arqsOf(absent), Mediated: mediatedOf(present),
		Reports: p.strangers(present, nil),
	}, nil
}

// withoutState is for what is done when ARQs may be unbound already.
func withoutState(arqs []cyborgclient.ARQ) []cyborgclient.ARQ {
	stateless := make([]cyborgclient.ARQ, len(arqs))
	for i, arq := range arqs {
		arq.State = ""
		stateless[i] = arq
	}
	return stateless
}

// split tells the devices that the domain has from the others. It is an error
// when one of them is something else there than a device of an ARQ.
func (p *plan) split() (present, absent []device, err error) {
	for _, d := range p.wanted {
		had, ok := p.present[d.key]
		switch {
		case !ok:
			absent = append(absent, d)
		case had.name != tagHostdev && had.name != tagInterface:
			return nil, nil, had.inUse(d, "it is a <"+had.name+"> there")
		default:
			present = append(present, d)
		}
	}
	return present, absent, nil
}
