package cyborgclient

import (
	"context"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

// Microversion is a version of the API, for example 2.3.
type Microversion = osapi.Microversion

// Versions is a range of microversions; Supports says whether one lies in it.
type Versions = osapi.Versions

// Versions reads which microversions the server has, from the version document
// of /v2. It needs no token. The document is read once per client.
func (c *Client) Versions(ctx context.Context) (Versions, error) {
	return c.knownVersions(ctx, "read versions")
}
