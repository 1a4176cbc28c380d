package fakecyborg_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// The version of Debian 13 has the security fixes.
func TestDebianVersion(t *testing.T) {
	t.Parallel()
	release, err := fakecyborg.FindRelease("14.0.0-3+deb13u1")
	require.NoError(t, err)
	assert.Equal(t, "14.1.0", release.Version)
	_, err = fakecyborg.FindRelease("14.0.0-3+deb13u9")
	require.ErrorContains(t, err, `release "14.0.0-3+deb13u9": unknown, known are 17.0.0 (2026.2)`)
}

// A seed with a card that the release has no driver for is refused, and the first
// release that has it is named.
func TestSeedBeforeItsDriver(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ release, driver, want string }{
		{"2024.2", "pci", `s.yaml:4: hosts[0].devices[0].driver: driver "pci": unknown driver: Cyborg 13.0.0 (2024.2) has none of that name, the first with it is 14.0.0 (2025.1): play that or a later one`},
		{"yoga", "xilinx_fpga", `s.yaml:4: hosts[0].devices[0].driver: driver "xilinx_fpga": unknown driver: Cyborg 8.0.1 (yoga) has none of that name, the first with it is 9.0.0 (zed): play that or a later one`},
		{"ussuri", "qat", `s.yaml:4: hosts[0].devices[0].driver: driver "qat": unknown driver: Cyborg 4.0.1 (ussuri) has none of that name, the first with it is 5.0.0 (victoria): play that or a later one`},
	} {
		t.Run(test.driver, func(t *testing.T) {
			t.Parallel()
			release, err := fakecyborg.FindRelease(test.release)
			require.NoError(t, err)
			seed := "hosts:\n- name: a\n  devices:\n  - {driver: " + test.driver + ", address: \"0000:3b:00.0\"}\n"
			server, err := fakecyborg.New(fakecyborg.WithRelease(release), fakecyborg.WithSeedYAML("s.yaml", []byte(seed)))
			require.EqualError(t, err, test.want)
			assert.Nil(t, server)

			server, err = fakecyborg.New(fakecyborg.WithRelease(release), fakecyborg.WithSeed(twoHosts()))
			require.NoError(t, err)
			loaded := clientOf(server).call(t, "PUT", "/_fake/seed", seed)
			assert.Equal(t, 400, loaded.status)
			assert.Contains(t, loaded.body, "has none of that name")
			inserted := clientOf(server).call(t, "POST", "/_fake/devices", `{"host": "rack1", "driver": "`+test.driver+`", "address": "0000:3c:00.0"}`)
			assert.Equal(t, 400, inserted.status)
			assert.Contains(t, inserted.body, "has none of that name")
			assert.Contains(t, inserted.body, `"place": "body:1: driver"`)
			machine, err := server.Machine("rack1")
			require.NoError(t, err)
			_, err = machine.Insert(test.driver, driver.Card{Address: "0000:3c:00.0"})
			require.ErrorIs(t, err, driver.ErrUnknownDriver)
			require.ErrorContains(t, err, "has none of that name")
		})
	}
}
