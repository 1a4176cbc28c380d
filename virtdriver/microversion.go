package virtdriver

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The compute microversions that the receiver serves: all that Nova has, since
// only the list of event names depends on them.
const (
	minMinor = 1
	maxMinor = 104
)

const (
	versionHeader       = "OpenStack-API-Version"
	legacyVersionHeader = "X-OpenStack-Nova-API-Version"
)

// fault is an answer in Nova's error format.
type fault struct {
	status  int
	message string
}

// versionPattern is what a microversion looks like
// (nova/api/openstack/api_version_request.py, APIVersionRequest).
var versionPattern = regexp.MustCompile(`^([1-9][0-9]*)\.([1-9][0-9]*|0)$`)

// microversion reads the minor number of compute's microversion: the standard
// header before Nova's older one, 2.1 without any
// (nova/api/openstack/wsgi.py, Request.set_api_version_request). It writes the
// version that was asked for to the answer's headers, also when the API does
// not have it.
func microversion(request, answer http.Header) (int, *fault) {
	text, asked := requestedVersion(request)
	switch {
	case !asked:
		text = fmt.Sprintf("2.%d", minMinor)
	case text == "latest":
		text = fmt.Sprintf("2.%d", maxMinor)
	}
	parts := versionPattern.FindStringSubmatch(text)
	if parts == nil {
		return 0, &fault{http.StatusBadRequest, fmt.Sprintf(
			"API Version String %s is of invalid format. Must be of format MajorNum.MinorNum.", text)}
	}
	setVersion(answer, text)
	minor, err := strconv.Atoi(parts[2])
	if parts[1] != "2" || err != nil || minor < minMinor || minor > maxMinor {
		return 0, &fault{http.StatusNotAcceptable, fmt.Sprintf(
			"Version %s is not supported by the API. Minimum is 2.%d and maximum is 2.%d.", text, minMinor, maxMinor)}
	}
	return minor, nil
}

// requestedVersion follows microversion_parse: the last entry for compute of the
// standard header, or else the last of Nova's older header.
func requestedVersion(h http.Header) (version string, ok bool) {
	for _, entry := range slices.Backward(strings.Split(strings.Join(h.Values(versionHeader), ","), ",")) {
		entry = strings.TrimSpace(entry)
		service, version, _ := strings.Cut(strings.ReplaceAll(entry, "\t", " "), " ")
		if version = strings.TrimSpace(version); version != "" && strings.EqualFold(service, "compute") {
			return version, true
		}
	}
	legacy := h.Values(legacyVersionHeader)
	if len(legacy) == 0 {
		return "", false
	}
	entries := strings.Split(strings.Join(legacy, ","), ",")
	return strings.TrimSpace(entries[len(entries)-1]), true
}

func setVersion(h http.Header, version string) {
	h.Set(versionHeader, "compute "+version)
	h.Set(legacyVersionHeader, version)
	h.Add("Vary", versionHeader)
	h.Add("Vary", legacyVersionHeader)
}
