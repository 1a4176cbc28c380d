package cyborgclient

import (
	"fmt"

	"github.com/novacyborg/novacyborg/requestspec"
)

// Match finds the resource provider of each ARQ: that of its profile group in
// Placement's mapping of request groups to providers. owner is "" for the
// flavor's profile and the port's id for a port's. The result maps ARQ uuids to
// provider uuids, for Binding.DeviceRP. It mirrors nova/accelerator/cyborg.py:
// get_arq_device_rp_uuid. A group without exactly one provider is
// ErrNoProvider. This is the one to use before Bind, with the Mapping of a
// placement.Candidate; for one group, without ARQs, there is placement's
// Candidate.Provider.
func Match(arqs []ARQ, mapping map[string][]string, owner string) (map[string]string, error) {
	providers := make(map[string]string, len(arqs))
	for _, arq := range arqs {
		id := requestspec.RequesterID(arq.DeviceProfileGroupID, owner)
		if len(mapping[id]) != 1 {
			return nil, &Error{
				Op:  "match ARQ " + arq.UUID,
				Err: fmt.Errorf("%w: request group %s has %d providers in the mapping", ErrNoProvider, id, len(mapping[id])),
			}
		}
		providers[arq.UUID] = mapping[id][0]
	}
	return providers, nil
}
