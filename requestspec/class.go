package requestspec

import (
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/internal/near"
)

// Base classes, which a flavor asks for by its own sizes (os-resource-classes).
const (
	classVCPU   = "VCPU"
	classPCPU   = "PCPU"
	classMemory = "MEMORY_MB"
	classDisk   = "DISK_GB"
)

const customPrefix = "CUSTOM_"

// standardClasses are the classes that every Placement knows (os-resource-classes).
var standardClasses = map[string]bool{
	classVCPU: true, classPCPU: true, classMemory: true, classDisk: true,
	"PCI_DEVICE": true, "SRIOV_NET_VF": true,
	"NUMA_SOCKET": true, "NUMA_CORE": true, "NUMA_THREAD": true, "NUMA_MEMORY_MB": true,
	"IPV4_ADDRESS": true,
	"VGPU":         true, "VGPU_DISPLAY_HEAD": true,
	"NET_BW_EGR_KILOBIT_PER_SEC": true, "NET_BW_IGR_KILOBIT_PER_SEC": true,
	"NET_PACKET_RATE_KILOPACKET_PER_SEC":     true,
	"NET_PACKET_RATE_EGR_KILOPACKET_PER_SEC": true,
	"NET_PACKET_RATE_IGR_KILOPACKET_PER_SEC": true,
	"MEM_ENCRYPTION_CONTEXT":                 true,
	"FPGA":                                   true, "PGPU": true,
}

// acceptedClass is Nova's check (nova/objects/request_spec.py:RequestGroup.add_resource).
func acceptedClass(name string) bool {
	return strings.HasPrefix(name, customPrefix) || standardClasses[name]
}

// validClass is Placement's check of the name (placement/schemas/resource_class.py).
func validClass(name string) bool {
	return standardClasses[name] || len(name) > len(customPrefix) && strings.HasPrefix(name, customPrefix) && validName(name)
}

func baseClass(name string) bool {
	return name == classVCPU || name == classPCPU || name == classMemory || name == classDisk
}

// didYouMean names the standard classes that a class was probably meant to be, "" if it resembles none.
func didYouMean(class string) string {
	least, meant := nearest, []string(nil)
	for _, standard := range sortedKeys(standardClasses) {
		d := near.Distance(strings.ToUpper(class), standard, nearest)
		// Two letters of four make another word.
		if d > least || 2*d >= len(standard) {
			continue
		}
		if d < least {
			least, meant = d, nil
		}
		meant = append(meant, standard)
	}
	return near.Question(meant)
}

// traitPrefixes are how the traits of os-traits begin, and how all others do.
var traitPrefixes = []string{customPrefix, "COMPUTE_", "HW_", "MISC_", "OWNER_", "STORAGE_"}

func knownTraitPrefix(trait string) bool {
	return slices.ContainsFunc(traitPrefixes, func(prefix string) bool { return strings.HasPrefix(trait, prefix) })
}

// validName reports whether s is a name of a resource class or trait: 1 to 255 of A-Z 0-9 _.
func validName(s string) bool {
	if s == "" || len(s) > 255 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; c != '_' && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
