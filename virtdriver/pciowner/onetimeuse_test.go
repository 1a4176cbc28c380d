package pciowner_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver/pciowner"
)

// TestOneTimeUse: the tag is a flag, needs the report to Placement, and is for no
// virtual function, not even to say no.
func TestOneTimeUse(t *testing.T) {
	t.Parallel()
	const gpu, function = `"address": "0000:3b:00.0"`, `"address": "0000:5e:02.*"`
	for _, test := range []struct {
		name, report, spec string
		refused            string
		unreportable       []string
	}{
		{name: "no flag", report: "true", spec: `{` + gpu + `, "one_time_use": "maybe"}`, refused: `nova.conf:3: [pci]device_spec: invalid device spec: cannot parse tag "one_time_use": "maybe" is neither true nor false`},
		{name: "without a report", report: "false", spec: `{` + gpu + `, "one_time_use": "Yes"}`, refused: "one_time_use needs report_in_placement"},
		{name: "not, without a report", report: "false", spec: `{` + gpu + `, "one_time_use": false}`},
		{name: "with a report", report: "true", spec: `{` + gpu + `, "one_time_use": true}`},
		{name: "virtual functions", report: "true", spec: `{` + function + `, "one_time_use": true}`, unreportable: []string{"0000:5e:02.0", "0000:5e:02.1"}},
		{name: "not, of virtual functions", report: "true", spec: `{` + function + `, "one_time_use": "false"}`, unreportable: []string{"0000:5e:02.0", "0000:5e:02.1"}},
		{name: "null, of virtual functions", report: "true", spec: `{` + function + `, "one_time_use": null}`, unreportable: []string{"0000:5e:02.0", "0000:5e:02.1"}},
		{name: "virtual functions of a network", report: "true", spec: `{` + function + `, "one_time_use": "false", "physical_network": "p"}`},
		{name: "virtual functions without the tag", report: "true", spec: `{` + function + `}`},
		{name: "virtual functions, not reported", report: "false", spec: `{` + function + `, "one_time_use": "false"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			n, err := pciowner.ParseNova(machine(), pciowner.File{Name: "nova.conf", Text: []byte("[pci]\nreport_in_placement = " + test.report + "\ndevice_spec = " + test.spec)})
			if test.refused != "" {
				require.ErrorIs(t, err, pciowner.ErrSpec)
				require.ErrorContains(t, err, test.refused)
				return
			}
			require.NoError(t, err)
			r, err := pciowner.Check(pciowner.Input{Devices: machine(), Nova: n})
			require.NoError(t, err)
			var unreportable []string
			for _, f := range r.Findings {
				if f.Kind == pciowner.FindingUnreportable {
					unreportable = append(unreportable, f.Addresses...)
					assert.Contains(t, f.Message, "nova.conf:3 [pci]device_spec has one_time_use, even if it is false")
				}
			}
			assert.Equal(t, test.unreportable, unreportable)
		})
	}
}

// TestHandleThatIsNoDevice: an ARQ whose handle no guest can get is told and not
// dropped; its fields are texts, as for the guest.
func TestHandleThatIsNoDevice(t *testing.T) {
	t.Parallel()
	for name, bus := range map[string]any{"a number": json.Number("3"), "nothing": nil, "no hexadecimal": "3g"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arq := cyborgclient.ARQ{UUID: "a", InstanceUUID: "i", State: cyborgclient.StateBound, Hostname: "cn1", AttachHandle: cyborgclient.AttachHandle{
				Type: cyborgclient.HandlePCI, Info: map[string]any{"domain": "0", "bus": bus, "device": "0", "function": "0"},
			}}
			r, err := pciowner.Check(pciowner.Input{Host: "cn1", Devices: machine(), ARQs: []cyborgclient.ARQ{arq}})
			require.NoError(t, err)
			at := 0
			for at < len(r.Findings) && r.Findings[at].Kind != pciowner.FindingMissing {
				at++
			}
			require.Less(t, at, len(r.Findings), "%v", r.Findings)
			assert.Contains(t, r.Findings[at].Message, "ARQ a, for instance i, has a handle that is no device: parse pci bus ")
		})
	}
}
