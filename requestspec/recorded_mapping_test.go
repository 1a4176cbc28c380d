package requestspec_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/internal/casefile"
	"github.com/novacyborg/novacyborg/requestspec"
)

func TestRecordedMappingsBySearch(t *testing.T) {
	t.Parallel()
	cases := readCases[casefile.Mapping](t, "mapping-cases.jsonl")
	require.Len(t, cases, 60)
	for _, tc := range cases {
		t.Run(tc.ID, func(t *testing.T) {
			t.Parallel()
			mapping, err := tc.Input.Match(t.Context())
			if tc.Expected.Error != "" {
				require.Error(t, err)
				assert.Equal(t, tc.Expected.Error, requestspec.Code(err))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.Expected.Mapping, mapping)
		})
	}
}

func TestRecordedMappingsByLookup(t *testing.T) {
	t.Parallel()
	cases := readCases[casefile.Mappings](t, "mapping-by-mappings-cases.jsonl")
	require.Len(t, cases, 20)
	for _, tc := range cases {
		t.Run(tc.ID, func(t *testing.T) {
			t.Parallel()
			mapping, err := tc.Input.Match(t.Context())
			if tc.Expected.Error == "mapping_missing" {
				require.ErrorIs(t, err, requestspec.ErrMappingMissing)
				assert.Equal(t, tc.Expected.Error, requestspec.Code(err))
				return
			}
			require.NoError(t, err)
			if tc.Expected.Mapping != nil {
				assert.Equal(t, tc.Expected.Mapping, mapping)
			}
		})
	}
}
