package cyborgclient

import (
	"context"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

// Microversion is a version of the API, for example 2.3; the zero value means
// none. It is a struct:
//
//	Major, Minor int
//
//	func (m Microversion) String() string                 // "2.3"
//	func (m Microversion) Compare(other Microversion) int // negative when m is older
type Microversion = osapi.Microversion

// Versions is a range of microversions, both zero when the server has none. It is
// a struct:
//
//	Min, Max Microversion
//
//	func (v Versions) Supports(version Microversion) bool // says whether it lies in the range
type Versions = osapi.Versions

// Versions reads which microversions the server has, from the version document
// of /v2. It needs no token. The document is read once per client, and again when an
// answer contradicts it, as while a cloud is upgraded. An answer that is no
// version document is ErrInvalidAnswer.
func (c *Client) Versions(ctx context.Context) (Versions, error) {
	return c.knownVersions(ctx, "read versions")
}
