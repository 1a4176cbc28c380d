package virtdriver

import (
	"fmt"
	"net/http"
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

// microversion reads the minor number of compute's microversion: the standard
// header before Nova's older one, 2.1 without any
// (nova/api/openstack/wsgi.py, Request.set_api_version_request).
func microversion(h http.Header) (int, *fault) {
	text := requestedVersion(h)
	switch text {
	case "":
		return minMinor, nil
	case "latest":
		return maxMinor, nil
	}
	major, minor, ok := strings.Cut(text, ".")
	a, errA := strconv.ParseUint(major, 10, 31)
	b, errB := strconv.ParseUint(minor, 10, 31)
	if !ok || errA != nil || errB != nil {
		return 0, &fault{http.StatusBadRequest, fmt.Sprintf(
			"API Version String %s is of invalid format. Must be of format MajorNum.MinorNum.", text)}
	}
	if a != 2 || b < minMinor || b > maxMinor {
		return 0, &fault{http.StatusNotAcceptable, fmt.Sprintf(
			"Version %s is not supported by the API. Minimum is 2.%d and maximum is 2.%d.", text, minMinor, maxMinor)}
	}
	return int(b), nil
}

func requestedVersion(h http.Header) string {
	for entry := range strings.SplitSeq(strings.Join(h.Values(versionHeader), ","), ",") {
		if fields := strings.Fields(entry); len(fields) == 2 && fields[0] == "compute" {
			return fields[1]
		}
	}
	return strings.TrimSpace(h.Get(legacyVersionHeader))
}

func setVersion(h http.Header, minor int) {
	version := fmt.Sprintf("2.%d", minor)
	h.Set(versionHeader, "compute "+version)
	h.Set(legacyVersionHeader, version)
	h.Add("Vary", versionHeader)
	h.Add("Vary", legacyVersionHeader)
}
