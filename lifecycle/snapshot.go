package lifecycle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/requestspec"
)

// ProfileSnapshot is a device profile as it was when it was read.
type ProfileSnapshot struct {
	UUID   string                     `json:"uuid,omitempty"`
	Name   string                     `json:"name"`
	Groups []requestspec.ProfileGroup `json:"groups,omitempty"`
	// Hash is the SHA-256 of the groups in hexadecimal; it differs if and only if the request would.
	Hash string `json:"hash,omitempty"`
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
