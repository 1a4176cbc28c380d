package fakecyborg

import (
	"fmt"
	"slices"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// kind is the kind of cards of that name, as the release's driver reports them.
func (r Release) kind(name string) (driver.Kind, error) {
	kind, err := driver.Named(name)
	if err != nil {
		return driver.Kind{}, err
	}
	if !slices.Contains(r.Drivers, name) {
		return driver.Kind{}, fmt.Errorf("%q: Cyborg %s (%s) has no such driver%s", name, r.Version, r.Series, firstWith(name))
	}
	if !r.PCIOwner {
		kind = kind.Unowned()
	}
	return kind, nil
}

// firstWith names the first release with a driver.
func firstWith(name string) string {
	for _, release := range Releases() {
		if slices.Contains(release.Drivers, name) {
			return fmt.Sprintf(", the first with it is %s (%s): play that or a later one", release.Version, release.Series)
		}
	}
	return ""
}

// machine is a host without cards, whose cards are as the release's drivers report them.
func (r Release) machine(host Host) (*driver.Machine, error) {
	opts := []driver.MachineOption{driver.WithProgrammingTime(host.ProgrammingTime)}
	if !r.PCIOwner {
		opts = append(opts, driver.WithoutPCIOwner())
	}
	return driver.NewMachine(host.Name, opts...)
}
