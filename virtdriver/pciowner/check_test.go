package pciowner_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver/pciowner"
)

// machine has a GPU, a NIC with two virtual functions, an FPGA card of two functions in one group, a bridge and a disk
// in a wide domain.
func machine() []pciowner.Device {
	return []pciowner.Device{
		{Address: "0000:3B:00.0", Vendor: "10DE", Product: "1eb8", Class: "0302"},
		{Address: "0000:5e:00.0", Vendor: "8086", Product: "1572", Class: "0200", TotalVFs: 2, Interfaces: []string{"ens1f0"}},
		{Address: "0000:5e:02.0", Vendor: "8086", Product: "154c", Class: "0200", Parent: "0000:5e:00.0"},
		{Address: "0000:5e:02.1", Vendor: "8086", Product: "154c", Class: "0200", Parent: "0000:5e:00.0"},
		{Address: "0000:d8:00.0", Vendor: "10ee", Product: "5000", Class: "1200", IOMMUGroup: "51"},
		{Address: "0000:d8:00.1", Vendor: "10ee", Product: "5001", Class: "1200", IOMMUGroup: "51"},
		{Address: "0000:18:00.0", Vendor: "10de", Product: "2335", Class: "0302"},
		{Address: "0000:00:1f.0", Vendor: "8086", Product: "a1c1", Class: "0601"},
		{Address: "10001:8a:00.0", Vendor: "8086", Product: "0953", Class: "0108"},
	}
}

func nova(t *testing.T, lines ...string) *pciowner.Nova {
	t.Helper()
	n, err := pciowner.ParseNova(machine(), pciowner.File{Name: "nova.conf", Text: []byte("[pci]\n" + strings.Join(lines, "\n"))})
	require.NoError(t, err)
	return n
}

func cyborg(t *testing.T, text string) *pciowner.Cyborg {
	t.Helper()
	c, err := pciowner.ParseCyborg(machine(), pciowner.File{Name: "cyborg.conf", Text: []byte(text)})
	require.NoError(t, err)
	return c
}

func verdicts(r *pciowner.Report) map[string]pciowner.Verdict {
	of := make(map[string]pciowner.Verdict)
	for _, row := range r.Rows {
		of[row.Device.Address] = row.Verdict
	}
	return of
}

