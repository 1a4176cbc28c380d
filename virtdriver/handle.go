package virtdriver

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/internal/pci"
)

// handles is the registry of the attach handles that become devices. TEST_PCI
// and all other types give none; policies decide about them.
var handles = map[cyborgclient.HandleType]func(cyborgclient.ARQ, string, DeviceOptions) (device, error){
	cyborgclient.HandlePCI:  pciDevice,
	cyborgclient.HandleMDEV: mdevDevice,
}

// managedByType says whether libvirt unbinds the device from its host driver
// (nova/virt/libvirt/driver.py, _set_managed_mode). Domain types that are not
// listed cannot take devices of the host. test is libvirt's mock driver.
var managedByType = map[string]string{
	"kvm":       "yes",
	"qemu":      "yes",
	"xen":       "yes",
	"test":      "yes",
	"parallels": "no",
}

// decide makes the device of an ARQ. It is nil, with the reason, when a policy
// leaves the ARQ out.
func (c composeConfig) decide(arq cyborgclient.ARQ, virtType string) (made *device, left, err error) {
	kind := arq.AttachHandle.Type
	if err := checkBound(arq); err != nil {
		return nil, nil, err
	}
	fromHandle, known := handles[kind]
	if !known {
		left, err = c.policy(kind).leaveOut(kind)
		return nil, left, err
	}
	d, err := fromHandle(arq, virtType, c.optionsOf(arq))
	return &d, nil, err
}

// checkBound wants an attach handle and, where the state is known, that it is
// the ARQ's own.
func checkBound(arq cyborgclient.ARQ) error {
	if arq.AttachHandle.Type != "" && (arq.State == "" || arq.State == cyborgclient.StateBound) {
		return nil
	}
	return wrap(ErrNoHandle, "the ARQ is in state %q, wait until it is %s", arq.State, cyborgclient.StateBound)
}

func (c composeConfig) policy(kind cyborgclient.HandleType) Policy {
	if kind == cyborgclient.HandleTestPCI {
		return c.testPCI
	}
	return c.unknown
}

// leaveOut gives the reason for a report, or the error of a refusal.
func (p Policy) leaveOut(kind cyborgclient.HandleType) (left, err error) {
	switch reason := wrap(ErrHandleType, "%q gives no device", kind); p {
	case Fail:
		return nil, reason
	case Report:
		return reason, nil
	}
	return nil, nil
}

// handleAddress reads the four fields of a handle's PCI address, which Cyborg
// gives as texts.
func handleAddress(info map[string]any) (pci.Address, error) {
	var fields [4]string
	for i, name := range []string{"domain", "bus", "device", "function"} {
		var err error
		if fields[i], err = handleText(info, name); err != nil {
			return pci.Address{}, err
		}
	}
	address, err := pci.Parse(fields[0], fields[1], fields[2], fields[3])
	if err != nil {
		return pci.Address{}, wrap(ErrBadField, "%w", err)
	}
	return address, nil
}

func handleText(info map[string]any, name string) (string, error) {
	value, ok := info[name]
	if !ok {
		return "", wrap(ErrMissingField, "%s", name)
	}
	text, ok := value.(string)
	if !ok {
		return "", wrap(ErrBadField, "%s must be text, not %T", name, value)
	}
	if !isPrintable(text) {
		return "", wrap(ErrBadField, "%s %q has control characters", name, text)
	}
	return text, nil
}

// isPrintable refuses what XML cannot say, or what would be another text to
// those who read it.
func isPrintable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) || r&0xfffe == 0xfffe
	})
}
