package requestspec

import (
	"fmt"
	"slices"
	"strings"
)

// CPU policies (nova/objects/fields.py:CPUAllocationPolicy, CPUThreadAllocationPolicy, CPUEmulatorThreadsPolicy).
const (
	cpuDedicated = "dedicated"
	cpuShared    = "shared"
	cpuMixed     = "mixed"

	threadPrefer  = "prefer"
	threadIsolate = "isolate"
	threadRequire = "require"

	emulatorShare   = "share"
	emulatorIsolate = "isolate"

	traitHyperthreading = "HW_CPU_HYPERTHREADING"
)

// readCPUPolicies turns hw:cpu_policy and its companions into VCPU, PCPU and a trait of the unsuffixed group
// (nova/scheduler/utils.py:ResourceRequest._translate_pinning_policies).
func (b *builder) readCPUPolicies() error {
	policy, err := b.cpuPolicy()
	if err != nil {
		return err
	}
	thread, err := b.threadPolicy()
	if err != nil {
		return err
	}
	emulator, err := b.emulatorPolicy()
	if err != nil {
		return err
	}
	pinned := policy == cpuDedicated || policy == cpuMixed
	if pinned {
		if err := b.addPinned(policy, emulator); err != nil {
			return err
		}
	}
	b.notePinning(pinned, thread, emulator)
	switch thread {
	case threadIsolate:
		b.group("").forbidden.add(traitHyperthreading)
	case threadRequire:
		b.group("").required.add(traitHyperthreading)
	}
	return nil
}

// addPinned asks for PCPU, and for VCPU in a mixed guest. Both replace what the flavor asks for in the unsuffixed group.
func (b *builder) addPinned(policy, emulator string) error {
	pcpus := b.in.Flavor.VCPUs
	if policy == cpuMixed {
		var err error
		if pcpus, err = b.dedicatedCPUs(); err != nil {
			return err
		}
		if pcpus == 0 {
			b.note(Finding{
				Where: "flavor", Key: "hw:cpu_policy", Value: policy, Reason: ErrCPUPolicy,
				Message: "a mixed guest needs hw:cpu_dedicated_mask or a realtime mask",
			})
		}
		vcpus := Property{"hw:cpu_policy", b.in.Flavor.VCPUs - pcpus}
		if err := b.addResource(b.group(""), "flavor", classVCPU, vcpus); err != nil {
			return err
		}
	}
	extra := 0
	if emulator == emulatorIsolate {
		extra = 1
	}
	return b.addResource(b.group(""), "flavor", classPCPU, Property{"hw:cpu_policy", sum(pcpus, extra)})
}

// notePinning finds policies that have no effect or that Nova's API refuses (nova/virt/hardware.py:numa_get_constraints).
func (b *builder) notePinning(pinned bool, thread, emulator string) {
	if pinned {
		return
	}
	const message = "policy needs hw:cpu_policy dedicated or mixed"
	if thread == threadIsolate || thread == threadRequire {
		b.note(Finding{Where: "flavor", Key: "hw:cpu_thread_policy", Value: thread, Reason: ErrCPUPolicy, Message: message})
	}
	if emulator == emulatorIsolate {
		b.note(Finding{Where: "flavor", Key: "hw:emulator_threads_policy", Value: emulator, Reason: ErrCPUPolicy, Message: message})
	}
}

// cpuPolicy mirrors nova/virt/hardware.py:get_cpu_policy_constraint.
func (b *builder) cpuPolicy() (string, error) {
	flavor, image, err := b.policies("hw:cpu_policy", "hw_cpu_policy", cpuDedicated, cpuShared, cpuMixed)
	switch {
	case err != nil:
		return "", err
	case flavor == "":
		return image, nil
	case flavor == cpuMixed && image == cpuDedicated, flavor == cpuShared && image != "" && image != cpuShared:
		return "", b.refuseImage("hw_cpu_policy", image, "hw:cpu_policy", flavor)
	}
	return flavor, nil
}

// threadPolicy mirrors nova/virt/hardware.py:get_cpu_thread_policy_constraint.
func (b *builder) threadPolicy() (string, error) {
	flavor, image, err := b.policies("hw:cpu_thread_policy", "hw_cpu_thread_policy", threadPrefer, threadIsolate, threadRequire)
	_, given := b.in.Flavor.ExtraSpecs["hw:cpu_thread_policy"]
	switch {
	case err != nil:
		return "", err
	case !given:
		return image, nil
	case flavor != threadPrefer && image != "" && image != flavor:
		return "", b.refuseImage("hw_cpu_thread_policy", image, "hw:cpu_thread_policy", flavor)
	}
	return flavor, nil
}

// emulatorPolicy mirrors nova/virt/hardware.py:get_emulator_thread_policy_constraint.
func (b *builder) emulatorPolicy() (string, error) {
	const key = "hw:emulator_threads_policy"
	policy := b.in.Flavor.ExtraSpecs[key]
	return policy, b.checkPolicy("flavor", key, policy, emulatorShare, emulatorIsolate)
}

// policies returns the flavor's and the image's value of a policy after a check of both.
func (b *builder) policies(flavorKey, imageKey string, allowed ...string) (flavor, image string, err error) {
	flavor, image = b.in.Flavor.ExtraSpecs[flavorKey], b.in.Image[imageKey]
	if err := b.checkPolicy("flavor", flavorKey, flavor, allowed...); err != nil {
		return "", "", err
	}
	return flavor, image, b.checkPolicy("image", imageKey, image, allowed...)
}

func (b *builder) checkPolicy(where, key, value string, allowed ...string) error {
	if value == "" || slices.Contains(allowed, value) {
		return nil
	}
	return b.refuse(Finding{
		Where: where, Key: key, Value: value, Reason: ErrCPUPolicy,
		Message: "policy must be " + oneOf(allowed),
	})
}

// oneOf tells what a value may be. It does not keep the list, which is then no work where all is well.
func oneOf(allowed []string) string { return "one of [" + strings.Join(allowed, " ") + "]" }

func (b *builder) refuseImage(imageKey, image, flavorKey, flavor string) error {
	return b.refuse(Finding{
		Where: "image", Key: imageKey, Value: image, Reason: ErrCPUPolicy,
		Message: fmt.Sprintf("the flavor's %s is %q and does not allow this", flavorKey, flavor),
	})
}