// findings are kinds with their addresses, one a line.
func findings(r *pciowner.Report) []string {
	var all []string
	for _, f := range r.Findings {
		all = append(all, strings.TrimSpace(string(f.Kind)+": "+strings.Join(f.Addresses, " ")))
	}
	return all
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	const gpu, pf, vf0, vf1, fpga0, fpga1, gpu2, bridge, wide = "0000:3b:00.0", "0000:5e:00.0", "0000:5e:02.0", "0000:5e:02.1", "0000:d8:00.0", "0000:d8:00.1", "0000:18:00.0", "0000:00:1f.0", "10001:8a:00.0"
	idle := map[string]pciowner.Verdict{gpu: "none", pf: "host", vf0: "host", vf1: "host", fpga0: "none", fpga1: "none", gpu2: "none", bridge: "host", wide: "host"}
	for _, test := range []struct {
		name, cyborg string
		nova         []string
		want         map[string]pciowner.Verdict // what differs from idle
		conflicts    []string
	}{
		{name: "nothing configured"},
		{name: "a physical function's address stands for its virtual ones", nova: []string{`device_spec = {"address": "0000:5e:00.0", "product_id": "154c"}`}, want: map[string]pciowner.Verdict{vf0: "nova", vf1: "nova"}},
		{name: "so does its interface", nova: []string{`device_spec = {"devname": "ens1f0"}`}, want: map[string]pciowner.Verdict{pf: "nova", vf0: "nova", vf1: "nova"}},
		{name: "any device, but none in a wide domain", nova: []string{`device_spec = {}`}, want: map[string]pciowner.Verdict{gpu: "nova", pf: "nova", vf0: "nova", vf1: "nova", fpga0: "nova", fpga1: "nova", gpu2: "nova", bridge: "nova"}},
		{
			name: "drivers", cyborg: "[agent]\nenabled_drivers = nvidia_gpu_driver,xilinx_fpga_driver, intel_nic_driver,",
			want: map[string]pciowner.Verdict{gpu: "cyborg", gpu2: "cyborg", vf0: "cyborg", vf1: "cyborg", fpga0: "cyborg", fpga1: "cyborg"},
		},
		{name: "the generic driver knows no parents", cyborg: "[agent]\nenabled_drivers = pci_driver\n[pci]\npassthrough_whitelist = {\"address\": \"0000:5e:00.0\"}", want: map[string]pciowner.Verdict{pf: "cyborg"}},
		{name: "a list without its driver", cyborg: "[pci]\npassthrough_whitelist = {\"address\": \"0000:5e:00.0\"}"},
		{
			name: "both", cyborg: "[agent]\nenabled_drivers = nvidia_gpu_driver", nova: []string{`device_spec = {"address": ":3b:00."}`, `device_spec = {"vendor_id": "10ee"}`},
			want:      map[string]pciowner.Verdict{gpu: "both", gpu2: "cyborg", fpga0: "nova", fpga1: "nova"},
			conflicts: []string{"claimed by both: " + gpu},
		},
		{
			name: "virtual functions of another owner", cyborg: "[agent]\nenabled_drivers = intel_nic_driver", nova: []string{`device_spec = {"vendor_id": "8086", "product_id": "1572"}`},
			want:      map[string]pciowner.Verdict{pf: "nova", vf0: "cyborg", vf1: "cyborg"},
			conflicts: []string{"virtual functions of another owner: " + pf + " " + vf0, "virtual functions of another owner: " + pf + " " + vf1},
		},
		{
			name: "a group of two owners", cyborg: "[agent]\nenabled_drivers = pci_driver\n[pci]\npassthrough_whitelist = [{\"product_id\": \"5000\"}]", nova: []string{`device_spec = {"product_id": "5001"}`},
			want:      map[string]pciowner.Verdict{fpga0: "cyborg", fpga1: "nova"},
			conflicts: []string{"iommu group of two owners: " + fpga1 + " " + fpga0},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			in := pciowner.Input{Devices: machine()}
			if test.nova != nil {
				in.Nova = nova(t, test.nova...)
			}
			if test.cyborg != "" {
				in.Cyborg = cyborg(t, test.cyborg)
			}
			r, err := pciowner.Check(in)
			require.NoError(t, err)
			want := maps.Clone(idle)
			maps.Copy(want, test.want)
			assert.Equal(t, want, verdicts(r))
			var conflicts []string
			for i, f := range r.Findings {
				if f.Conflict {
					conflicts = append(conflicts, findings(r)[i])
				}
			}
			assert.Equal(t, test.conflicts, conflicts)
			assert.Len(t, r.Conflicts(), len(conflicts))
		})
	}
}

const cn1 = "cn1.example.org"

