package cyborgclient

import (
	"context"
	"errors"
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
	return c.inForm(r.version, c.bare.Load()), nil
}

// inForm is the client that asks for the version, in the bare form or in the
// standard one.
func (c *Client) inForm(version osapi.Microversion, bare bool) *gophercloud.ServiceClient {
	if bare {
		return osapi.WithBareMicroversion(c.service, version)
	}
	return osapi.WithMicroversion(c.service, version)
}

// knownVersions is the server's range, which is read when it is needed first.
// op is what needs it.
func (c *Client) knownVersions(ctx context.Context, op string) (osapi.Versions, error) {
	versions, err := c.versions.Get(ctx, c.readVersions)
	if failure, ok := errors.AsType[*Error](err); ok {
		named := *failure // others may share it
		named.Op = op
		return versions, &named
	}
	if err != nil { // the caller's time ended while another call was reading
		return versions, failed(op, err)
	}
	return versions, nil
}

func (c *Client) readVersions(ctx context.Context) (versions osapi.Versions, err error) {
	const name = "read versions"
	err = c.observe(ctx, name, http.MethodGet, func(ctx context.Context) (a answer, err error) {
		versions, a.header, err = osapi.Discover(ctx, c.service)
		if a.header != nil {
			a.status = http.StatusOK
		}
		if err != nil {
			return a, failedRequest(request{name: name, method: http.MethodGet}, err)
		}
		return a, nil
	})
	return versions, err
}

// misread sees that the server served another version than was asked for, as
// 2024.1 to 2026.1 do with the standard header (Launchpad bug 2049489), and others
// with the bare one. Only what was surely not carried out is asked again: reads,
// and 406.
func misread(r request, header http.Header, err error) bool {
	if r.version == (osapi.Microversion{}) {
		return false
	}
	failure, refused := osapi.FailureOf(err)
	if refused {
		header = failure.Header
	}
	served, ok := osapi.ServedMicroversion(header, serviceType)
	if !ok || served == r.version {
		return false
	}
	return r.method == http.MethodGet || refused && failure.StatusCode == http.StatusNotAcceptable
}

// sendInForm sends the request in the form that this server understood last, and
// if it did not, in the other one. While a cloud is upgraded both sorts of
// servers may answer. A server that understands neither is not the one whose
// range is known.
func (c *Client) sendInForm(ctx context.Context, service *gophercloud.ServiceClient, r request) (answer, error) {
	a, err := c.send(ctx, service, r)
	if misread(r, a.header, err) {
		bare := service.Microversion != "" // that is, when it was not
		a, err = c.send(ctx, c.inForm(r.version, bare), r)
		if misread(r, a.header, err) {
			c.versions.Forget()
		} else {
			c.bare.Store(bare)
		}
	}
	header := a.header
	if failure, refused := osapi.FailureOf(err); refused {
		header = failure.Header
	}
	c.versions.Look(header)
	return a, err
}

// again repeats a read once when it failed for its version and the server turned
// out to be another one than it was, older or newer.
func again[T any](c *Client, read func() (T, error)) (T, error) {
	result, err := read()
	if _, known := c.versions.Known(); !known && errors.Is(err, ErrVersion) {
		return read()
	}
	return result, err
}
