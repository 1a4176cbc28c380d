package requestspec_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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
			in := requestspec.Input{Flavor: baseFlavor("accel:device_profile", file.Profile.Name), Profile: profile}
			request, err := requestspec.Build(in)
			require.NoError(t, err)
			assert.Len(t, request.RequesterIDs(), len(profile))
			lenient, err := requestspec.Build(in, requestspec.Lenient())
			require.NoError(t, err)
			assert.Equal(t, request.Query(), lenient.Query(), "real profiles mean the same in both modes")
			for i, group := range profile {
				asked, found := request.Group(requestspec.RequesterID(i, ""))
				require.True(t, found)
				assertAsks(t, group, asked)
			}
		})
	}
}

// assertAsks checks that a group asks for what its profile group says, and for nothing else.
func assertAsks(t *testing.T, group requestspec.ProfileGroup, asked requestspec.Group) {
	t.Helper()
	resources, required, forbidden := 0, 0, 0
	for _, p := range group {
		if class, ok := strings.CutPrefix(p.Key, "resources:"); ok {
			resources++
			assert.Equal(t, fmt.Sprint(p.Value), strconv.FormatInt(asked.Resources[class], 10))
		}
		if trait, ok := strings.CutPrefix(p.Key, "trait:"); ok && p.Value == "required" {
			required++
			assert.Contains(t, asked.Required, trait)
		} else if ok {
			forbidden++
			assert.Contains(t, asked.Forbidden, trait)
		}
	}
	assert.Len(t, asked.Resources, resources)
	assert.Len(t, asked.Required, required)
	assert.Len(t, asked.Forbidden, forbidden)
}
