package osapi

import (
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
