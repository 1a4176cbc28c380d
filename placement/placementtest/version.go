package placementtest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// latestMinor is N of the newest microversion 1.N, as placement/microversion.py lists them.
const latestMinor = 39

// versionHeader carries the microversion both ways.
const versionHeader = "OpenStack-API-Version"

// serviceType is the word in front of the number in the version header.
const serviceType = "placement"

// version is a microversion.
type version struct{ major, minor int }

func (v version) String() string { return fmt.Sprintf("%d.%d", v.major, v.minor) }

// parseVersion reads X.Y. Leading zeros and blanks around a number are taken, as the real service does.
func parseVersion(s string) (version, error) {
	major, minor, ok := strings.Cut(s, ".")
	if !ok {
		return version{}, fmt.Errorf("invalid version string: %s; two numbers with a dot between them are expected", s)
	}
	x, errX := strconv.Atoi(strings.TrimSpace(major))
	y, errY := strconv.Atoi(strings.TrimSpace(minor))
	if errX != nil || errY != nil {
		return version{}, fmt.Errorf("invalid version string: %s; not a number", s)
	}
	return version{major: x, minor: y}, nil
}

// requestVersion finds the microversion that a request asks for: 406 for one that the server does not have, 400 for what is no
// version. Mirrors extract_version of the microversion-parse library.
func requestVersion(h http.Header, maxMinor int) (version, *fault) {
	text := versionText(h)
	switch text {
	case "":
		return version{major: 1}, nil
	case "latest":
		return version{major: 1, minor: maxMinor}, nil
	}
	v, err := parseVersion(text)
	if err != nil {
		return version{}, badRequest("Invalid microversion: %v", err)
	}
	if v.major != 1 || v.minor < 0 || v.minor > maxMinor {
		f := newFault(http.StatusNotAcceptable, "Invalid microversion: Unacceptable version header: %s", text)
		f.versions = true
		return version{}, f
	}
	return v, nil
}

// versionText picks the last value of the version header that is meant for this service.
func versionText(h http.Header) string {
	values := strings.Split(strings.Join(h.Values(versionHeader), ","), ",")
	for _, value := range slices.Backward(values) {
		service, text, ok := strings.Cut(strings.TrimSpace(value), " ")
		if ok && strings.EqualFold(service, serviceType) {
			return strings.TrimSpace(text)
		}
	}
	return ""
}
