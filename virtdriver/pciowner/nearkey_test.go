package pciowner_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/virtdriver/pciowner"
)

// TestMisspeltKeys: Nova takes a misspelt key for a tag, and the entry is for every device.
func TestMisspeltKeys(t *testing.T) {
	t.Parallel()
	const place = "nova.conf:2 [pci]device_spec: nobody reads "
	for _, test := range []struct {
		entry string
		want  []string
	}{
		{`{"vendr_id": "10de"}`, []string{place + `"vendr_id", so the entry is for any device; did you mean vendor_id?`}},
		{`{"vendor": "10de", "product_id": "1eb8"}`, []string{place + `"vendor", so the entry is for product 1eb8; did you mean vendor_id?`}},
		{`{"Device_ID": "1eb8", "vendor_id": "10de"}`, []string{place + `"Device_ID", so the entry is for vendor 10de; did you mean product_id?`}},
		{
			`{"addr_ess": "3b:00.0", "dev_name": "ens1f0"}`,
			[]string{
				place + `"addr_ess", so the entry is for any device; did you mean address?`,
				place + `"dev_name", so the entry is for any device; did you mean devname?`,
			},
		},
		{`{"resource-class": "CUSTOM_GPU", "mananged": "yes"}`, []string{
			place + `"mananged", so the entry is for any device; did you mean managed?`,
			place + `"resource-class", so the entry is for any device; did you mean resource_class?`,
		}},
		{`{"physical_network": "p", "parent_ifname": "ens1f0", "trusted": "true", "remote_managed": "false", "managed": "no", "live_migratable": "no", "resource_class": "A", "traits": "B"}`, nil},
		{`{"extra": "x", "rack": "7", "a": "b", "": "", "tags": "t"}`, nil},
	} {
		t.Run(test.entry, func(t *testing.T) {
			t.Parallel()
			r, err := pciowner.Check(pciowner.Input{Devices: machine(), Nova: nova(t, "device_spec = "+test.entry)})
			require.NoError(t, err)
			var got []string
			for _, f := range r.Findings {
				if f.Kind == pciowner.FindingUnread {
					assert.False(t, f.Conflict)
					got = append(got, f.Message)
				}
			}
			assert.Equal(t, test.want, got)
		})
	}
}

// TestMisspeltKeyForCyborg looks at the list of Cyborg's generic driver, too.
func TestMisspeltKeyForCyborg(t *testing.T) {
	t.Parallel()
	r, err := pciowner.Check(pciowner.Input{Devices: machine(), Cyborg: cyborg(t, "[agent]\nenabled_drivers = pci_driver\n[pci]\npassthrough_whitelist = {\"product-id\": \"1eb8\"}")})
	require.NoError(t, err)
	require.NotEmpty(t, r.Findings)
	last := r.Findings[len(r.Findings)-1]
	assert.Equal(t, pciowner.FindingUnread, last.Kind)
	assert.Contains(t, last.Message, `nobody reads "product-id", so the entry is for any device; did you mean product_id?`)
}