// TestPlacementShowsADeviceTwice: Nova's name has upper-case letters, Cyborg's has lower-case ones, so that Placement
// takes both.
func TestPlacementShowsADeviceTwice(t *testing.T) {
	t.Parallel()
	lower, upper := cn1+"_0000:3b:00.0", pciowner.NovaProviderName(cn1, pciowner.Device{Address: "0000:3b:00.0"})
	assert.Equal(t, cn1+"_0000:3B:00.0", upper)
	assert.Equal(t, cn1+"_0000:5E:00.0", pciowner.NovaProviderName(cn1, pciowner.Device{Address: "0000:5e:02.0", Parent: "0000:5e:00.0"}))
	byCyborg := pciowner.Provider{UUID: pciowner.CyborgProviderUUID(lower), Name: lower}
	for _, test := range []struct {
		name      string
		providers []pciowner.Provider
		want      []string
	}{
		{
			"two providers",
			[]pciowner.Provider{{UUID: "1", Name: upper, Traits: []string{pciowner.TraitManagedPCI}}, byCyborg},
			[]string{"in placement without a claim: 0000:3b:00.0", "in placement without a claim: 0000:3b:00.0", "twice in placement: 0000:3b:00.0"},
		},
		{
			"one of two owners",
			[]pciowner.Provider{{UUID: "1", Name: lower, Traits: []string{pciowner.TraitOwnerNova, pciowner.TraitOwnerCyborg}}},
			[]string{"in placement without a claim: 0000:3b:00.0", "in placement without a claim: 0000:3b:00.0", "twice in placement: 0000:3b:00.0"},
		},
		{"two of an unknown owner", []pciowner.Provider{{UUID: "1", Name: upper}, {UUID: "2", Name: lower}}, []string{"twice in placement: 0000:3b:00.0"}},
		{"Nova's alone", []pciowner.Provider{{UUID: "1", Name: upper, Traits: []string{pciowner.TraitManagedPCI}}}, []string{"in placement without a claim: 0000:3b:00.0"}},
		{"of an older Cyborg", []pciowner.Provider{byCyborg}, []string{"in placement without a claim: 0000:3b:00.0"}},
		{
			"of a Cyborg that calls the host otherwise",
			[]pciowner.Provider{{UUID: "1", Name: upper, Traits: []string{pciowner.TraitManagedPCI}}, {UUID: "2", Name: "cn1_0000:3b:00.0", Traits: []string{pciowner.TraitOwnerCyborg}}},
			[]string{"in placement without a claim: 0000:3b:00.0", "in placement without a claim: 0000:3b:00.0", "twice in placement: 0000:3b:00.0"},
		},
		{"others", []pciowner.Provider{{Name: cn1}, {Name: "plain"}, {Name: cn1 + "_FakeDevice"}}, nil},
		{"not on the host", []pciowner.Provider{{Name: cn1 + "_0000:3C:00.0"}}, []string{"not on the host: 0000:3c:00.0"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r, err := pciowner.Check(pciowner.Input{
				Host: cn1, Devices: machine(), Providers: test.providers,
				Nova: nova(t), Cyborg: cyborg(t, ""),
			})
			require.NoError(t, err)
			got := slices.DeleteFunc(findings(r), func(f string) bool { return strings.HasPrefix(f, "claimed by none") })
			assert.ElementsMatch(t, test.want, got)
		})
	}
}

// TestProviderOfVirtualFunctions: Nova gives virtual functions the provider of the device that they belong to.
func TestProviderOfVirtualFunctions(t *testing.T) {
	t.Parallel()
	r, err := pciowner.Check(pciowner.Input{
		Host: cn1, Devices: machine(), Nova: nova(t, "report_in_placement = 1", `device_spec = {"product_id": "154c"}`),
		Providers: []pciowner.Provider{{UUID: "1", Name: cn1 + "_0000:5E:00.0", Traits: []string{pciowner.TraitManagedPCI}}},
	})
	require.NoError(t, err)
	assert.NotContains(t, findings(r), "in placement without a claim: 0000:5e:00.0")
	assert.Equal(t, pciowner.ByNova, verdicts(r)["0000:5e:02.0"])
}

// TestUnknownConfigurationIsNoMissingClaim: nothing is said about the claims of a service whose files are not given.
func TestUnknownConfigurationIsNoMissingClaim(t *testing.T) {
	t.Parallel()
	r, err := pciowner.Check(pciowner.Input{Host: cn1, Devices: machine()[:1], Providers: []pciowner.Provider{
		{UUID: "1", Name: cn1 + "_0000:3B:00.0", Traits: []string{pciowner.TraitManagedPCI}},
	}})
	require.NoError(t, err)
	assert.Equal(t, []string{"claimed by none: 0000:3b:00.0"}, findings(r))
}

