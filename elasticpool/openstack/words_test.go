package openstack

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

func TestWordsOf(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, body, want string }{
		{"Nova", `{"forbidden": {"code": 403, "message": "Quota exceeded"}}`, "Quota exceeded"},
		{"Neutron", `{"NeutronError": {"type": "OverQuota", "message": "Quota exceeded", "detail": ""}}`, "OverQuota Quota exceeded"},
		{"bare", `{"message": "too\nlong", "code": "413"}`, "too long"},
		{"HTML", "<html>\n <head><title>503</title></head><body>No server</body></html>", "503 No server"},
		{"text", "  plain ", "plain"},
		{"empty", "", ""},
		{"JSON without words", `{"a": 1}`, `{"a": 1}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, wordsOf([]byte(test.body)))
		})
	}
}

func TestClassOfFault(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		fault string
		class error
	}{
		{"No valid host was found. ", elasticpool.ErrCapacity},
		{"No valid host was found. There are not enough hosts available.", elasticpool.ErrCapacity},
		{"Exceeded maximum number of retries. Exceeded max scheduling attempts 3 for instance 1. Last exception: image not found, timed out", elasticpool.ErrCapacity},
		{"Failed to bind accelerator requests for instance 1.", elasticpool.ErrCapacity},
		{"AcceleratorRequestBindingFailed", elasticpool.ErrCapacity},
		{"Failed to create accelerator requests: AttachHandle not found", elasticpool.ErrCapacity},
		{"Build of instance 1 aborted: Failed to allocate the network(s) with error No more IP addresses available on network 2., not rescheduling.", elasticpool.ErrCapacity},
		{"Insufficient compute resources: Free vcpu 0.00 VCPU < requested 4 VCPU.", elasticpool.ErrCapacity},
		{"Quota exceeded for ports", elasticpool.ErrQuota},
		{"PortLimitExceeded: Maximum number of ports exceeded", elasticpool.ErrQuota},
		{"Build of instance 1 aborted: VolumeLimitExceeded: Maximum number of volumes allowed (10) exceeded", elasticpool.ErrQuota},
		{"Image 1 is unacceptable: Image has no associated data", elasticpool.ErrInvalid},
		{"Image 1 could not be found.", elasticpool.ErrInvalid},
		{"Flavor's disk is too small for requested image.", elasticpool.ErrInvalid},
		{"DeviceProfileError: Device profile name fpga: Expected 1 device profile but got nothing.", elasticpool.ErrInvalid},
		{"Device profile name fpga: Could not communicate with Cyborg.", elasticpool.ErrTransient},
		{"Compute host compute-3 could not be found.", elasticpool.ErrTransient},
		{"Instance 1 could not be found.", elasticpool.ErrTransient},
		{"MessagingTimeout: Timed out waiting for a reply", elasticpool.ErrTransient},
		{"internal error: process exited while connecting to monitor", elasticpool.ErrTransient},
		{"", elasticpool.ErrTransient},
	} {
		t.Run(test.fault, func(t *testing.T) {
			t.Parallel()
			assert.ErrorIs(t, ClassOfFault(test.fault), test.class)
		})
	}
}

func FuzzWords(f *testing.F) {
	for _, seed := range []string{`{"a": {"message": "no"}}`, "<html>", `{"message": 1}`, "No valid host was found", "\xff<", strings.Repeat("ü", 400)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words := wordsOf([]byte(text))
		assert.True(t, utf8.ValidString(words))
		assert.LessOrEqual(t, len(words), mostWords+len("…"))
		assert.NotContains(t, words, "\n")
		require.Error(t, ClassOfFault(text))
		assert.Equal(t, words, short(words), "what was cut stays as it is")
	})
}

// Every state of Nova (nova/api/openstack/common.py:_STATE_MAP, nova/compute/task_states.py) has a meaning or none, on
// purpose. TARDIS knows four.
func TestStatusOf(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status, task string
		want         elasticpool.ServerStatus
	}{
		{"BUILD", "", elasticpool.ServerBuilding},
		{"BUILD", "scheduling", elasticpool.ServerBuilding},
		{"BUILD", "block_device_mapping", elasticpool.ServerBuilding},
		{"BUILD", "networking", elasticpool.ServerBuilding},
		{"BUILD", "spawning", elasticpool.ServerBuilding},
		{"BUILD", "deleting", elasticpool.ServerDeleting},
		{"REBUILD", "rebuilding", elasticpool.ServerBuilding},
		{"ACTIVE", "", elasticpool.ServerActive},
		{"ACTIVE", "image_snapshot", elasticpool.ServerActive},
		{"ACTIVE", "powering-off", elasticpool.ServerUnknown},
		{"ACTIVE", "shelving", elasticpool.ServerUnknown},
		{"ACTIVE", "shelving_image_uploading", elasticpool.ServerUnknown},
		{"ACTIVE", "suspending", elasticpool.ServerUnknown},
		{"ACTIVE", "deleting", elasticpool.ServerDeleting},
		{"ACTIVE", "soft-deleting", elasticpool.ServerDeleting},
		{"MIGRATING", "migrating", elasticpool.ServerActive},
		{"PASSWORD", "updating_password", elasticpool.ServerActive},
		{"VERIFY_RESIZE", "", elasticpool.ServerActive},
		{"RESIZE", "resize_migrating", elasticpool.ServerUnknown},
		{"REVERT_RESIZE", "resize_reverting", elasticpool.ServerUnknown},
		{"REBOOT", "rebooting", elasticpool.ServerUnknown},
		{"HARD_REBOOT", "rebooting_hard", elasticpool.ServerUnknown},
		{"RESCUE", "", elasticpool.ServerUnknown},
		{"SHUTOFF", "", elasticpool.ServerStopped},
		{"SHUTOFF", "powering-on", elasticpool.ServerUnknown},
		{"SHUTOFF", "deleting", elasticpool.ServerDeleting},
		{"SUSPENDED", "", elasticpool.ServerStopped},
		{"SUSPENDED", "resuming", elasticpool.ServerUnknown},
		{"PAUSED", "", elasticpool.ServerStopped},
		{"PAUSED", "unpausing", elasticpool.ServerUnknown},
		{"SHELVED", "", elasticpool.ServerStopped},
		{"SHELVED", "shelving_offloading", elasticpool.ServerUnknown},
		{"SHELVED_OFFLOADED", "", elasticpool.ServerStopped},
		{"SHELVED_OFFLOADED", "unshelving", elasticpool.ServerUnknown},
		{"SHELVED_OFFLOADED", "spawning", elasticpool.ServerUnknown},
		{"ERROR", "", elasticpool.ServerError},
		{"ERROR", "deleting", elasticpool.ServerDeleting},
		{"DELETED", "", elasticpool.ServerDeleting},
		{"SOFT_DELETED", "", elasticpool.ServerDeleting},
		{"UNKNOWN", "", elasticpool.ServerUnknown},
		{"NEW_WORD", "", elasticpool.ServerUnknown},
	} {
		t.Run(test.status+" "+test.task, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, statusOf(test.status, test.task))
		})
	}
}

func TestLeastFree(t *testing.T) {
	t.Parallel()
	subnet := func(version int, total, used string) subnetAddresses {
		return subnetAddresses{version, json.Number(total), json.Number(used)}
	}
	for _, test := range []struct {
		name    string
		subnets []subnetAddresses
		free    int64
		told    bool
	}{
		{"none", nil, math.MaxInt64, false},
		{"two of a version", []subnetAddresses{subnet(4, "253", "200"), subnet(4, "13", "13")}, 53, true},
		{"IPv6 does not hide that IPv4 is used up", []subnetAddresses{subnet(4, "13", "13"), subnet(6, "18446744073709551614", "5")}, 0, true},
		{"only IPv6", []subnetAddresses{subnet(6, "18446744073709551614", "5")}, math.MaxInt64, true},
		{"more used than there are", []subnetAddresses{subnet(4, "1", "3")}, 0, true},
		{"no number", []subnetAddresses{subnet(4, "", "3")}, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			free, told := leastFree(test.subnets)
			assert.Equal(t, test.told, told)
			assert.Equal(t, test.free, free)
		})
	}
}
