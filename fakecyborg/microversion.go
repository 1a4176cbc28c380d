package fakecyborg

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// versionHeader is the header of requests and answers that names the microversion.
const versionHeader = "OpenStack-API-Version"

// microversion is the minor number of API version 2 that a request runs at.
type microversion int

// The minor numbers at which something changes.
const (
	minorProjectInBind   microversion = 1
	minorProfileByName   microversion = 2
	minorDeviceHasStatus microversion = 3
)

// errVersionText is the answer to a header that is no version.
func errVersionText() *fault {
	return routing(http.StatusNotAcceptable, "Invalid value for OpenStack-API-Version header")
}

// negotiate reads the version header. A fault with a known range is one that
// still tells the range of versions in its headers.
// It mirrors cyborg/api/controllers/base.py:Version and v2/__init__.py:Controller._check_version.
func (r Release) negotiate(header http.Header) (m microversion, rangeKnown bool, err *fault) {
	values := header.Values(versionHeader)
	if len(values) == 0 || r.Microversions == NoMicroversions {
		return 0, true, nil
	}
	text, ok := r.versionText(strings.Join(values, ","))
	switch {
	case !ok:
		return 0, true, nil
	case strings.EqualFold(text, "latest"):
		return microversion(r.MaxMicroversion), true, nil
	}
	major, minor, ok := splitVersion(text)
	switch {
	case !ok && r.Microversions != AllMicroversions && !onlyNumbers(text):
		return 0, true, nil
	case !ok:
		return 0, false, errVersionText()
	case major != 2:
		return 0, true, r.outOfRange("Mutually exclusive versions requested. Version %d.%d requested but not supported by this service.", major, minor)
	case minor < 0 || minor > r.MaxMicroversion:
		return 0, true, r.outOfRange("Version %d.%d was requested but the minor version is not supported by this service.", major, minor)
	}
	return microversion(minor), true, nil
}

func (r Release) outOfRange(reason string, major, minor int) *fault {
	return routing(http.StatusNotAcceptable, fmt.Sprintf(reason+" The supported version range is: [2.0, %s].", major, minor, r.maxVersion()))
}

// versionText picks the part of the header that names this service's version;
// false means that the release overlooks the header.
func (r Release) versionText(header string) (string, bool) {
	header = strings.TrimSpace(header)
	if r.Microversions == BareMicroversions {
		return header, true
	}
	for _, element := range slices.Backward(strings.Split(header, ",")) {
		fields := strings.Fields(element)
		if len(fields) == 2 && strings.EqualFold(fields[0], "accelerator") {
			return fields[1], true
		}
	}
	return header, r.Microversions == AllMicroversions
}

// onlyNumbers says whether Python can make numbers of all parts between dots;
// older releases take a text that fails this for no header at all.
func onlyNumbers(text string) bool {
	for part := range strings.SplitSeq(text, ".") {
		if !integerText.MatchString(part) {
			return false
		}
	}
	return true
}

func splitVersion(text string) (major, minor int, ok bool) {
	before, after, found := strings.Cut(text, ".")
	majorNumber, err := pythonInt(before)
	if !found || err != nil {
		return 0, 0, false
	}
	minorNumber, err := pythonInt(after)
	return int(majorNumber), int(minorNumber), err == nil
}

// versionHeaders are the headers of every answer that got past negotiation;
// those of a request out of range lack the last.
func (r Release) versionHeaders(header http.Header, m microversion, inRange bool) {
	if r.Microversions == NoMicroversions {
		return
	}
	values := []string{versionHeader, "2.0", r.maxVersion()} // one allocation for three headers
	header["Vary"] = values[0:1:1]
	header["OpenStack-API-Minimum-Version"] = values[1:2:2]
	header["OpenStack-API-Maximum-Version"] = values[2:3:3]
	if !inRange {
		return
	}
	used := "2." + strconv.Itoa(int(m))
	if r.NamedVersionInAnswer {
		used = "accelerator " + used
	}
	header[versionHeader] = []string{used}
}
