package requestspec

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestParseKey(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 64)
	for _, tc := range []struct {
		key  string
		want specKey
		ok   bool
	}{
		{"resources:FPGA", specKey{"resources", "", "FPGA"}, true},
		{"resources1:FPGA", specKey{"resources", "1", "FPGA"}, true},
		{"resources_NIC-a:FPGA", specKey{"resources", "_NIC-a", "FPGA"}, true},
		{"resources" + long + ":FPGA", specKey{"resources", long, "FPGA"}, true},
		{"resources" + long + "x:FPGA", specKey{}, false},
		{"resourcess:FPGA", specKey{"resources", "s", "FPGA"}, true},
		{"traits:X", specKey{"trait", "s", "X"}, true},
		{"trait:", specKey{"trait", "", ""}, true},
		{"trait:A:B", specKey{"trait", "", "A:B"}, true},
		{"trait:A\n", specKey{"trait", "", "A"}, true},
		{"trait:\n", specKey{"trait", "", ""}, true},
		{"trait:A\n\n", specKey{}, false},
		{"trait:A\nB", specKey{}, false},
		{"trait:A\r", specKey{"trait", "", "A\r"}, true},
		{"resources_*5:FPGA", specKey{}, false},
		{"resourcesé:FPGA", specKey{}, false},
		{" resources:FPGA", specKey{}, false},
		{"resource:FPGA", specKey{}, false},
		{"Trait:X", specKey{}, false},
		{"resources", specKey{}, false},
		{"accel:device_profile", specKey{}, false},
		{"", specKey{}, false},
	} {
		t.Run(tc.key, func(t *testing.T) {
			t.Parallel()
			got, ok := parseKey(tc.key)
			assert.Equal(t, tc.ok, ok)
			assert.Equal(t, tc.want, got)
		})
	}
}

// FuzzParseKey compares the parser with Nova's pattern, of which Python's "$" is spelt out.
func FuzzParseKey(f *testing.F) {
	pattern := regexp.MustCompile(`\A(resources|trait)([a-zA-Z0-9_-]{1,64})?:([^\n]*)\n?\z`)
	for _, seed := range []string{"resources:FPGA", "traits:X", "trait1:\n", "resources_*5:X", "resourcestrait:x", "trait:\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, key string) {
		got, ok := parseKey(key)
		match := pattern.FindStringSubmatch(key)
		assert.Equal(t, match != nil, ok)
		if match != nil {
			assert.Equal(t, specKey{match[1], match[2], match[3]}, got)
		}
	})
}
