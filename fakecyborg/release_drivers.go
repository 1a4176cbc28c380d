package fakecyborg

import (
	"fmt"
	"slices"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// kind is the kind of cards of that name, as the release's driver reports them, or a
// [*driver.Error].
func (r Release) kind(name string) (driver.Kind, error) {
	kind, err := driver.Named(name)
	if err != nil {
		return driver.Kind{}, err
	}
	if !slices.Contains(r.Drivers, name) {
		reason := fmt.Errorf("%w: Cyborg %s (%s) has none of that name%s", driver.ErrUnknownDriver, r.Version, r.Series, firstWith(name))
		return driver.Kind{}, &driver.Error{Driver: name, Field: "driver", Value: name, Err: reason}
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

// machine is a host without cards, which takes those of the release's drivers and
// tells of each change.
func (r Release) machine(host Host, changed func()) (*driver.Machine, error) {
	return driver.NewMachine(host.Name, driver.WithProgrammingTime(host.ProgrammingTime), driver.WithKinds(r.kind), driver.WithChanges(changed))
}
