package cyborgclient_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

func TestTimestamp(t *testing.T) {
	t.Parallel()
	whole := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tests := []struct {
		name, text string
		want       time.Time
		written    string
		err        string
	}{
		{name: "ISO", text: `"2026-01-02T03:04:05+00:00"`, want: whole, written: `"2026-01-02T03:04:05+00:00"`},
		{name: "ISO with fraction", text: `"2026-01-02T03:04:05.123456+00:00"`, want: whole.Add(123456 * time.Microsecond), written: `"2026-01-02T03:04:05.123456+00:00"`},
		{name: "Python's str", text: `"2026-01-02 03:04:05+00:00"`, want: whole, written: `"2026-01-02T03:04:05+00:00"`},
		{name: "Z", text: `"2026-01-02T03:04:05Z"`, want: whole, written: `"2026-01-02T03:04:05+00:00"`},
		{name: "another zone", text: `"2026-01-02T05:04:05+02:00"`, want: whole, written: `"2026-01-02T03:04:05+00:00"`},
		{name: "no zone", text: `"2026-01-02T03:04:05.000001"`, want: whole.Add(time.Microsecond), written: `"2026-01-02T03:04:05.000001+00:00"`},
		{name: "no zone, with a space", text: `"2026-01-02 03:04:05"`, want: whole, written: `"2026-01-02T03:04:05+00:00"`},
		{name: "null", text: `null`, written: `null`},
		{name: "Python's None", text: `"None"`, written: `null`},
		{name: "empty", text: `""`, written: `null`},
		{name: "another text", text: `"yesterday"`, err: `timestamp "yesterday" is in none of Cyborg's forms`},
		{name: "a number", text: `12`, err: "timestamp 12 is no string"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := cyborgclient.Timestamp{Time: time.Unix(1, 0)}
			err := got.UnmarshalJSON([]byte(tt.text))
			if tt.err != "" {
				require.EqualError(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.want, got.Time)
			written, err := json.Marshal(got)
			require.NoError(t, err)
			assert.Equal(t, tt.written, string(written))
		})
	}
}

func FuzzTimestamp(f *testing.F) {
	for _, seed := range []string{"2026-01-02T03:04:05+00:00", "2026-01-02 03:04:05.5+00:00", "None", "", "9999-12-31T23:59:59-23:59"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		quoted, err := json.Marshal(text)
		require.NoError(t, err)
		var first, again cyborgclient.Timestamp
		if first.UnmarshalJSON(quoted) != nil {
			return
		}
		written, err := json.Marshal(first)
		if first.Year() < 0 || first.Year() > 9999 {
			return // JSON's form has no room for it
		}
		require.NoError(t, err)
		require.NoError(t, again.UnmarshalJSON(written))
		assert.Equal(t, first.Truncate(time.Microsecond), again.Time)
	})
}
