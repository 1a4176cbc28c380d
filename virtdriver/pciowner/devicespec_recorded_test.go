package pciowner

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recorded is what nova/pci/whitelist.py of Nova 31.0.0 made of values of device_spec on a host: the class of its
// exception, or for each device the number of the entry that matches and the tags of each entry.
type recorded struct {
	Host   int
	Values []string
	Answer struct {
		Error string
		Match []any
		Tags  []map[string]any
	}
}

// refusals are our errors for Nova's exceptions. A class that is not here is a traceback.
var refusals = map[string]error{
	"PciConfigInvalidSpec":             ErrSpec,
	"PciDeviceWrongAddressFormat":      ErrAddress,
	"PciDeviceInvalidDeviceName":       ErrDevname,
	"PciDeviceRemoteManagedNotPresent": ErrRemoteManaged,
	"PciDeviceInvalidPFRemoteManaged":  ErrRemoteManaged,
	"PciDeviceNotFoundById":            ErrRemoteManaged,
}

// TestDeviceSpecsAsNovaReadsThem compares with the recorded answers: the same is refused for the same reason, and the
// same entry matches the same devices. Where an expression is one that only Python reads, nothing is compared.
func TestDeviceSpecsAsNovaReadsThem(t *testing.T) {
	t.Parallel()
	hosts := readHosts(t)
	file, err := os.Open("testdata/nova-device-spec.jsonl")
	require.NoError(t, err)
	defer file.Close()
	counts := map[string]int{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var r recorded
		require.NoError(t, json.Unmarshal(lines.Bytes(), &r))
		values := make([]value, len(r.Values))
		for i, text := range r.Values {
			values[i] = value{text: text}
		}
		specs, err := parseSpecs(values, newHost(hosts[r.Host]))
		counts["lists"]++
		switch {
		case errors.Is(err, ErrRegexp):
			counts["not compared"]++
		case r.Answer.Error != "":
			counts["refused"]++
			want, ok := refusals[r.Answer.Error]
			if !ok {
				want = ErrType
			}
			require.ErrorIs(t, err, want, "%s", lines.Text())
		default:
			require.NoError(t, err, "%s", lines.Text())
			counts["matches"] += compareMatches(t, r, specs, hosts[r.Host])
		}
	}
	require.NoError(t, lines.Err())
	t.Log(counts)
	assert.Greater(t, counts["lists"], 2000)
	assert.Greater(t, counts["matches"], 1000)
	assert.Less(t, counts["not compared"], counts["lists"]/8)
}

func readHosts(t *testing.T) [][]Device {
	t.Helper()
	text, err := os.ReadFile("testdata/hosts.json")
	require.NoError(t, err)
	var hosts [][]Device
	require.NoError(t, json.Unmarshal(text, &hosts))
	return hosts
}

func compareMatches(t *testing.T, r recorded, specs []DeviceSpec, devices []Device) (matches int) {
	t.Helper()
	n := Nova{Specs: specs}
	for i, d := range devices {
		var got any
		for index := range specs {
			if n.Spec(d) == &n.Specs[index] {
				got = float64(index)
				matches++
			}
		}
		want := r.Answer.Match[i]
		if _, refused := want.(string); refused { // the address is one that Nova cannot read
			require.Nil(t, got)
			require.True(t, d.wide())
			continue
		}
		require.Equal(t, want, got, "device %s, %v", d.Address, r)
	}
	for i, tags := range r.Answer.Tags {
		have, err := json.Marshal(specs[i].Tags)
		require.NoError(t, err)
		var again map[string]any
		require.NoError(t, json.Unmarshal(have, &again))
		require.Empty(t, cmp.Diff(tags, again), "%v", r)
	}
	return matches
}
