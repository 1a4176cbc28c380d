package main

import (
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestResolveListen(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		listen string
		local  bool
	}{
		{"127.0.0.1:6666", true},
		{"127.1.2.3:0", true},
		{"[::1]:6666", true},
		{"[::ffff:127.0.0.1]:6666", true},
		{"localhost:6666", true},
		{"", false},
		{":6666", false},
		{"0.0.0.0:6666", false},
		{"[::]:6666", false},
		{"192.0.2.1:6666", false},
		{"[fe80::1%eth0]:6666", false},
	} {
		t.Run(test.listen, func(t *testing.T) {
			t.Parallel()
			_, err := resolveListen(test.listen, true)
			require.NoError(t, err)
			_, err = resolveListen(test.listen, false)
			if test.local {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, "add -expose")
			}
		})
	}
	for _, listen := range []string{"127.0.0.1", "127.0.0.1:66666", "6666"} {
		_, err := resolveListen(listen, true)
		assert.ErrorContains(t, err, "listen \""+listen+"\"", listen)
	}
}

func TestBaseURLCanBePasted(t *testing.T) {
	t.Parallel()
	for want, address := range map[string]net.TCPAddr{
		"http://127.0.0.1:1":        {IP: net.IPv4(127, 0, 0, 1), Port: 1},
		"http://127.0.0.1:2":        {IP: net.IPv6unspecified, Port: 2},
		"http://127.0.0.1:3":        {IP: net.IPv4zero, Port: 3},
		"http://[::1]:4":            {IP: net.IPv6loopback, Port: 4},
		"http://[fe80::1%25eth0]:5": {IP: net.ParseIP("fe80::1"), Zone: "eth0", Port: 5},
		"http://192.0.2.1:6":        {IP: net.IPv4(192, 0, 2, 1), Port: 6},
	} {
		assert.Equal(t, want, baseURL("http", &address))
	}
}
