package requestspec

import (
	"fmt"
	"slices"
	"strings"
)

// feature is a guest feature that flavor or image asks for by one key each and that a host offers as a trait
// (nova/scheduler/utils.py:ResourceRequest._translate_…_request).
type feature struct {
	flavorKey, imageKey string
	allowed             []string
	traits              map[string]string // value → trait; the others ask for nothing
}

var features = []feature{
	{
		"hw:pci_numa_affinity_policy", "hw_pci_numa_affinity_policy",
		[]string{"required", "legacy", "preferred", "socket"},
		map[string]string{"socket": "COMPUTE_SOCKET_PCI_NUMA_AFFINITY"},
	},
	{
		"os:secure_boot", "os_secure_boot",
		[]string{"required", "disabled", "optional"},
		map[string]string{"required": "COMPUTE_SECURITY_UEFI_SECURE_BOOT"},
	},
	{
		"hw:maxphysaddr_mode", "hw_maxphysaddr_mode",
		[]string{"passthrough", "emulate"},
		map[string]string{"passthrough": "COMPUTE_ADDRESS_SPACE_PASSTHROUGH", "emulate": "COMPUTE_ADDRESS_SPACE_EMULATED"},
	},
}

// addFeatures adds the traits and classes of guest features to the unsuffixed group.
func (b *builder) addFeatures() error {
	for _, step := range []func() error{b.addEncryption, b.addPersistentMemory, b.addTPM} {
		if err := step(); err != nil {
			return err
		}
	}
	for _, f := range features {
		value, err := b.feature(f.flavorKey, f.imageKey, f.allowed...)
		if err != nil {
			return err
		}
		if trait := f.traits[value]; trait != "" {
			b.require(trait)
		}
	}
	if truth(b.in.Image["hw_firmware_stateless"]) && b.in.Image["hw_firmware_type"] == "uefi" {
		b.require("COMPUTE_SECURITY_STATELESS_FIRMWARE")
	}
	return nil
}

func (b *builder) require(trait string) { b.group("").required.add(trait) }

// addTPM mirrors _translate_vtpm_request and nova/virt/hardware.py:get_vtpm_constraint.
func (b *builder) addTPM() error {
	version, err := b.feature("hw:tpm_version", "hw_tpm_version", "1.2", "2.0")
	if err != nil || version == "" {
		return err
	}
	model, err := b.feature("hw:tpm_model", "hw_tpm_model", "tpm-tis", "tpm-crb")
	if err != nil {
		return err
	}
	if model == "tpm-crb" && version != "2.0" {
		return b.refuse(Finding{Where: "flavor", Key: "hw:tpm_model", Value: model, Reason: ErrFeature, Message: "model needs TPM version 2.0"})
	}
	models := map[string]string{"": "COMPUTE_SECURITY_TPM_TIS", "tpm-tis": "COMPUTE_SECURITY_TPM_TIS", "tpm-crb": "COMPUTE_SECURITY_TPM_CRB"}
	versions := map[string]string{"1.2": "COMPUTE_SECURITY_TPM_1_2", "2.0": "COMPUTE_SECURITY_TPM_2_0"}
	b.require(models[model])
	b.require(versions[version])
	return nil
}

// addEncryption mirrors _translate_mem_encryption_request, which asks for the CPU's trait too since Nova 32.
func (b *builder) addEncryption() error {
	if !truth(b.in.Flavor.ExtraSpecs["hw:mem_encryption"]) && !truth(b.in.Image["hw_mem_encryption"]) {
		return nil
	}
	model, err := b.feature("hw:mem_encryption_model", "hw_mem_encryption_model", "amd-sev", "amd-sev-es", "amd-sev-snp")
	if err != nil {
		return err
	}
	if model == "" {
		model = "amd-sev"
	}
	if err := b.checkEncryption(model); err != nil {
		return err
	}
	b.group("").ask("MEM_ENCRYPTION_CONTEXT", amountOf(1))
	b.require("HW_CPU_X86_" + strings.ToUpper(strings.ReplaceAll(model, "-", "_")))
	return nil
}

// checkEncryption refuses an image that memory encryption cannot work with
// (nova/virt/hardware.py:get_mem_encryption_constraint).
func (b *builder) checkEncryption(model string) error {
	flavor, inFlavor := b.in.Flavor.ExtraSpecs["hw:mem_encryption"]
	image, inImage := b.in.Image["hw_mem_encryption"]
	machine := b.in.Image["hw_machine_type"]
	var key, message string
	switch {
	case inFlavor && inImage && truth(flavor) != truth(image):
		key, message = "hw_mem_encryption", "the flavor's hw:mem_encryption is "+flavor
	case b.in.Image["hw_firmware_type"] != "uefi":
		key, message = "hw_firmware_type", "memory encryption needs uefi"
	case machine != "" && !strings.Contains(machine, "q35"):
		key, message = "hw_machine_type", "memory encryption needs a q35 machine"
	case model == "amd-sev-snp" && !truth(b.in.Image["hw_firmware_stateless"]):
		key, message = "hw_firmware_stateless", "amd-sev-snp needs stateless firmware"
	default:
		return nil
	}
	return b.refuse(Finding{Where: "image", Key: key, Value: b.in.Image[key], Reason: ErrFeature, Message: message})
}

// addPersistentMemory asks for one namespace per label of hw:pmem (_translate_vpmems_request).
func (b *builder) addPersistentMemory() error {
	counts := map[string]int{}
	for label := range strings.SplitSeq(b.in.Flavor.ExtraSpecs["hw:pmem"], ",") {
		if label = strings.TrimSpace(label); label != "" {
			counts[customClass("PMEM_NAMESPACE_"+label)]++
		}
	}
	for class, n := range counts {
		b.group("").ask(class, amountOf(n))
	}
	return nil
}

// customClass makes a custom class of a name (os_resource_classes.normalize_name).
func customClass(name string) string {
	var b strings.Builder
	b.WriteString(customPrefix)
	gap := false
	for _, r := range strings.ToUpper(name) {
		word := r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		switch {
		case word:
			b.WriteRune(r)
		case !gap:
			b.WriteByte('_')
		}
		gap = !word
	}
	return b.String()
}

// feature returns the value that flavor and image agree on (nova/virt/hardware.py:_get_unique_flavor_image_meta).
func (b *builder) feature(flavorKey, imageKey string, allowed ...string) (string, error) {
	flavor, image := b.in.Flavor.ExtraSpecs[flavorKey], b.in.Image[imageKey]
	if flavor != "" && image != "" && flavor != image {
		return "", b.refuse(Finding{
			Where: "image", Key: imageKey, Value: image, Reason: ErrFeature,
			Message: fmt.Sprintf("the flavor's %s is %q", flavorKey, flavor),
		})
	}
	value := flavor
	if value == "" {
		value = image
	}
	if value != "" && !slices.Contains(allowed, value) {
		return "", b.refuse(Finding{
			Where: "flavor", Key: flavorKey, Value: value, Reason: ErrFeature,
			Message: "value must be " + oneOf(allowed),
		})
	}
	return value, nil
}
