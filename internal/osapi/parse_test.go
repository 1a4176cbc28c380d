package osapi

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Whatever the header says, the wait stays within its bounds.
func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{"0", "5", "-5", "1e9", "9223372036854775807", "99999999999999999999", "Fri, 31 Dec 1999 23:59:59 GMT", "soon", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		wait, ok := retryAfter(value)
		assert.GreaterOrEqual(t, wait, time.Duration(0))
		if !ok {
			assert.Zero(t, wait)
		}
	})
}

// No clouds.yaml makes the reader crash, and what it takes makes an account or
// a message that says where.
func FuzzCloudsYAML(f *testing.F) {
	for _, seed := range []string{
		"clouds: {a: {auth: {auth_url: x, username: u}, regions: [r], verify: false}}", "clouds: {a: {auth: x, regions: {r: 1}}}",
		"clouds: {a: null}", "clouds: []", "clouds", "a: &a [*a]", "clouds: {a: {<<: {b: c}}}", "\t",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		entries, err := parseEntries("clouds.yaml", []byte(text), "clouds")
		if err != nil {
			require.ErrorContains(t, err, "clouds.yaml: ")
			return
		}
		for name, entry := range entries {
			delete(entry, "cacert") // no files
			delete(entry, "cert")
			_, err := newAccount("clouds.yaml: cloud "+name, entry.over(entry))
			if err != nil {
				require.ErrorContains(t, err, "clouds.yaml: cloud "+name+": ")
			}
		}
	})
}

// No version document makes the reader crash, and a range is either whole or
// empty.
func FuzzVersions(f *testing.F) {
	for _, seed := range []string{
		`{"versions": [{"id": "v2", "status": "CURRENT", "max_version": "2.3", "min_version": "2.0"}]}`,
		`{"version": {"id": "v2.1", "version": "2.3", "min_version": "2.0"}}`, `{"version": "2.3", "id": "v2", "min_version": "2.0"}`,
		`{"id": "v2.0", "max_version": "2.3", "min_version": "2.0"}`, `{"versions": []}`, `{"versions": {"values": []}}`, `{"versions": null, "version": null}`,
		`{"version": {"id": "v2", "max_version": "9999999999999999999.1"}}`, `[]`, `null`, `{`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		versions, err := parseVersions(document)
		if err != nil {
			assert.Zero(t, versions)
			return
		}
		for _, version := range []Microversion{versions.Min, versions.Max} {
			again, err := ParseMicroversion(version.String())
			require.NoError(t, err)
			assert.Equal(t, version, again)
		}
	})
}

// Whatever the header of an answer says, a version that is read from it stands
// in it.
func FuzzServedMicroversion(f *testing.F) {
	for _, seed := range []string{"accelerator 2.3", "2.3", "compute 2.90, accelerator 2.2", "accelerator", "accelerator latest", ",,", " Accelerator\t2.10 ", "2.3 accelerator"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		version, ok := ServedMicroversion(http.Header{"Openstack-Api-Version": {value}}, "accelerator")
		if !ok {
			assert.Zero(t, version)
			return
		}
		digits := strings.Map(func(r rune) rune {
			if r == '0' {
				return -1 // 2.03 is read as 2.3
			}
			return r
		}, value)
		assert.Contains(t, digits, strings.ReplaceAll(strconv.Itoa(version.Minor), "0", ""))
	})
}
