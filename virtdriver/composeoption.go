package virtdriver

import "fmt"

// Policy says what [Compose] does with an ARQ whose handle is of a type that
// gives no device.
type Policy int

// The policies.
const (
	// Fail refuses the whole composition.
	Fail Policy = iota + 1
	// Skip leaves the ARQ out and lists it in [Composition.Skipped].
	Skip
)

// ComposeOption changes what [Compose] accepts.
type ComposeOption func(*composeConfig) error

type composeConfig struct{ testPCI, unknown Policy }

func newComposeConfig(opts []ComposeOption) (composeConfig, error) {
	config := composeConfig{testPCI: Skip, unknown: Fail}
	for _, opt := range opts {
		if err := opt(&config); err != nil {
			return composeConfig{}, err
		}
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
// for, MDEV among them. The default is [Fail]; Nova skips them and starts the
// guest without its device.
func WithUnknown(p Policy) ComposeOption {
	return func(c *composeConfig) error {
		c.unknown = p
		return p.check("WithUnknown")
	}
}

func (p Policy) check(option string) error {
	if p != Fail && p != Skip {
		return fmt.Errorf("compose domain: %s needs Fail or Skip, got %d", option, p)
	}
	return nil
}