func TestWhatCyborgShows(t *testing.T) {
	t.Parallel()
	handle := func(kind cyborgclient.HandleType, bus string) cyborgclient.AttachHandle {
		return cyborgclient.AttachHandle{Type: kind, Info: map[string]any{"domain": "0", "bus": bus, "device": "0", "function": "0"}}
	}
	boundARQ := func(uuid, host string, h cyborgclient.AttachHandle) cyborgclient.ARQ {
		return cyborgclient.ARQ{UUID: uuid, State: cyborgclient.StateBound, Hostname: host, InstanceUUID: "i", AttachHandle: h}
	}
	r, err := pciowner.Check(pciowner.Input{
		Host: cn1, Devices: machine(),
		Nova: nova(t, "report_in_placement = yes", `device_spec = {"class": "any"}`),
		Deployables: []cyborgclient.Deployable{
			{UUID: "d1", Name: cn1 + "_0000:3b:00.0"},
			{UUID: "d2", Name: "cn2_0000:18:00.0"},
			{UUID: "d3", Name: cn1 + "_FakeDevice"},
			{UUID: "d4", Name: cn1 + "_0000:ff:00.0"},
		},
		ARQs: []cyborgclient.ARQ{
			boundARQ("a1", cn1, handle(cyborgclient.HandlePCI, "18")),
			boundARQ("a2", cn1, handle(cyborgclient.HandleTestPCI, "d8")),
			boundARQ("a3", "cn2", handle(cyborgclient.HandlePCI, "d8")),
			{UUID: "a4", State: cyborgclient.StateUnbound, Hostname: cn1, AttachHandle: handle(cyborgclient.HandlePCI, "d8")},
		},
	})
	require.NoError(t, err)
	of := verdicts(r)
	assert.Equal(t, pciowner.ByBoth, of["0000:3b:00.0"])
	assert.Equal(t, pciowner.ByBoth, of["0000:18:00.0"])
	assert.Equal(t, pciowner.ByNova, of["0000:d8:00.0"])
	assert.Contains(t, findings(r), "not on the host: 0000:ff:00.0")
	text, err := json.Marshal(r)
	require.NoError(t, err)
	assert.Contains(t, string(text), "ARQ a1 (handle of type PCI, for instance i); take it out of one of them; both name their provider "+cn1+"_0000:18:00.0, so that the report of the later one fails")
	assert.NotContains(t, string(text), cn1+"_0000:3B:00.0, so that", "there the names differ")
}

// TestDeployablesOfTheHost: Cyborg may call the host otherwise than Nova; and a Xilinx card has two functions and one
// deployable.
func TestDeployablesOfTheHost(t *testing.T) {
	t.Parallel()
	const card = "_0000:d8:00.0"
	provider := []pciowner.Provider{{UUID: "5B1C4F0C-6A8B-4B60-9F3E-0D6B5F0A2C11", Name: "agent-7" + card, Traits: []string{pciowner.TraitOwnerCyborg}}}
	for _, test := range []struct {
		name       string
		deployable cyborgclient.Deployable
		conf       string
		providers  []pciowner.Provider
		want       [2]pciowner.Verdict
	}{
		{"by the node's name", cyborgclient.Deployable{Name: cn1 + card}, "", nil, [2]pciowner.Verdict{"cyborg", "none"}},
		{"by its first label", cyborgclient.Deployable{Name: "cn1" + card}, "", nil, [2]pciowner.Verdict{"cyborg", "none"}},
		{"by the agent's name", cyborgclient.Deployable{Name: "agent-7" + card}, "[DEFAULT]\nhost = agent-7", nil, [2]pciowner.Verdict{"cyborg", "none"}},
		{"by its provider", cyborgclient.Deployable{Name: "agent-7" + card, RPUUID: "5b1c4f0c-6a8b-4b60-9f3e-0d6b5f0a2c11"}, "", provider, [2]pciowner.Verdict{"cyborg", "none"}},
		{"another host's", cyborgclient.Deployable{Name: "agent-7" + card}, "", nil, [2]pciowner.Verdict{"none", "none"}},
		{"both functions", cyborgclient.Deployable{Name: cn1 + card, DriverName: "XILINX"}, "", nil, [2]pciowner.Verdict{"cyborg", "cyborg"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r, err := pciowner.Check(pciowner.Input{Host: cn1, Devices: machine(), Cyborg: cyborg(t, test.conf), Deployables: []cyborgclient.Deployable{test.deployable}, Providers: test.providers})
			require.NoError(t, err)
			assert.Equal(t, test.want, [2]pciowner.Verdict{verdicts(r)["0000:d8:00.0"], verdicts(r)["0000:d8:00.1"]})
		})
	}
}

