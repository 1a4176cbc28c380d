package virtdriver

import (
	"fmt"
	"strings"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// Expectation says which bindings a wait is for.
type Expectation struct {
	// Instance is the uuid of the server. It and the host name are needed.
	Instance string
	// Hostname is the node name that the ARQs were bound with
	// (hypervisor_hostname, not the name of the compute service).
	Hostname string
	// ARQs are the uuids that the bind request named, each once. With none there
	// is nothing to wait for.
	ARQs []string
	// Providers are the resource providers that the ARQs were bound with, by the
	// ARQ's uuid. It may be nil or leave ARQs out; those it names must be among the
	// ARQs and bound to that provider.
	Providers map[string]string
}

func (e Expectation) check() error {
	if e.Instance == "" || e.Hostname == "" {
		return fmt.Errorf("wait for ARQs %v: the expectation needs an instance and a host name, got %q and %q",
			e.ARQs, e.Instance, e.Hostname)
	}
	if _, err := canonicalUUID(e.Instance); err != nil {
		return fmt.Errorf("wait for ARQs %v: the expectation names instance %q, which is no uuid: %w", e.ARQs, e.Instance, err)
	}
	seen := make(map[string]bool, len(e.ARQs))
	for _, arq := range e.ARQs {
		if arq == "" || seen[strings.ToLower(arq)] {
			return fmt.Errorf("wait for ARQs of instance %s: the expectation names ARQ %q twice or not at all", e.Instance, arq)
		}
		if _, err := canonicalUUID(arq); err != nil {
			return fmt.Errorf("wait for ARQs of instance %s: the expectation names ARQ %q, which is no uuid: %w", e.Instance, arq, err)
		}
		seen[strings.ToLower(arq)] = true
	}
	for arq := range e.Providers {
		if !seen[strings.ToLower(arq)] {
			return fmt.Errorf("wait for ARQs of instance %s: the expectation names a provider for ARQ %q, which is not expected", e.Instance, arq)
		}
	}
	return nil
}

// verdict is what a look at one or all ARQs says.
type verdict int

const (
	pending verdict = iota
	bound
	failed
)

// judge compares one ARQ of the instance with the expectation. The reason is
// empty only for bound.
func (e Expectation) judge(arq cyborgclient.ARQ) (verdict, string) {
	switch {
	case !arq.State.Resolved():
		return pending, "is not bound yet"
	case arq.State != cyborgclient.StateBound:
		return failed, "is not bound"
	case !strings.EqualFold(arq.InstanceUUID, e.Instance):
		return failed, fmt.Sprintf("is bound for instance %q, want %s", arq.InstanceUUID, e.Instance)
	case arq.Hostname != e.Hostname:
		return failed, fmt.Sprintf("is bound on host %q, want %s", arq.Hostname, e.Hostname)
	case e.provider(arq) != "" && !strings.EqualFold(arq.DeviceRPUUID, e.provider(arq)):
		return failed, fmt.Sprintf("is bound to provider %q, want %s", arq.DeviceRPUUID, e.provider(arq))
	}
	if reason := handleFault(arq.AttachHandle); reason != "" {
		return failed, reason
	}
	return bound, ""
}

func (e Expectation) provider(arq cyborgclient.ARQ) string {
	for uuid, provider := range e.Providers {
		if strings.EqualFold(uuid, arq.UUID) {
			return provider
		}
	}
	return ""
}

// handleFault says why no guest could get the device of a handle. Types that
// are not known here pass: [Compose] has a policy for them.
func handleFault(h cyborgclient.AttachHandle) string {
	switch h.Type {
	case "":
		return "is bound without an attach handle"
	case cyborgclient.HandleMDEV:
		if h.UUID == "" {
			return "is bound with an MDEV handle without uuid"
		}
		if _, err := mediatedDevice(cyborgclient.ARQ{AttachHandle: h}); err != nil {
			return fmt.Sprintf("is bound with a handle that is no device: %v", err)
		}
	case cyborgclient.HandlePCI, cyborgclient.HandleTestPCI:
		if _, err := handleAddress(h.Info); err != nil {
			return fmt.Sprintf("is bound with a handle that is no device: %v", err)
		}
	}
	return ""
}
