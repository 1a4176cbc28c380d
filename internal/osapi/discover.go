package osapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
)

// Versions is the range of microversions that a service offers. Both are zero
// when it has none.
type Versions struct{ Min, Max Microversion }

// Supports says whether the version lies in the range.
func (v Versions) Supports(version Microversion) bool {
	return version.Compare(v.Min) >= 0 && version.Compare(v.Max) <= 0
}

// ErrNoVersionDocument says that an answer is not the version document that it
// should be.
var ErrNoVersionDocument = errors.New("it is no version document")

// Discover reads the version document at the client's endpoint. It does not
// follow the document's links: Cyborg's point to a path that may not exist. The
// header is the answer's, nil when there was none.
func Discover(ctx context.Context, client *gophercloud.ServiceClient) (Versions, http.Header, error) {
	var document json.RawMessage
	//nolint:bodyclose // gophercloud reads and closes it
	resp, err := client.Get(ctx, client.Endpoint, &document, &gophercloud.RequestOpts{OkCodes: []int{http.StatusOK, http.StatusMultipleChoices}})
	var header http.Header
	if resp != nil {
		header = resp.Header
	}
	var versions Versions
	if err == nil {
		versions, err = parseVersions(document)
	}
	if err != nil {
		return Versions{}, header, fmt.Errorf("read the version document of service %s: %w", client.Type, err)
	}
	return versions, header, nil
}

// versionEntry is one version of a version document. "version" is what Nova
// calls "max_version".
type versionEntry struct {
	ID      string `json:"id"`
	Status  string `json:"status"`
	Min     string `json:"min_version"`
	Max     string `json:"max_version"`
	Version string `json:"version"`
}

// parseVersions reads the three shapes that are about: a list under "versions"
// (roots), one object under "version" (most /vN), and the bare object (Cyborg's
// /v2).
func parseVersions(document []byte) (Versions, error) {
	var wrapped struct {
		Versions []versionEntry  `json:"versions"`
		Version  json.RawMessage `json:"version"`
	}
	if err := json.Unmarshal(document, &wrapped); err != nil {
		return Versions{}, fmt.Errorf("%w: %w", ErrNoVersionDocument, err)
	}
	if len(wrapped.Versions) > 0 {
		return newestEntry(wrapped.Versions).versions()
	}
	if strings.HasPrefix(string(wrapped.Version), "{") {
		document = wrapped.Version
	}
	var entry versionEntry
	if err := json.Unmarshal(document, &entry); err != nil {
		return Versions{}, fmt.Errorf("%w: %w", ErrNoVersionDocument, err)
	}
	return entry.versions()
}

// newestEntry is the current version, or else the last of the list.
func newestEntry(entries []versionEntry) versionEntry {
	for _, entry := range entries {
		if strings.EqualFold(entry.Status, "CURRENT") {
			return entry
		}
	}
	return entries[len(entries)-1]
}

func (e versionEntry) versions() (Versions, error) {
	if e.ID == "" {
		return Versions{}, fmt.Errorf("%w: it names no version", ErrNoVersionDocument)
	}
	highest := cmp.Or(e.Max, e.Version)
	if highest == "" {
		return Versions{}, nil
	}
	newest, errMax := ParseMicroversion(highest)
	oldest, errMin := ParseMicroversion(e.Min)
	if err := cmp.Or(errMax, errMin); err != nil {
		return Versions{}, fmt.Errorf("%w: version %s: %w", ErrNoVersionDocument, e.ID, err)
	}
	if oldest.Compare(newest) > 0 {
		return Versions{}, fmt.Errorf("%w: version %s: the range from %v to %v is empty", ErrNoVersionDocument, e.ID, oldest, newest)
	}
	return Versions{Min: oldest, Max: newest}, nil
}
