package requestspec_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/requestspec"
)

// realInputs returns the files of a folder of the collection that lies beside a checkout in CI.
func realInputs(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", "shared", "real-inputs", folder, "*.json"))
	require.NoError(t, err)
	if len(paths) == 0 {
		if os.Getenv("NOVACYBORG_PEERS") == "required" {
			t.Fatal("the real inputs are missing")
		}
		t.Skip("the real inputs are not beside this checkout")
	}
	files := map[string][]byte{}
	for _, path := range paths {
		files[filepath.Base(path)], err = os.ReadFile(path)
		require.NoError(t, err)
	}
	return files
}

func TestRealFlavors(t *testing.T) {
	t.Parallel()
	type wantGroup struct {
		Resources map[string]int64
		Required  []string
		Forbidden []string
	}
	for name, content := range realInputs(t, "flavors") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var file struct {
				Flavor struct {
					requestspec.Flavor
					RAM int `json:"ram_mb"`
				}
				BootFromVolume bool              `json:"boot_from_volume"`
				ExtraSpecs     map[string]string `json:"extra_specs"`
				Expected       struct {
					Unsuffixed  wantGroup
					Groups      map[string]wantGroup
					GroupPolicy string `json:"group_policy"`
					Status      int    `json:"placement_status"`
					Warning     string
					Error       string
				}
			}
			require.NoError(t, json.Unmarshal(content, &file))
			in := requestspec.Input{Flavor: file.Flavor.Flavor, BootFromVolume: file.BootFromVolume}
			in.Flavor.MemoryMB, in.Flavor.ExtraSpecs = file.Flavor.RAM, file.ExtraSpecs

			_, err := requestspec.Build(in)
			assert.Equal(t, file.Expected.Error != "" || file.Expected.Status != 0 || file.Expected.Warning != "", err != nil, "%v", err)
			if file.Expected.Error != "" {
				require.ErrorIs(t, err, requestspec.ErrProfile)
				return
			}
			request, err := requestspec.Build(in, requestspec.Lenient())
			require.NoError(t, err)
			got := map[string]wantGroup{}
			for _, g := range request.Groups {
				got[g.Suffix] = wantGroup{g.Resources, g.Required, g.Forbidden}
			}
			want := map[string]wantGroup{"": file.Expected.Unsuffixed}
			maps.Copy(want, file.Expected.Groups)
			assert.Equal(t, want, got)
			assert.Equal(t, file.Expected.GroupPolicy, request.GroupPolicy)
		})
	}
}

func TestRealDeviceProfiles(t *testing.T) {
	t.Parallel()
	for name, content := range realInputs(t, "device-profiles") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var file struct {
				Profile requestspec.Profile        `json:"device_profile"`
				Stored  []requestspec.ProfileGroup `json:"stored_groups"`
				ARQs    int                        `json:"arqs_expected"`
				Status  int                        `json:"post_status"`
			}
			require.NoError(t, json.Unmarshal(content, &file))
			profile := file.Profile.Groups
			if file.Stored != nil {
				profile = file.Stored
			}
			counts, err := requestspec.ExpectedARQs(profile)
			if file.Status != 0 {
				require.ErrorIs(t, err, requestspec.ErrAmount)
				return
			}
			require.NoError(t, err)
			total := 0
			for _, n := range counts {
				total += n
			}
			assert.Equal(t, file.ARQs, total)
			request, err := requestspec.Build(requestspec.Input{Flavor: baseFlavor("accel:device_profile", file.Profile.Name), Profile: profile})
			require.NoError(t, err)
			assert.Len(t, request.RequesterIDs(), len(profile))
		})
	}
}
