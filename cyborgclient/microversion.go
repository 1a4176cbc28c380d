package cyborgclient

import (
	"context"
	"fmt"
	"net/http"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

// The microversions that a call needs (openstack/cyborg:
// cyborg/api/rest_api_version_history.rst).
var (
	versionBindProject   = osapi.Microversion{Major: 2, Minor: 1} // /project_id in a bind
	versionProfileByName = osapi.Microversion{Major: 2, Minor: 2} // show of a profile by name
	versionDeviceStatus  = osapi.Microversion{Major: 2, Minor: 3} // status of a device
)

// serviceAt is the client to send the request with: one copy per microversion,
// since the field for it is plain and shared.
func (c *Client) serviceAt(ctx context.Context, r request) (*gophercloud.ServiceClient, error) {
	if r.version == (osapi.Microversion{}) {
		return c.service, nil
	}
	versions, err := c.knownVersions(ctx, r.text())
	if err != nil {
		return nil, err
	}
	switch {
	case versions == (osapi.Versions{}):
		return nil, &Error{Op: r.text(), Err: fmt.Errorf("%w: it needs microversion %v, the server has none", ErrVersion, r.version)}
	case !versions.Supports(r.version):
		return nil, &Error{Op: r.text(), Err: fmt.Errorf("%w: it needs microversion %v, the server has %v to %v", ErrVersion, r.version, versions.Min, versions.Max)}
	}
	if c.bare.Load() {
		return osapi.WithBareMicroversion(c.service, r.version), nil
	}
	return osapi.WithMicroversion(c.service, r.version), nil
}

// knownVersions is the server's range, which is read when it is needed first.
// op is what needs it.
func (c *Client) knownVersions(ctx context.Context, op string) (osapi.Versions, error) {
	if versions, known := c.versions.Known(); known {
		return versions, nil
	}
	var versions osapi.Versions
	err := c.observe(ctx, "read versions", http.MethodGet, func(ctx context.Context) (a answer, err error) {
		if versions, err = c.versions.Get(ctx, c.service); err != nil {
			return answer{}, failedRequest(request{op: op, method: http.MethodGet}, err)
		}
		return answer{status: http.StatusOK}, nil
	})
	return versions, err
}

// ignoredVersion sees that the server served an older version than asked for,
// as 2024.1 to 2026.1 do for the standard header (Launchpad bug 2049489). Only
// what was surely not carried out is asked again: reads, and 406.
func (c *Client) ignoredVersion(r request, header http.Header, err error) bool {
	if r.version == (osapi.Microversion{}) || c.bare.Load() {
		return false
	}
	failure, refused := osapi.FailureOf(err)
	if refused {
		header = failure.Header
	}
	served, ok := osapi.ServedMicroversion(header, serviceType)
	if !ok || served.Compare(r.version) >= 0 {
		return false
	}
	return r.method == http.MethodGet || refused && failure.StatusCode == http.StatusNotAcceptable
}
