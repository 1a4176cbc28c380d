package lifecycle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/requestspec"
)

// RecordVersion is the version of the JSON form of a [Record].
const RecordVersion = 1

// Record is all that must be remembered of an instance to take back or move its accelerators later. The caller
// stores it; its JSON form is versioned.
type Record struct {
	Version  int    `json:"version"`
	Instance string `json:"instance"`
	// Hostname is the name of the compute node's provider: Nova's node name, not the service host.
	Hostname string          `json:"hostname"`
	Claim    placement.Claim `json:"claim"`
	// Profiles has the device profiles as they were at creation, the flavor's first; Nova keeps none (B21).
	Profiles []ProfileSnapshot `json:"profiles"`
	// ARQs has the uuid of every ARQ, in the order of creation.
	ARQs []string `json:"arqs"`
	// PortARQs maps a port to its ARQ.
	PortARQs map[string]string `json:"port_arqs,omitempty"`
}

// ProfileSnapshot is a device profile as it was when it was read.
type ProfileSnapshot struct {
	UUID   string                     `json:"uuid"`
	Name   string                     `json:"name"`
	Groups []requestspec.ProfileGroup `json:"groups"`
	// Hash is the SHA-256 of the groups in hexadecimal; it differs if and only if the request would.
	Hash string `json:"hash"`
}

func snapshot(profile *cyborgclient.DeviceProfile) (ProfileSnapshot, error) {
	groups, err := json.Marshal(profile.Groups)
	if err != nil {
		return ProfileSnapshot{}, fmt.Errorf("hash device profile %s: %w", profile.Name, err)
	}
	sum := sha256.Sum256(groups)
	return ProfileSnapshot{
		UUID: profile.UUID, Name: profile.Name, Groups: profile.Groups, Hash: hex.EncodeToString(sum[:]),
	}, nil
}
