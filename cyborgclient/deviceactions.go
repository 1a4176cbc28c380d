package cyborgclient

import (
	"context"
	"net/http"
	"net/url"
	"strings"
)

// DeviceFilter narrows a list of devices. Each field that is not "" must be
// equal; the zero value lets all pass.
type DeviceFilter struct{ Type, Vendor, Hostname string }

// Devices lists the devices that the filter lets pass, of all hosts: the newest
// first with a filter, the oldest without. A value that nothing has gives an
// empty list. Many releases allow it to admins only (ErrForbidden).
func (c *Client) Devices(ctx context.Context, filter DeviceFilter) ([]Device, error) {
	const op = "list devices"
	path := withQuery("devices", "type", filter.Type, "vendor", filter.Vendor, "hostname", filter.Hostname)
	return again(c, func() ([]Device, error) {
		version, err := c.deviceVersion(ctx, op)
		if err != nil {
			return nil, err
		}
		return list[Device](ctx, c, request{name: op, method: http.MethodGet, path: path, version: version, since: "Ussuri"}, "devices")
	})
}

// Device reads one device.
func (c *Client) Device(ctx context.Context, uuid string) (*Device, error) {
	op := "get device " + uuid
	uuid, err := canonical(uuid)
	if err != nil {
		return nil, invalid(op, "%w", err)
	}
	return again(c, func() (*Device, error) {
		version, err := c.deviceVersion(ctx, op)
		if err != nil {
			return nil, err
		}
		return get[Device](ctx, c, request{name: "get device", op: op, method: http.MethodGet, path: "devices/" + uuid, version: version, since: "Ussuri"})
	})
}

// EnableDevice ends a device's maintenance: Placement offers it again. It is no
// error to repeat it. It needs release 2023.2.
func (c *Client) EnableDevice(ctx context.Context, uuid string) error {
	return c.deviceAction(ctx, "enable", uuid)
}

// DisableDevice takes a device out of service: its status becomes "maintaining"
// and its inventory is reserved in Placement. ARQs that are bound stay bound.
// The service stores the status first and looks the inventory up by a number
// that can belong to another device; after an error, or with several deployables
// to a device, read both again.
func (c *Client) DisableDevice(ctx context.Context, uuid string) error {
	return c.deviceAction(ctx, "disable", uuid)
}

func (c *Client) deviceAction(ctx context.Context, action, uuid string) error {
	op := action + " device " + uuid
	uuid, err := canonical(uuid)
	if err != nil {
		return invalid(op, "%w", err)
	}
	return c.do(ctx, request{
		name: action + " device", op: op, method: http.MethodPost, path: "devices/" + uuid + "/" + action, status: http.StatusNoContent, since: "2023.2",
	})
}

// withQuery appends those of the pairs of name and value whose value is not "",
// in their order.
func withQuery(path string, pairs ...string) string {
	var query []string
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			query = append(query, pairs[i]+"="+url.QueryEscape(pairs[i+1]))
		}
	}
	if query == nil {
		return path
	}
	return path + "?" + strings.Join(query, "&")
}
