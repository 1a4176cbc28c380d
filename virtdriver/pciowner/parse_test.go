package pciowner_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/virtdriver/pciowner"
)

func conf(text string) pciowner.File { return pciowner.File{Name: "x.conf", Text: []byte(text)} }

func TestParseNovaRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text, want string
		err              error
	}{
		{"no assignment", "[pci]\nnothing", `x.conf:2: not a line of a configuration file: neither = nor : in "nothing"`, pciowner.ErrSyntax},
		{"continuation after an empty line", "[pci]\ndevice_spec = {\n\n  }", `x.conf:4: not a line of a configuration file: a continuation line without an option before it: "  }"`, pciowner.ErrSyntax},
		{"no JSON", "[pci]\n\ndevice_spec = {'vendor_id': '10de'}", `x.conf:3: [pci]device_spec: invalid device spec: entry "{'vendor_id': '10de'}" is no JSON: `, pciowner.ErrSpec},
		{"more JSON", "[pci]\ndevice_spec = {} {}", `there is more after the value`, pciowner.ErrSpec},
		{"empty", "[pci]\ndevice_spec =", `x.conf:2: [pci]device_spec: invalid device spec: entry "" is no JSON: EOF`, pciowner.ErrSpec},
		{"number", "[pci]\ndevice_spec = 5", `entry 5: want an object or a list of them`, pciowner.ErrSpec},
		{"list of numbers", "[pci]\npassthrough_whitelist = [{}, 5]", `x.conf:2: [pci]passthrough_whitelist: invalid device spec: entry 5: want an object`, pciowner.ErrSpec},
		{"old section", "[DEFAULT]\npci_passthrough_whitelist = 5", `x.conf:2: [DEFAULT]pci_passthrough_whitelist: `, pciowner.ErrSpec},
		{"vendor", "[pci]\ndevice_spec = {\"vendor_id\":\n  \"10dex\"}", `x.conf:2: [pci]device_spec: invalid device spec: property vendor_id ("10dex") does not parse as a hex number`, pciowner.ErrSpec},
		{"vendor as a number", "[pci]\ndevice_spec = {\"vendor_id\": 8086}", `the value has the wrong type: vendor_id must be a string of hexadecimal digits, got 8086`, pciowner.ErrType},
		{"slot", `[pci]` + "\n" + `device_spec = {"address": "0000:3b:20.0"}`, `property slot (20) is greater than the maximum allowable value (1F)`, pciowner.ErrSpec},
		{"four parts", `[pci]` + "\n" + `device_spec = {"address": "0:0:3b:0.0"}`, `the PCI address has the wrong form: "0:0:3b:0.0" has more than domain, bus and slot`, pciowner.ErrAddress},
		{"list as address", `[pci]` + "\n" + `device_spec = {"address": ["x"]}`, `want a text or an object, got ["x"]`, pciowner.ErrAddress},
		{"bad expression", `[pci]` + "\n" + `device_spec = {"address": {"bus": "[1"}}`, `bus of the address, "[1": `, pciowner.ErrRegexp},
		{"unbalanced expression", `[pci]` + "\n" + `device_spec = {"address": {"bus": "a)(b"}}`, `bus of the address, "a)(b": `, pciowner.ErrAddress},
		{"look-ahead", `[pci]` + "\n" + `device_spec = {"address": {"bus": "(?!3b).*"}}`, `groups that begin with (? can only be (?:…)`, pciowner.ErrRegexp},
		{"devname and address", `[pci]` + "\n" + `device_spec = {"devname": "ens1f0", "address": "3b:00.0"}`, `devname and address exclude each other: devname "ens1f0" and address "3b:00.0"`, pciowner.ErrDevname},
		{"remote interface that is not there", `[pci]` + "\n" + `device_spec = {"devname": "eth9", "remote_managed": "true"}`, `there is no interface eth9`, pciowner.ErrRemoteManaged},
		{"remote physical function", `[pci]` + "\n" + `device_spec = {"address": "0000:5e:00.0", "remote_managed": "true"}`, `the address is of a physical function`, pciowner.ErrRemoteManaged},
		{"managed", `[pci]` + "\n" + `device_spec = {"managed": "maybe"}`, `cannot parse tag "managed": "maybe" is neither true nor false`, pciowner.ErrSpec},
		{"flag", "[pci]\nreport_in_placement = maybe", `x.conf:2: [pci]report_in_placement: invalid value: "maybe" is neither true nor false`, pciowner.ErrValue},
		{"reference", "[pci]\ndevice_spec = {\"devname\": \"$nic\"}", `it refers to the option $nic; write that option's value, or $$ for a dollar sign`, pciowner.ErrValue},
		{"devname in Placement", "[pci]\nreport_in_placement = 1\ndevice_spec = {\"devname\": \"ens1f0\"}", `x.conf:3: [pci]device_spec: invalid device spec: with report_in_placement an entry must not name an interface, it names ens1f0`, pciowner.ErrSpec},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := pciowner.ParseNova(machine(), conf(test.text))
			require.ErrorIs(t, err, test.err)
			require.ErrorContains(t, err, test.want)
			var place *pciowner.Error
			require.ErrorAs(t, err, &place)
			assert.Positive(t, place.Line)
		})
	}
}

