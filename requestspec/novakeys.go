package requestspec

import (
	"regexp"
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/internal/near"
)

// numbered ends the keys that end in a number.
const numbered = ".N"

// novaKeys are the extra specs that Nova knows in the namespaces that say what a guest is made of
// (nova/api/validation/extra_specs/hw.py, os.py, pci_passthrough.py, null.py, and the older names that
// nova/virt/hardware.py reads).
var novaKeys = []string{
	"hw:cpu_policy", "hw:cpu_thread_policy", "hw:emulator_threads_policy", "hw:cpu_dedicated_mask",
	"hw:cpu_realtime", "hw:cpu_realtime_mask",
	"hw:cpu_sockets", "hw:cpu_cores", "hw:cpu_threads", "hw:max_cpu_sockets", "hw:max_cpu_cores", "hw:max_cpu_threads",
	"hw:cpu_max_sockets", "hw:cpu_max_cores", "hw:cpu_max_threads",
	"hw:numa_nodes", "hw:numa_cpus" + numbered, "hw:numa_mem" + numbered, "hw:pci_numa_affinity_policy",
	"hw:mem_page_size", "hw:locked_memory", "hw:mem_encryption", "hw:mem_encryption_model", "hw:pmem",
	"hw:maxphysaddr_mode", "hw:maxphysaddr_bits",
	"hw:tpm_version", "hw:tpm_model", "hw:tpm_secret_security",
	"hw:ephemeral_encryption", "hw:ephemeral_encryption_format",
	"hw:viommu_model", "hw:virtio_packed_ring", "hw:vif_multiqueue_enabled", "hw:pmu", "hw:serial_port_count",
	"hw:watchdog_action", "hw:boot_menu", "hw:hide_hypervisor_id", "hide_hypervisor_id",
	"hw:sound_model", "hw:usb_model", "hw:redirected_usb_ports",
	"os:secure_boot",
}

var trailingNumber = regexp.MustCompile(`\.[0-9]+$`)

// meantNovaKey finds what should be a key that Nova knows; "" for a key that it knows or that resembles none. Nova ignores
// the key, so that a guest lacks what its flavor asks for.
func meantNovaKey(key string) string {
	if meantPCIAlias(key) {
		return keyPCIAlias
	}
	key = trailingNumber.ReplaceAllLiteralString(key, numbered)
	best, meant := nearest+1, ""
	for _, known := range novaKeys {
		if key == known {
			return ""
		}
		if d := keyDistance(key, known); d < best {
			best, meant = d, known
		}
	}
	return meant
}

// meantPCIAlias finds what should be pci_passthrough:alias, the only key of its namespace.
func meantPCIAlias(key string) bool {
	folded := foldKey(key)
	resembles := slices.ContainsFunc([]string{keyPCIAlias, "pci_passthru:alias"}, func(s string) bool {
		return near.Distance(folded, foldKey(s), nearest) <= nearest
	})
	return resembles || strings.HasPrefix(folded, foldKey("pci_passthrough")) && strings.Contains(key, ":")
}

// shortWord is the length of words of which two other letters make another word: gpu_model is no tpm_model, and my no hw.
const shortWord = 8

// keyDistance is how many letters a key differs from a known one, or some number above nearest where it is another key.
func keyDistance(key, known string) int {
	namespace, name, spaced := strings.Cut(key, ":")
	knownSpace, knownName, knownSpaced := strings.Cut(known, ":")
	if spaced && knownSpaced && (anotherWord(namespace, knownSpace) || anotherWord(name, knownName)) {
		return nearest + 1
	}
	return near.Distance(foldKey(key), foldKey(known), nearest)
}

func anotherWord(word, known string) bool {
	known = foldKey(known)
	return len(known) <= shortWord && near.Distance(foldKey(word), known, nearest) > 1
}
