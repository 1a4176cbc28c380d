package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// ownedARQ is an ARQ with the port that it was created for; empty for the flavor's.
type ownedARQ struct {
	cyborgclient.ARQ
	port string
}

// createARQs is step 5: one POST /v2/accelerator_requests for the flavor's profile and one for each accelerator port,
// each ARQ matched to the provider of its group (nova/conductor/manager.py:_create_and_bind_arq_for_instance). Every
// created uuid is remembered at once and deleted by the undo, whatever fails later (B4).
func (a *attempt) createARQs(ctx context.Context) error {
	a.undo.add(StepARQs, a.deleteCreated)
	if name := a.profileName(); name != "" {
		if err := a.createFor(ctx, name, ""); err != nil {
			return err
		}
	}
	for _, port := range a.Spec.Ports {
		if !port.Accelerator() {
			continue
		}
		if err := a.createFor(ctx, port.DeviceProfile, port.ID); err != nil {
			return err
		}
	}
	return nil
}

func (a *attempt) createFor(ctx context.Context, profile, port string) error {
	arqs, err := a.cyborg.CreateARQs(ctx, profile)
	if err != nil {
		a.undo.add(StepARQs, func(ctx context.Context) error { return a.reportStrays(ctx, profile, err) })
		return err
	}
	for _, arq := range arqs {
		a.created = append(a.created, ownedARQ{arq, port})
	}
	if len(arqs) == 0 || (port != "" && len(arqs) > 1) {
		return fmt.Errorf("device profile %s makes %d ARQs: a flavor needs at least one, a port exactly one", profile, len(arqs))
	}
	providers, err := cyborgclient.Match(arqs, a.candidate.Mapping, port)
	if err != nil {
		return err
	}
	for _, arq := range arqs {
		a.bindings = append(a.bindings, cyborgclient.Binding{
			ARQ: arq.UUID, Hostname: a.step.Host, DeviceRP: providers[arq.UUID], Instance: a.Consumer.UUID,
		})
	}
	return nil
}

// reportStrays names the ARQs that a failed creation may have left. Cyborg makes ARQs one by one and tells their uuids
// only in the answer, so where the answer is missing they cannot be told from those that somebody else is about to
// bind: they are reported and not touched.
func (a *attempt) reportStrays(ctx context.Context, profile string, cause error) error {
	if answer, ok := errors.AsType[*cyborgclient.Error](cause); ok && answer.Refused() {
		return nil
	}
	arqs, err := a.cyborg.ARQs(ctx, cyborgclient.ARQFilter{})
	if err != nil {
		return fmt.Errorf("ARQs of device profile %s may be left: %w", profile, err)
	}
	var strays []string
	for _, arq := range arqs {
		if arq.DeviceProfileName == profile && arq.State == cyborgclient.StateInitial && !a.knows(arq.UUID) {
			strays = append(strays, arq.UUID)
		}
	}
	if len(strays) == 0 {
		return nil
	}
	return fmt.Errorf("ARQs of device profile %s that nobody has bound, delete them if nobody is about to: %s",
		profile, strings.Join(strays, ", "))
}

func (a *attempt) knows(uuid string) bool { return slices.Contains(a.uuids(), uuid) }

func (a *attempt) deleteCreated(ctx context.Context) error {
	if len(a.created) == 0 {
		return nil
	}
	_, err := a.cyborg.DeleteARQs(ctx, a.uuids()...)
	return err
}

func (a *attempt) uuids() []string {
	uuids := make([]string, len(a.created))
	for i, arq := range a.created {
		uuids[i] = arq.UUID
	}
	return uuids
}

// portARQs maps each port to its ARQ; nil without any.
func (a *attempt) portARQs() map[string]string {
	ports := make(map[string]string)
	for _, arq := range a.created {
		if arq.port != "" {
			ports[arq.port] = arq.UUID
		}
	}
	if len(ports) == 0 {
		return nil
	}
	return ports
}
