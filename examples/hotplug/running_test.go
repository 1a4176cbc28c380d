package main

import (
	"testing"

	"github.com/digitalocean/go-libvirt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/virtdriver"
)

// TestFlagsFollowTheDefinition: repeating a change that went half through changes what is left of it.
func TestFlagsFollowTheDefinition(t *testing.T) {
	t.Parallel()
	const now, also = libvirt.DomainDeviceModifyLive, libvirt.DomainDeviceModifyLive | libvirt.DomainDeviceModifyConfig
	for _, test := range []struct {
		name, definition string
		unplug           bool
		want             libvirt.DomainDeviceModifyFlags
	}{
		{"plug in", bare, false, also},
		{"plug in what it starts with", has, false, now},
		{"unplug", has, true, also},
		{"unplug again", bare, true, now},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := flagsBeside([]byte(test.definition), virtdriver.Fragment{ARQ: pciARQ()}, test.unplug)
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
	_, err := flagsBeside([]byte("<domain"), virtdriver.Fragment{ARQ: pciARQ()}, false)
	require.ErrorIs(t, err, virtdriver.ErrMalformedXML)
}
