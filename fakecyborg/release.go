package fakecyborg

import (
	"fmt"
	"slices"
	"strings"
)

// Release is how Cyborg of one release behaves where releases differ. The
// server reads only these fields, never the release's name. The zero value is
// not useful; take a value from [FindRelease] or [Newest] and change it.
type Release struct {
	// Series is the name of the OpenStack release: "2026.2".
	Series string
	// Version is Cyborg's own version: "17.0.0".
	Version string
	// MaxMicroversion is the highest minor number of API 2 that is served.
	MaxMicroversion int
	// NamedMicroversion says that the request header "accelerator 2.N" is
	// understood and that the answer's header has this form. Without it only the
	// bare "2.N" is understood and sent, and every other text means 2.0
	// (Launchpad cyborg 2049489 and its fix, releases 2024.1 to 2026.1).
	NamedMicroversion bool
}

// releases are the known releases, oldest first.
var releases = []Release{
	{Series: "2025.1", Version: "14.1.0", MaxMicroversion: 3},
	{Series: "2026.2", Version: "17.0.0", MaxMicroversion: 3, NamedMicroversion: true},
}

// Newest is the release that a server plays unless told otherwise.
func Newest() Release { return releases[len(releases)-1] }

// FindRelease returns the release of that series ("2025.1") or Cyborg version
// ("14.1.0"). The error lists the known ones.
func FindRelease(name string) (Release, error) {
	known := make([]string, 0, len(releases))
	for _, release := range releases {
		if name == release.Series || name == release.Version {
			return release, nil
		}
		known = append(known, release.Series+" ("+release.Version+")")
	}
	slices.Reverse(known)
	return Release{}, fmt.Errorf("release %q: unknown, known are %s", name, strings.Join(known, ", "))
}