func TestAllFaultsAreTold(t *testing.T) {
	t.Parallel()
	_, err := pciowner.ParseNova(machine(), conf("[pci]\ndevice_spec = 1\ndevice_spec = {}\ndevice_spec = [{\"managed\": 2}, {\"vendor_id\": null}]\nreport_in_placement = x"))
	for _, want := range []string{"x.conf:2:", "x.conf:4: [pci]device_spec: invalid device spec", "x.conf:4: [pci]device_spec: the value has the wrong type", "x.conf:5:"} {
		require.ErrorContains(t, err, want)
	}
}

func TestParseNovaReads(t *testing.T) {
	t.Parallel()
	n, err := pciowner.ParseNova(machine(),
		conf("[PCI]\ndevice_spec = {\"address\": {\"bus\": \"3b$$\"},\n   \"traits\": \"A,b\", \"managed\": \"No\", \"physical_network\": null,\n   \"trusted\": \"true\"}\n# a comment ends it\npassthrough_whitelist = \"[{\\\"product_id\\\": \\\"1eB8\\\"}]\"\n"),
		conf("[pci]\nreport_in_placement = On\ndevice_spec: {\"address\": \"*:3b:00.*\", \"resource_class\": \"PGPU\"}"))
	require.ErrorIs(t, err, pciowner.ErrSpec, "a backslash before a quote is none of oslo.config's escapes")
	assert.Nil(t, n)

	n, err = pciowner.ParseNova(machine(),
		conf("[PCI]\ndevice_spec = {\"address\": {\"bus\": \"3b$$\"},\n   \"traits\": \"A,b\", \"managed\": \"No\", \"physical_network\": null,\n   \"trusted\": \"true\"}\n# a comment ends it\npassthrough_whitelist = '[{\"product_id\": \"1eB8\"}]'\n"),
		conf("[pci]\nreport_in_placement = On\ndevice_spec: {\"address\": \"*:3b:00.*\", \"resource_class\": \"PGPU\"}"))
	require.NoError(t, err)
	require.Len(t, n.Specs, 3)
	assert.True(t, n.ReportInPlacement)
	assert.Equal(t, "1eb8", n.Specs[0].ProductID, "the old name comes first within a file")
	assert.Equal(t, map[string]any{"traits": "A,b", "managed": "false", "physical_network": nil, "trusted": "true"}, n.Specs[1].Tags)
	assert.JSONEq(t, `{"bus":"3b$"}`, n.Specs[1].Address)
	assert.Equal(t, "PGPU", n.Specs[2].Tag("resource_class"))
	assert.Empty(t, n.Specs[2].Tag("physical_network"))
	assert.Equal(t, 3, n.Specs[2].Line)
	devices, err := pciowner.Normalize(machine())
	require.NoError(t, err)
	for i := range n.Specs {
		assert.True(t, n.Specs[i].Matches(devices[0]), "%+v", n.Specs[i])
		assert.False(t, n.Specs[i].Matches(devices[1]), "%+v", n.Specs[i])
	}
}

func TestParseCyborgRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text, want string
	}{
		{"driver", "[agent]\nenabled_drivers = nvidia_gpu_driver, nvidia", `x.conf:2: [agent]enabled_drivers: invalid value: there is no driver "nvidia"`},
		{"type without addresses", "[gpu_devices]\nenabled_vgpu_types = nvidia-35", `x.conf:2: [gpu_devices]enabled_vgpu_types: invalid value: the type nvidia-35 has no [vgpu_nvidia-35]device_addresses`},
		{"address", "[gpu_devices]\nenabled_vgpu_types = a\n[vgpu_a]\ndevice_addresses = 0000:3b:00.0, 3b:00.0", `x.conf:4: [vgpu_a]device_addresses: invalid value: "3b:00.0" is no PCI address`},
		{"two types", "[gpu_devices]\nenabled_vgpu_types = a,b\n[vgpu_a]\ndevice_addresses = 0000:3b:00.0\n[vgpu_b]\ndevice_addresses = 0000:3b:00.0", `x.conf:6: [vgpu_b]device_addresses: invalid value: address 0000:3b:00.0 has the type a too`},
		{"flag", "[gpu_devices]\nfilter_sriov_vfs = x", `x.conf:2: [gpu_devices]filter_sriov_vfs: invalid value: "x" is neither`},
		{"list", "[pci]\npassthrough_whitelist = x", `x.conf:2: [pci]passthrough_whitelist: invalid device spec: entry "x" is no JSON`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := pciowner.ParseCyborg(machine(), conf(test.text))
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestParseCyborgReads(t *testing.T) {
	t.Parallel()
	c, err := pciowner.ParseCyborg(machine(), conf("[DEFAULT]\nhost = cn1\n[agent]\nenabled_drivers = nvidia_gpu_driver\nresource_provider_name = cn1.example.org\n"+
		"[gpu_devices]\nenabled_vgpu_types = nvidia-35,\nfilter_sriov_vfs = True\n[vgpu_nvidia-35]\ndevice_addresses = 0000:3b:00.0,0000:3B:00.0\n[pci]\npassthrough_whitelist = {\"managed\": \"maybe\", \"remote_managed\": \"yes\"}"))
	require.NoError(t, err, "Cyborg knows no tags")
	assert.Equal(t, "cn1", c.Host)
	assert.Equal(t, "cn1.example.org", c.ProviderName)
	assert.True(t, c.SkipVFs)
	assert.Equal(t, map[string]string{"0000:3b:00.0": "nvidia-35", "0000:3B:00.0": "nvidia-35"}, c.VGPUs)
	r, err := pciowner.Check(pciowner.Input{Devices: machine(), Cyborg: c})
	require.NoError(t, err)
	assert.Contains(t, findings(r), "not on the host: 0000:3B:00.0", "Cyborg compares letter by letter")
	for _, row := range r.Rows {
		if row.Device.Address == "0000:3b:00.0" {
			assert.Equal(t, "driver nvidia_gpu_driver, split into nvidia-35", row.Claims[0].What)
		}
	}
}

func TestFilterVirtualFunctions(t *testing.T) {
	t.Parallel()
	devices := []pciowner.Device{{Address: "0000:3b:00.4", Vendor: "10de", Product: "20f1", Class: "0302", Parent: "0000:3b:00.0"}}
	for text, want := range map[string]pciowner.Verdict{"": pciowner.ByCyborg, "[gpu_devices]\nfilter_sriov_vfs = 1": pciowner.ByNone} {
		c, err := pciowner.ParseCyborg(devices, conf("[agent]\nenabled_drivers = nvidia_gpu_driver\n"+text))
		require.NoError(t, err)
		r, err := pciowner.Check(pciowner.Input{Devices: devices, Cyborg: c})
		require.NoError(t, err)
		assert.Equal(t, want, r.Rows[0].Verdict)
	}
}

func TestDevicesAreChecked(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"no list", `{}`, "d.json:1: list of devices: json: cannot unmarshal object"},
		{"unknown key", "[\n{\"model_name\": \"x\"}]", `d.json:2: list of devices: json: unknown field "model_name"`},
		{"more", `[] []`, "there is more after the list"},
		{"address", `[{"address": "3b:00"}]`, `device "0000:3b:00": the address is none of the form 0000:3b:00.0`},
		{"parent", `[{"address": "3b:00.0", "parent": "x"}]`, `device 0000:3b:00.0: the parent "x" is no address`},
		{"vendor", `[{"address": "3b:00.0", "vendor": "nvidia"}]`, `vendor and product are 4 hexadecimal digits each, got "nvidia" and ""`},
		{"twice", `[{"address": "3b:00.0"}, {"address": "0000:3B:00.0"}]`, "device 0000:3b:00.0 is listed twice"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := pciowner.ParseDevices("d.json", []byte(test.text))
			require.ErrorContains(t, err, test.want)
		})
	}
	bad := []pciowner.Device{{Address: "x"}}
	_, novaErr := pciowner.ParseNova(bad)
	_, cyborgErr := pciowner.ParseCyborg(bad)
	_, checkErr := pciowner.Check(pciowner.Input{Devices: bad})
	for _, err := range []error{novaErr, cyborgErr, checkErr} {
		require.ErrorContains(t, err, `device "x"`)
	}
}

