package fakecyborg_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

func TestFindRelease(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"train": "3.0.1", "Ussuri": "4.0.1", "2023.1": "10.1.0", "2025.1": "14.1.0", "14.0.0": "14.0.0",
		"2025.2": "15.0.1", "2026.1": "16.0.1", "2026.2": "17.0.0", "17.0.0": "17.0.0", "3.0.0": "3.0.0",
	} {
		release, err := fakecyborg.FindRelease(name)
		require.NoError(t, err, name)
		assert.Equal(t, want, release.Version, name)
	}
	_, err := fakecyborg.FindRelease("stein")
	require.ErrorContains(t, err, `release "stein": unknown, known are 17.0.0 (2026.2), 16.0.1 (2026.1), `)
	assert.True(t, strings.HasSuffix(err.Error(), ", 3.0.0 (train)"), err)
}

// Every series is there, in order, and nothing that a caller changes in one
// result shows in the next.
func TestReleases(t *testing.T) {
	t.Parallel()
	releases := fakecyborg.Releases()
	var series []string
	for _, release := range releases {
		series = append(series, release.Series)
	}
	assert.Equal(t, []string{
		"train", "ussuri", "victoria", "wallaby", "xena", "yoga", "zed",
		"2023.1", "2023.2", "2024.1", "2024.2", "2025.1", "2025.2", "2026.1", "2026.2",
	}, slices.Compact(series))
	assert.Equal(t, releases[len(releases)-1], fakecyborg.Newest())
	releases[len(releases)-1].Policies["arq:create"] = nil
	releases[len(releases)-1].ResourceClasses[0] = ""
	assert.NotEqual(t, releases[len(releases)-1], fakecyborg.Newest())
}
