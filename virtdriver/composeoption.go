package virtdriver

import (
	"errors"
	"fmt"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/internal/pci"
)

// Policy says what [Compose] does with an ARQ whose handle is of a type that
// gives no device.
type Policy int

// The policies.
const (
	// Fail refuses the whole composition.
	Fail Policy = iota + 1
	// Skip leaves the ARQ out and lists it in [Composition.Skipped].
	Skip
	// Report does what Skip does and says why in [Composition.Reports].
	Report
)

// ComposeOption changes what [Compose] and its companions accept and write.
type ComposeOption func(*composeConfig) error

type composeConfig struct {
	testPCI, unknown Policy
	ports            []Port
	choose           func(cyborgclient.ARQ) DeviceOptions
	guestSlots       []guestAddress
	topology         hostMap
	companions       bool
	others           []pci.Address
	// topologyBefore is that of the host that Replace leaves.
	topologyBefore hostMap
	// removing says that the devices are to go: what is decided about them does
	// not depend on the host any more.
	removing bool
}

func newComposeConfig(opts []ComposeOption) (composeConfig, error) {
	config := composeConfig{testPCI: Skip, unknown: Fail}
	for i, opt := range opts {
		if opt == nil {
			return composeConfig{}, fmt.Errorf("compose domain: option %d of %d is nil", i+1, len(opts))
		}
		if err := opt(&config); err != nil {
			return composeConfig{}, err
		}
	}
	if config.companions && !config.topology.given() {
		return composeConfig{}, errors.New("compose domain: WithCompanions needs WithTopology")
	}
	return config, nil
}

// WithTestPCI sets the policy for handles of type TEST_PCI, which Cyborg's fake
// driver gives out and behind which there is no device. The default is [Skip],
// as in Nova.
func WithTestPCI(p Policy) ComposeOption {
	return func(c *composeConfig) error {
		c.testPCI = p
		return p.check("WithTestPCI")
	}
}

// WithUnknown sets the policy for handles of types that Compose has no device
// for. The default is [Fail]; Nova skips them and starts the guest without its
// device.
func WithUnknown(p Policy) ComposeOption {
	return func(c *composeConfig) error {
		c.unknown = p
		return p.check("WithUnknown")
	}
}

// WithDevice sets what the device of each ARQ says in addition.
func WithDevice(choose func(cyborgclient.ARQ) DeviceOptions) ComposeOption {
	return func(c *composeConfig) error {
		c.choose = choose
		return nil
	}
}

func (c composeConfig) optionsOf(arq cyborgclient.ARQ) DeviceOptions {
	if c.choose == nil {
		return DeviceOptions{}
	}
	return c.choose(arq)
}

func (p Policy) check(option string) error {
	if p < Fail || p > Report {
		return fmt.Errorf("compose domain: %s needs Fail, Skip or Report, got %d", option, p)
	}
	return nil
}