func TestWhatNovaCannotReport(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		entries []string
		want    []string
	}{
		{"functions alike", []string{`{"product_id": "154c", "traits": "a,HW_B", "resource_class": "my nic"}`}, nil},
		{"the device and a function", []string{`{"product_id": "1572"}`, `{"address": "0000:5e:02.0"}`}, []string{"not fit for placement: 0000:5e:02.0 0000:5e:00.0"}},
		{"two classes", []string{`{"address": "0000:5e:02.0", "resource_class": "x"}`, `{"address": "0000:5e:02.1"}`}, []string{"not fit for placement: 0000:5e:02.1 0000:5e:02.0"}},
		{"one class in two spellings", []string{`{"address": "0000:5e:02.0", "resource_class": "my nic"}`, `{"address": "0000:5e:02.1", "resource_class": "CUSTOM_MY_NIC"}`}, nil},
		{"other traits", []string{`{"address": "0000:5e:02.0", "traits": "b,a"}`, `{"address": "0000:5e:02.1", "traits": "b"}`}, []string{"not fit for placement: 0000:5e:02.0 0000:5e:02.1"}},
		{"with a physical network", []string{`{"product_id": "1572", "physical_network": "p"}`, `{"address": "0000:5e:02.0"}`}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var lines []string
			for _, entry := range test.entries {
				lines = append(lines, "device_spec = "+entry)
			}
			r, err := pciowner.Check(pciowner.Input{Devices: machine(), Nova: nova(t, append(lines, "report_in_placement = true")...)})
			require.NoError(t, err)
			got := slices.DeleteFunc(findings(r), func(f string) bool { return strings.HasPrefix(f, "claimed by none") })
			assert.ElementsMatch(t, test.want, got)
			assert.Empty(t, r.Conflicts())
		})
	}
}

func TestAPIsNeedAHost(t *testing.T) {
	t.Parallel()
	_, err := pciowner.Check(pciowner.Input{Devices: machine(), Providers: []pciowner.Provider{{Name: "x"}}})
	require.ErrorContains(t, err, "without the name of the host")
}

// TestBugLogWideDomainIsListedAndNotAssignable: a storage controller that makes domains beyond 16 bits stops nothing; its
// devices are listed as the host's, under their own address.
func TestBugLogWideDomainIsListedAndNotAssignable(t *testing.T) {
	t.Parallel()
	devices := []pciowner.Device{{Address: "10001:8a:00.0", Class: "0108"}, {Address: "0001:8a:00.0", Class: "0302", Vendor: "10de", Product: "1eb8"}, {Address: "5d0505:01:00.0", Class: "0302"}}
	n, err := pciowner.ParseNova(devices, pciowner.File{Text: []byte("[pci]\ndevice_spec = {\"address\": \"*:8a:00.0\"}\ndevice_spec = {}")})
	require.NoError(t, err)
	r, err := pciowner.Check(pciowner.Input{Devices: devices, Nova: n})
	require.NoError(t, err)
	assert.Equal(t, map[string]pciowner.Verdict{"10001:8a:00.0": pciowner.ByHost, "0001:8a:00.0": pciowner.ByNova, "5d0505:01:00.0": pciowner.ByHost}, verdicts(r))
}

