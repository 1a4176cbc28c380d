package main

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A real Nova takes no events without its version, which is easily forgotten.
func TestNovaGetsItsVersion(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"http://127.0.0.1:8774":                "http://127.0.0.1:8774/v2.1",
		"http://127.0.0.1:8774/":               "http://127.0.0.1:8774/v2.1",
		"https://cloud.example/compute":        "https://cloud.example/compute/v2.1",
		"https://cloud.example/v2things":       "https://cloud.example/v2things/v2.1",
		"http://127.0.0.1:8774/v2.1":           "http://127.0.0.1:8774/v2.1",
		"http://127.0.0.1:8774/v2.1/":          "http://127.0.0.1:8774/v2.1/",
		"https://cloud.example/compute/v2":     "https://cloud.example/compute/v2",
		"http://127.0.0.1:8774/v2.1/3458b5fab": "http://127.0.0.1:8774/v2.1/3458b5fab",
	} {
		s, err := parseFlags([]string{"-nova", given}, nil, io.Discard)
		require.NoError(t, err, given)
		assert.Equal(t, want, s.nova, given)
	}
	s, err := parseFlags(nil, nil, io.Discard)
	require.NoError(t, err)
	assert.Empty(t, s.nova)
}
