package osapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/gophercloud/gophercloud/v2"
)

// Versions is the range of microversions that a service offers. Both are zero
// when it has none.
type Versions struct{ Min, Max Microversion }

// Supports says whether the version lies in the range.
func (v Versions) Supports(version Microversion) bool {
	return version.Compare(v.Min) >= 0 && version.Compare(v.Max) <= 0
}

// Discover reads the version document at the client's endpoint. It does not
// follow the document's links: Cyborg's point to a path that may not exist.
func Discover(ctx context.Context, client *gophercloud.ServiceClient) (Versions, error) {
	var document json.RawMessage
	//nolint:bodyclose // gophercloud reads and closes it
	_, err := client.Get(ctx, client.Endpoint, &document, &gophercloud.RequestOpts{OkCodes: []int{http.StatusOK, http.StatusMultipleChoices}})
	if err != nil {
		return Versions{}, fmt.Errorf("read the version document of service %s: %w", client.Type, err)
	}
	versions, err := parseVersions(document)
	if err != nil {
		return Versions{}, fmt.Errorf("read the version document of service %s: %w", client.Type, err)
	}
	return versions, nil
}

// KnownVersions reads a server's range of versions once. The zero value is ready
// for use by many goroutines.
type KnownVersions struct{ read atomic.Pointer[Versions] }

// Get returns the range, which it reads with Discover as long as that has not
// worked. Nothing is locked meanwhile: goroutines that ask at the same time each
// read it, so that none of them waits for the other's deadline.
func (k *KnownVersions) Get(ctx context.Context, client *gophercloud.ServiceClient) (Versions, error) {
	if known, ok := k.Known(); ok {
		return known, nil
	}
	versions, err := Discover(ctx, client)
	if err != nil {
		return Versions{}, err
	}
	k.read.Store(&versions)
	return versions, nil
}

// Known returns the range if it was read already.
func (k *KnownVersions) Known() (versions Versions, ok bool) {
	if known := k.read.Load(); known != nil {
		return *known, true
	}
	return Versions{}, false
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
		return Versions{}, fmt.Errorf("it is no version document: %w", err)
	}
	if len(wrapped.Versions) > 0 {
		return newestEntry(wrapped.Versions).versions()
	}
	if strings.HasPrefix(string(wrapped.Version), "{") {
		document = wrapped.Version
	}
	var entry versionEntry
	if err := json.Unmarshal(document, &entry); err != nil {
		return Versions{}, fmt.Errorf("it is no version document: %w", err)
	}
	if entry.ID == "" {
		return Versions{}, errors.New("it is no version document: it names no version")
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
	highest := e.Max
	if highest == "" {
		highest = e.Version
	}
	if highest == "" {
		return Versions{}, nil
	}
	newest, err := ParseMicroversion(highest)
	if err != nil {
		return Versions{}, fmt.Errorf("version %s: %w", e.ID, err)
	}
	oldest, err := ParseMicroversion(e.Min)
	if err != nil {
		return Versions{}, fmt.Errorf("version %s: %w", e.ID, err)
	}
	return Versions{Min: oldest, Max: newest}, nil
}