// TestVerdictsPartitionTheDevices: whatever is configured, each device has one row, in order, and its one verdict is what
// its claims say.
func TestVerdictsPartitionTheDevices(t *testing.T) {
	t.Parallel()
	address := rapid.StringMatching(`0000:[0-3]0:0[01]\.[0-1]`)
	rapid.Check(t, func(t *rapid.T) {
		var devices []pciowner.Device
		for _, a := range rapid.SliceOfNDistinct(address, 0, 12, rapid.ID[string]).Draw(t, "addresses") {
			d := pciowner.Device{
				Address: a, Vendor: rapid.SampledFrom([]string{"10de", "8086", "1bd4", ""}).Draw(t, "vendor"),
				Product: rapid.SampledFrom([]string{"1eb8", "1572", "37c8"}).Draw(t, "product"),
				Class:   rapid.SampledFrom([]string{"0302", "0200", "0601", "1200", ""}).Draw(t, "class"),
			}
			if rapid.Bool().Draw(t, "is a virtual function") {
				d.Parent = address.Draw(t, "parent")
			}
			d.TotalVFs = rapid.IntRange(0, 2).Draw(t, "vfs")
			devices = append(devices, d)
		}
		var lines []string
		for range rapid.IntRange(0, 3).Draw(t, "entries") {
			lines = append(lines, `device_spec = {"address": "`+rapid.SampledFrom([]string{"*:10:*.*", "*:*:01.*", "0000:20:00.0", "*:*:*.1"}).Draw(t, "address")+`"}`)
		}
		n, err := pciowner.ParseNova(devices, pciowner.File{Text: []byte("[pci]\n" + strings.Join(lines, "\n"))})
		require.NoError(t, err)
		names := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"nvidia_gpu_driver", "intel_nic_driver", "intel_qat_driver", "inspur_fpga_driver", "fake_driver"}), rapid.ID[string]).Draw(t, "drivers")
		c, err := pciowner.ParseCyborg(devices, pciowner.File{Text: []byte("[agent]\nenabled_drivers = " + strings.Join(names, ","))})
		require.NoError(t, err)
		r, err := pciowner.Check(pciowner.Input{Devices: devices, Nova: n, Cyborg: c})
		require.NoError(t, err)

		require.Len(t, r.Rows, len(devices))
		require.Len(t, verdicts(r), len(devices))
		require.True(t, slices.IsSortedFunc(r.Rows, func(a, b pciowner.Row) int { return strings.Compare(a.Device.Address, b.Device.Address) }))
		both := 0
		for _, row := range r.Rows {
			byNova := slices.ContainsFunc(row.Claims, func(c pciowner.Claim) bool { return c.Owner == pciowner.OwnerNova })
			byCyborg := slices.ContainsFunc(row.Claims, func(c pciowner.Claim) bool { return c.Owner == pciowner.OwnerCyborg })
			require.Equal(t, byNova && byCyborg, row.Verdict == pciowner.ByBoth)
			require.Equal(t, byNova && !byCyborg, row.Verdict == pciowner.ByNova)
			require.Equal(t, !byNova && byCyborg, row.Verdict == pciowner.ByCyborg)
			require.Equal(t, !byNova && !byCyborg, row.Verdict == pciowner.ByNone || row.Verdict == pciowner.ByHost)
			require.Equal(t, byNova, n.Spec(row.Device) != nil)
			if row.Verdict == pciowner.ByBoth {
				both++
			}
		}
		for _, f := range r.Conflicts() {
			if f.Kind == pciowner.FindingBoth {
				both--
			}
		}
		require.Zero(t, both)
	})
}
