package requestspec

import (
	"errors"
	"fmt"
	"strings"
)

const keyPCIAlias = "pci_passthrough:alias"

// PCIAlias is one request of a flavor for PCI devices that Nova, not Cyborg, owns.
type PCIAlias struct {
	Name  string
	Count int
}

// ParsePCIAliases reads the value of the extra spec pci_passthrough:alias: NAME:COUNT, comma-separated. Blanks around
// a name are dropped, those inside belong to it (nova/pci/request.py:_translate_alias_to_requests).
func ParsePCIAliases(value string) ([]PCIAlias, error) {
	var aliases []PCIAlias
	for text := range strings.SplitSeq(value, ",") {
		name, count, found := strings.Cut(text, ":")
		n, err := parseInt(count)
		name = strings.TrimSpace(name)
		if !found || name == "" || err != nil || n.wide != nil || n.n < 1 || n.n > largestTotal {
			return nil, fmt.Errorf("PCI alias %q: must be NAME:COUNT, with a count of 1 or more", text)
		}
		aliases = append(aliases, PCIAlias{Name: name, Count: int(n.n)})
	}
	return aliases, nil
}

// CheckPCIAliases checks the names of the aliases that a cloud defines. One name may stand for several kinds of devices
// as long as Nova counts PCI devices itself; with PCI devices in Placement each name must be defined once, because one
// group of a request cannot ask for one of several classes.
func CheckPCIAliases(defined []string, inPlacement bool) error {
	if !inPlacement {
		return nil
	}
	var errs []error
	seen := map[string]bool{}
	for _, name := range defined {
		if seen[name] {
			errs = append(errs, fmt.Errorf("PCI alias %q: defined more than once, which PCI devices in Placement do not allow", name))
		}
		seen[name] = true
	}
	return errors.Join(errs...)
}
