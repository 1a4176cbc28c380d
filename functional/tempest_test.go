package functional_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/uuid"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// tempest is the surroundings of one case of cyborg-tempest-plugin. The cases are written anew from what they send and assert: they
// speak plain HTTP, each to a fake of its own.
type tempest struct {
	rawClient
	release fakecyborg.Release
}

type tempestCase struct {
	name string
	// has says whether a release can pass the case; nil for all.
	has func(fakecyborg.Release) bool
	// options are those of the fake beside its seed.
	options []fakecyborg.Option
	run     func(*testing.T, tempest)
}

// tempestHost is the host of the cases.
const tempestHost = "tempest-1"

// tempestProvider is the provider of a GPU of that host.
var tempestProvider = driver.ProviderUUID(tempestHost + "_0000:af:00.0")

// tempestImage is what can be loaded into its FPGA.
var tempestImage = driver.Image{ID: plainImage, FunctionID: plainFunction}

func tempestSeed() fakecyborg.Seed {
	return fakecyborg.Seed{Hosts: []fakecyborg.Host{{Name: tempestHost, Devices: []fakecyborg.Device{
		{Driver: "fake"},
		{Driver: "fpga", Card: driver.Card{Address: "0000:3b:00.0"}},
		{Driver: "pgpu", Card: driver.Card{Address: "0000:af:00.0"}},
	}}}}
}

// Every case against every release that it applies to.
func TestTempest(t *testing.T) {
	t.Parallel()
	driven := newDriven("tempest")
	cases := slices.Concat(tempestProfiles, tempestARQs, tempestDevices, tempestPersonas, tempestScenarios)
	t.Run("cases", func(t *testing.T) {
		for _, test := range cases {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				releases := 0
				for _, release := range fakecyborg.Releases() {
					if test.has != nil && !test.has(release) {
						continue
					}
					releases++
					t.Run(release.Version, func(t *testing.T) {
						t.Parallel()
						test.run(t, newTempest(t, driven, release, test.options...))
					})
				}
				if releases == 0 {
					t.Error("the case applies to no release")
				}
			})
		}
	})
	t.Run("coverage", func(t *testing.T) { driven.check(t) }) //nolint:paralleltest // after the cases
}

func newTempest(t *testing.T, driven *driven, release fakecyborg.Release, options ...fakecyborg.Option) tempest {
	t.Helper()
	options = append([]fakecyborg.Option{fakecyborg.WithSeed(tempestSeed()), fakecyborg.WithRelease(release)}, options...)
	server, err := fakecyborg.New(options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	driven.of(t, server, release)
	return tempest{rawClient: rawClient{server: server}, release: release}
}

// profile makes a device profile with one group and returns its uuid.
func (c tempest) profile(t *testing.T, name, class string) string {
	t.Helper()
	return text(t, c.call(t, "POST", "/v2/device_profiles", profileBody(name, class)).want(t, 201).object(t), "uuid")
}

func profileBody(name, class string) string {
	return fmt.Sprintf(`[{"name": %q, "groups": [{"resources:%s": "1"}], "description": "of a test"}]`, name, class)
}

// arqs makes the requests of a profile.
func (c tempest) arqs(t *testing.T, profile string) []map[string]any {
	t.Helper()
	return c.call(t, "POST", "/v2/accelerator_requests", fmt.Sprintf(`{"device_profile_name": %q}`, profile)).want(t, 201).list(t, "arqs")
}

// bind binds one request to the GPU, as Nova does it.
func (c tempest) bind(t *testing.T, arq, instance string, header ...string) {
	t.Helper()
	body := fmt.Sprintf(`{%q: [{"path": "/hostname", "op": "add", "value": %q}, {"path": "/device_rp_uuid", "op": "add", "value": %q}, `+
		`{"path": "/instance_uuid", "op": "add", "value": %q}]}`, arq, tempestHost, tempestProvider, instance)
	c.call(t, "PATCH", "/v2/accelerator_requests", body, header...).want(t, 202)
}

// unknown is an id that nothing has.
func unknown() string { return uuid.NewString() }
