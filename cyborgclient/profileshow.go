package cyborgclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

// DeviceProfile reads one profile by its uuid or its name. By name it needs
// microversion 2.2; where the server is older, or allows it to admins only (as
// the releases 2025.1 to 2026.1 do in effect), the list is used. A profile whose
// name looks like a uuid is found by DeviceProfileByName only.
func (c *Client) DeviceProfile(ctx context.Context, nameOrUUID string) (*DeviceProfile, error) {
	op := "get device profile " + nameOrUUID
	if err := checkLookupName(nameOrUUID); err != nil {
		return nil, invalid(op, "%w", err)
	}
	uuid, err := canonical(nameOrUUID)
	if err != nil {
		return c.profileByShow(ctx, op, nameOrUUID)
	}
	profile, err := c.showProfile(ctx, request{name: "get device profile", op: op, method: http.MethodGet, path: "device_profiles/" + uuid})
	if errors.Is(err, ErrForbidden) {
		return c.profileFromList(ctx, op, uuid)
	}
	return profile, err
}

// profileByShow asks for a name at the version that knows names, where there is
// one.
func (c *Client) profileByShow(ctx context.Context, op, name string) (*DeviceProfile, error) {
	r := request{name: "get device profile", op: op, method: http.MethodGet, path: "device_profiles/" + url.PathEscape(name)}
	versions, err := c.knownVersions(ctx, op)
	if err != nil {
		return nil, err
	}
	if r.version = newest(versions, versionProfileByName); r.version == (osapi.Microversion{}) {
		return c.profileByName(ctx, op, name)
	}
	profile, err := c.showProfile(ctx, r)
	switch {
	case errors.Is(err, ErrForbidden) || errors.Is(err, ErrVersion):
		return c.profileByName(ctx, op, name)
	case err == nil && profile.Name != name: // MariaDB compares without case, and an ending .json is cut off
		return nil, &Error{Op: op, Err: fmt.Errorf("%w: there is only %q", ErrNotFound, profile.Name)}
	}
	return profile, err
}

// profileFromList finds a profile by its uuid, for which the list has no filter.
func (c *Client) profileFromList(ctx context.Context, op, uuid string) (*DeviceProfile, error) {
	profiles, err := c.listDeviceProfiles(ctx, op, "device_profiles")
	if err != nil {
		return nil, err
	}
	for _, profile := range profiles {
		if sameUUID(profile.UUID, uuid) {
			return &profile, nil
		}
	}
	return nil, &Error{Op: op, Err: fmt.Errorf("%w: there is no device profile of this uuid", ErrNotFound)}
}

func (c *Client) showProfile(ctx context.Context, r request) (*DeviceProfile, error) {
	profile := new(DeviceProfile)
	r.decode = func(body []byte) error {
		object, err := profileObject(body)
		if err == nil {
			err = decodeObject(object, profile)
		}
		return r.unusable(err)
	}
	if err := c.do(ctx, r); err != nil {
		return nil, err
	}
	return profile, nil
}

// profileObject finds the profile in an answer. The key "device_profile" around
// it was missing in some releases, and a list of one is
// what a proxy that only knows the list gives.
func profileObject(body []byte) ([]byte, error) {
	var answer struct {
		One  json.RawMessage   `json:"device_profile"`
		List []json.RawMessage `json:"device_profiles"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, err
	}
	switch {
	case answer.One != nil:
		return answer.One, nil
	case len(answer.List) == 1:
		return answer.List[0], nil
	}
	return body, nil
}
