package cyborgclient

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/requestspec"
)

// DeviceProfile names the accelerators that a flavor or port wants
// (openstack/cyborg: cyborg/objects/device_profile.py).
type DeviceProfile struct {
	UUID, Name  string
	Description string // "" for null
	Groups      []requestspec.ProfileGroup
	CreatedAt   Timestamp
	UpdatedAt   Timestamp
	// Raw is the object as Cyborg sent it.
	Raw json.RawMessage
}

type deviceProfileWire struct {
	UUID        string                     `json:"uuid"`
	Name        string                     `json:"name"`
	Description nullable                   `json:"description"`
	Groups      []requestspec.ProfileGroup `json:"groups"`
	CreatedAt   Timestamp                  `json:"created_at"`
	UpdatedAt   Timestamp                  `json:"updated_at"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *DeviceProfile) UnmarshalJSON(data []byte) error {
	var w deviceProfileWire
	if err := json.Unmarshal(data, &w); err != nil {
		return &decodeError{"device profile", err}
	}
	*p = DeviceProfile{
		UUID: w.UUID, Name: w.Name, Description: string(w.Description), Groups: w.Groups,
		CreatedAt: w.CreatedAt, UpdatedAt: w.UpdatedAt, Raw: slices.Clone(data),
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (p DeviceProfile) MarshalJSON() ([]byte, error) { return keepRaw(p, p.Raw) }

func (p DeviceProfile) wire() any {
	return deviceProfileWire{p.UUID, p.Name, nullable(p.Description), p.Groups, p.CreatedAt, p.UpdatedAt}
}

// DeviceProfiles lists all profiles, in order of creation. One broken profile
// makes the service refuse the list; DeviceProfileByName still works then.
func (c *Client) DeviceProfiles(ctx context.Context) ([]DeviceProfile, error) {
	return c.listDeviceProfiles(ctx, "list device profiles", "device_profiles")
}

// DeviceProfileByName finds the one profile of that exact name. It uses the
// list, as Nova does (nova/accelerator/cyborg.py: get_device_profile_groups):
// the list works at every microversion and for every role. The error is
// ErrNotFound for none and ErrAmbiguousProfile for several.
func (c *Client) DeviceProfileByName(ctx context.Context, name string) (*DeviceProfile, error) {
	op := "get device profile " + name
	if err := checkLookupName(name); err != nil {
		return nil, invalid(op, "%w", err)
	}
	return c.profileByName(ctx, op, name)
}

func (c *Client) profileByName(ctx context.Context, op, name string) (*DeviceProfile, error) {
	profiles, err := c.listDeviceProfiles(ctx, op, "device_profiles?name="+url.QueryEscape(name))
	if err != nil {
		return nil, err
	}
	profiles = slices.DeleteFunc(profiles, func(p DeviceProfile) bool { return p.Name != name })
	switch len(profiles) {
	case 0:
		return nil, &Error{Op: op, Err: fmt.Errorf("%w: there is no device profile of this name", ErrNotFound)}
	case 1:
		return &profiles[0], nil
	}
	return nil, &Error{Op: op, Err: fmt.Errorf("%w: %d profiles have this name", ErrAmbiguousProfile, len(profiles))}
}

func (c *Client) listDeviceProfiles(ctx context.Context, op, path string) ([]DeviceProfile, error) {
	return list[DeviceProfile](ctx, c, request{name: "list device profiles", op: op, method: http.MethodGet, path: path}, "device_profiles")
}

// DeviceProfileCreate is what a new profile consists of. Name and Groups are
// required. A profile cannot be changed later.
type DeviceProfileCreate struct {
	Name        string                     `json:"name"`
	Description string                     `json:"description,omitempty"`
	Groups      []requestspec.ProfileGroup `json:"groups"`
}

// CreateDeviceProfile makes a profile. What the service would answer with 500,
// or take and choke on later, is refused before it is sent (ErrInvalid). A name
// that is taken is ErrExists.
func (c *Client) CreateDeviceProfile(ctx context.Context, create DeviceProfileCreate) (*DeviceProfile, error) {
	op := "create device profile " + create.Name
	if err := create.check(); err != nil {
		return nil, invalid(op, "%w", err)
	}
	body := []DeviceProfileCreate{create} // the API takes a list of exactly one
	return get[DeviceProfile](ctx, c, request{name: "create device profile", op: op, method: http.MethodPost, path: "device_profiles", body: body})
}

// DeleteDeviceProfile deletes the profile of that name or uuid. While ARQs of
// it exist the error is ErrInUse. A name is looked up first and the profile of
// exactly this name deleted by its uuid: the service would take "gpu" for "GPU"
// and for "gpu.json" too. A profile that is not there any more after an attempt
// whose answer was lost counts as deleted.
func (c *Client) DeleteDeviceProfile(ctx context.Context, nameOrUUID string) error {
	op := "delete device profile " + nameOrUUID
	uuid, err := canonical(nameOrUUID)
	if err != nil {
		if !profileName.MatchString(nameOrUUID) {
			return invalid(op, "%w", errProfileName(nameOrUUID))
		}
		profile, err := c.profileByName(ctx, op, nameOrUUID)
		if err != nil {
			return err
		}
		uuid = profile.UUID
	}
	return c.do(ctx, request{
		name: "delete device profile", op: op, method: http.MethodDelete, path: "device_profiles/" + url.PathEscape(uuid), repeatable: true,
	})
}

// checkLookupName refuses what the service would take for several names, or,
// on MariaDB, for another name: it ignores blanks at the end. An ending .json it
// cuts off.
func checkLookupName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("the name is empty")
	case strings.ContainsAny(name, ",/"):
		return fmt.Errorf("the name %q has a comma or a slash in it", name)
	case strings.TrimSpace(name) != name:
		return fmt.Errorf("the name %q has blanks around it", name)
	}
	return nil
}
