package osapi

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
)

// Microversion is a version of an API, for example 1.36. The zero value means
// none.
type Microversion struct{ Major, Minor int }

// ParseMicroversion reads the form "2.3".
func ParseMicroversion(text string) (Microversion, error) {
	major, minor, ok := strings.Cut(text, ".")
	if !ok || !digits(major) || !digits(minor) {
		return Microversion{}, fmt.Errorf("microversion %q is not of the form 2.3", text)
	}
	ma, errMajor := strconv.Atoi(major)
	mi, errMinor := strconv.Atoi(minor)
	if err := cmp.Or(errMajor, errMinor); err != nil {
		return Microversion{}, fmt.Errorf("microversion %q: %w", text, err)
	}
	return Microversion{ma, mi}, nil
}

func digits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// String prints the form that ParseMicroversion reads.
func (m Microversion) String() string { return fmt.Sprintf("%d.%d", m.Major, m.Minor) }

// Compare is negative when m is older than other, positive when it is newer.
func (m Microversion) Compare(other Microversion) int {
	return cmp.Or(cmp.Compare(m.Major, other.Major), cmp.Compare(m.Minor, other.Minor))
}

// microversionHeader is the header of the API working group's guideline.
const microversionHeader = "OpenStack-API-Version"

// WithMicroversion returns a copy of the client that asks for the version in
// the standard form "accelerator 2.2". The client itself, which others may be
// using, stays as it is.
func WithMicroversion(client *gophercloud.ServiceClient, version Microversion) *gophercloud.ServiceClient {
	copied := *client
	copied.Microversion = version.String()
	copied.MoreHeaders = maps.Clone(client.MoreHeaders)
	return &copied
}

// WithBareMicroversion is WithMicroversion with the header's value "2.2",
// without the service type: Cyborg 2024.1 to 2026.1 understands only that.
func WithBareMicroversion(client *gophercloud.ServiceClient, version Microversion) *gophercloud.ServiceClient {
	copied := *client
	copied.MoreHeaders = maps.Clone(client.MoreHeaders)
	if copied.MoreHeaders == nil {
		copied.MoreHeaders = make(map[string]string)
	}
	copied.MoreHeaders[microversionHeader] = version.String()
	return &copied
}

// ServedMicroversion reads from an answer's header at which version it was
// served, with the service type ("accelerator 2.3", also in a list) or without
// it ("2.3").
func ServedMicroversion(header http.Header, serviceType string) (Microversion, bool) {
	for _, value := range header.Values(microversionHeader) {
		for part := range strings.SplitSeq(value, ",") {
			words := strings.Fields(part)
			if len(words) == 2 && strings.EqualFold(words[0], serviceType) {
				words = words[1:]
			}
			if len(words) != 1 {
				continue
			}
			if version, err := ParseMicroversion(words[0]); err == nil {
				return version, true
			}
		}
	}
	return Microversion{}, false
}
