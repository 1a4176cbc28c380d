package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

func TestFindRelease(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, version, want string }{
		{name: "2025.1", version: "14.1.0"},
		{name: "Wallaby", version: "6.0.1"},
		{name: "14.0.0", version: "14.0.0"},
		{name: "14.0.0-3+deb13u1", version: "14.1.0"},
		{name: "epoxy", version: "14.1.0"},
		{name: "Hibiscus", version: "17.0.0"},
		{name: "stable/2025.1", version: "14.1.0"},
		{name: "unmaintained/2023.1", version: "10.1.0"},
		{name: "unmaintained/zed", version: "9.0.0"},

		{name: "Wallby", want: `release "Wallby": unknown; did you mean wallaby?`},
		{name: "epoxi", want: `release "epoxi": unknown; did you mean epoxy?`},
		{name: "14", want: `release "14": unknown; did you mean 14.0.0 or 14.1.0?`},
		{name: "14.1", want: `release "14.1": unknown; did you mean 14.1.0?`},
		{name: "2025", want: `release "2025": unknown; did you mean 2025.1 or 2025.2?`},
		{name: "stable/2025.", want: `release "stable/2025.": unknown; did you mean 2025.1 or 2025.2?`},
		{name: "v16.0.1", want: `release "v16.0.1": unknown; did you mean 16.0.1?`},
		{name: "stein", want: `release "stein": unknown, known are 17.0.0 (2026.2), `},
		{name: "", want: `release "": unknown, known are 17.0.0 (2026.2), `},
		{name: "master", want: `release "master": unknown, known are 17.0.0 (2026.2), `},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			release, err := findRelease(test.name)
			assert.Equal(t, test.version, release.Version)
			if test.want != "" {
				require.ErrorContains(t, err, test.want)
			} else {
				require.NoError(t, err)
			}
		})
	}
}

// Each series that is called by its number has its name here.
func TestSeriesNames(t *testing.T) {
	t.Parallel()
	named := make(map[string]bool)
	for name, series := range seriesNames {
		release, err := fakecyborg.FindRelease(series)
		require.NoError(t, err, name)
		assert.Equal(t, series, release.Series)
		named[series] = true
	}
	for _, release := range fakecyborg.Releases() {
		assert.Equal(t, release.Series[0] == '2', named[release.Series], release.Series)
	}
}