func FuzzParseNova(f *testing.F) {
	for _, seed := range []string{
		"[pci]\ndevice_spec = {\"address\": \"*:3b:00.*\"}", "[pci]\ndevice_spec = {\"address\": {\"bus\": \"[0-9a-f]{,2}$$\"}}",
		"[pci]\npassthrough_whitelist = [{\"devname\": \"ens1f0\", \"remote_managed\": \"1\"}]\n  , 5", "[DEFAULT]\npci_passthrough_whitelist: \"{}\"", "[", "=",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := pciowner.ParseNova(machine(), pciowner.File{Name: "fuzz", Text: text})
		if err != nil {
			var place *pciowner.Error
			require.ErrorAs(t, err, &place)
			require.Positive(t, place.Line)
			return
		}
		r, err := pciowner.Check(pciowner.Input{Devices: machine(), Nova: n})
		require.NoError(t, err)
		require.Len(t, r.Rows, len(machine()))
	})
}

func FuzzParseCyborg(f *testing.F) {
	f.Add([]byte("[agent]\nenabled_drivers = nvidia_gpu_driver,pci_driver\n[gpu_devices]\nenabled_vgpu_types=a\n[vgpu_A]\ndevice_addresses=0000:3b:00.0\n[pci]\npassthrough_whitelist={}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := pciowner.ParseCyborg(machine(), pciowner.File{Name: "fuzz", Text: text})
		if err != nil {
			return
		}
		r, err := pciowner.Check(pciowner.Input{Devices: machine(), Cyborg: c})
		require.NoError(t, err)
		require.Len(t, r.Rows, len(machine()))
	})
}

func FuzzParseDevices(f *testing.F) {
	f.Add([]byte(`[{"address": "3b:00.0", "vendor": "0x10de", "product": "1eb8", "parent": "10001:00:00.0"}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		devices, err := pciowner.ParseDevices("fuzz", text)
		if err != nil {
			return
		}
		again, err := pciowner.Normalize(devices)
		require.NoError(t, err)
		require.Equal(t, devices, again)
	})
}
