package virtdriver_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// TestOneARQIsOneDevice: an ARQ with two handles is stale somewhere, and nothing
// says which one its instance has.
func TestOneARQIsOneDevice(t *testing.T) {
	t.Parallel()
	a, other := pciARQ("abc", "0:3b:0.0"), pciARQ("ABC", "0:3c:0.0")
	p, q := port("q", "0:a:0.1"), port("q", "0:b:0.1")
	for name, test := range map[string]struct {
		arqs []cyborgclient.ARQ
		opts []virtdriver.ComposeOption
		text string
	}{
		"two PCI devices":     {[]cyborgclient.ARQ{a, other}, nil, "ARQ ABC: same ARQ twice: it holds 0000:3b:00.0 and 0000:3c:00.0"},
		"PCI and mediated":    {[]cyborgclient.ARQ{a, mdevARQ("abc", vGPU)}, nil, "ARQ abc: same ARQ twice: it holds 0000:3b:00.0 and " + vGPU},
		"two ports":           {nil, []virtdriver.ComposeOption{virtdriver.WithPorts(p, q)}, "ARQ q: same ARQ twice: it holds 0000:0a:00.1 and 0000:0b:00.1"},
		"of a port elsewhere": {[]cyborgclient.ARQ{pciARQ("Q", "0:b:0.1")}, []virtdriver.ComposeOption{virtdriver.WithPorts(p)}, "ARQ q: same ARQ twice: its port has 0000:0a:00.1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := virtdriver.Compose([]byte(emptyDomain), test.arqs, test.opts...)
			require.ErrorIs(t, err, virtdriver.ErrARQTwice)
			require.ErrorContains(t, err, test.text)
			_, err = virtdriver.Replace([]byte(emptyDomain), nil, test.arqs, test.opts...)
			require.ErrorIs(t, err, virtdriver.ErrARQTwice)
		})
	}
	unbound := p.ARQ
	unbound.State, unbound.AttachHandle = cyborgclient.StateUnbound, cyborgclient.AttachHandle{}
	_, err := virtdriver.Decompose([]byte(emptyDomain), []cyborgclient.ARQ{unbound}, virtdriver.WithPorts(p))
	require.NoError(t, err, "the list may be newer than the port")
}

// TestOptionsThatAreNil are errors.
func TestOptionsThatAreNil(t *testing.T) {
	t.Parallel()
	_, err := virtdriver.Compose([]byte(emptyDomain), nil, virtdriver.WithTestPCI(virtdriver.Skip), nil)
	require.EqualError(t, err, "compose domain: option 2 of 2 is nil")
	_, err = virtdriver.Replace([]byte(emptyDomain), nil, nil, nil)
	require.ErrorContains(t, err, "option 1 of 1 is nil")
	_, err = virtdriver.NewWaiter(newCyborg(), nil)
	require.EqualError(t, err, "new waiter: option 1 of 1 is nil")
	_, err = virtdriver.NewReceiver(nil)
	require.EqualError(t, err, "new event receiver: option 1 of 1 is nil")
}

// TestPortBindingProfileRefusals: a profile is for a network function that the port
// really has.
func TestPortBindingProfileRefusals(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*cyborgclient.ARQ)
		err    error
	}{
		"deleting":         {func(a *cyborgclient.ARQ) { a.State = cyborgclient.StateDeleting }, virtdriver.ErrNoHandle},
		"mediated device":  {func(a *cyborgclient.ARQ) { a.AttachHandle.Type = cyborgclient.HandleMDEV }, virtdriver.ErrHandleType},
		"no device":        {func(a *cyborgclient.ARQ) { a.AttachHandle.Type = cyborgclient.HandleTestPCI }, virtdriver.ErrHandleType},
		"no network":       {func(a *cyborgclient.ARQ) { a.AttachHandle.Info["physical_network"] = "" }, virtdriver.ErrBadField},
		"network of lines": {func(a *cyborgclient.ARQ) { a.AttachHandle.Info["physical_network"] = "a\nb" }, virtdriver.ErrBadField},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arq := pciARQ("a", "0:c:0.1")
			arq.AttachHandle.Info["physical_network"] = "physnet1"
			test.change(&arq)
			profile, err := virtdriver.PortBindingProfile(arq)
			require.ErrorIs(t, err, test.err)
			require.True(t, strings.HasPrefix(err.Error(), "make binding profile: ARQ a: "), err)
			require.Zero(t, profile)
		})
	}
}
