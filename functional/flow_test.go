package functional_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/lifecycle"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/requestspec"
)

func TestFlow(t *testing.T) {
	t.Parallel()
	t.Run("in memory", func(t *testing.T) {
		t.Parallel()
		testFlow(t, newCloud(t))
	})
	t.Run("real Placement", func(t *testing.T) {
		t.Parallel()
		url, _ := realPlacement(t)
		transport := &http.Transport{}
		t.Cleanup(transport.CloseIdleConnections)
		testFlow(t, newCloudOn(t, url, transport))
	})
}

// testFlow runs the whole flow once and checks what every party knows of it.
func testFlow(t *testing.T, c *cloud) {
	t.Helper()
	want := request(profileName)
	created, err := c.manager.Create(t.Context(), want)
	require.NoError(t, err)

	assert.Equal(t, c.hosts[1], created.Record.Now.Host, "only one host has both kinds of cards")
	allocations, err := c.placement.Allocations(t.Context(), want.Consumer.UUID)
	require.NoError(t, err)
	assert.Equal(t, created.Record.Claim.Allocations, allocations.Allocations)
	assert.Len(t, allocations.Allocations, 3, "the host and one provider for each card")

	arqs, err := c.cyborg.ARQsByInstance(t.Context(), want.Consumer.UUID)
	require.NoError(t, err)
	require.Len(t, arqs, 2)
	for _, arq := range arqs {
		assert.Equal(t, cyborgclient.StateBound, arq.State)
		assert.Equal(t, created.Record.Now.Host, arq.Hostname)
		provider, err := created.Candidate.Provider(requestspec.RequesterID(arq.DeviceProfileGroupID, ""))
		require.NoError(t, err)
		assert.Equal(t, provider, arq.DeviceRPUUID)
	}

	devices := hostdevs(t, created.Composition.XML)
	require.Len(t, devices, 2)
	assert.EqualValues(t, 0x5e, *devices[0].SubsysPCI.Source.Address.Bus, "the FPGA is group 0")
	assert.Contains(t, []uint{0xaf, 0xd8}, *devices[1].SubsysPCI.Source.Address.Bus, "the GPU is group 1")

	require.NoError(t, c.manager.Delete(t.Context(), created.Record))
	c.requireNothingLeft(t, want.Consumer.UUID)
	require.NoError(t, c.manager.Delete(t.Context(), created.Record), "a second delete finds everything done")
}

func TestLibvirtAcceptsTheFlowsDomain(t *testing.T) {
	t.Parallel()
	requireLibvirt(t)
	created, err := newCloud(t).manager.Create(t.Context(), request(profileName))
	require.NoError(t, err)
	defined := libvirtAccepts(t, created.Composition.XML)
	assert.Empty(t, cmp.Diff(hostdevs(t, created.Composition.XML), hostdevs(t, defined)))
}

// TestEveryCallFails fails each call of the flow in every way, for good. The instance then has all its accelerators, or
// nothing is left of it.
func TestEveryCallFails(t *testing.T) {
	t.Parallel()
	placementCalls := []call{askCandidates, readHost, putClaim}
	cyborgCalls := []call{readProfile, postARQs, patchBind, listARQs}
	for _, how := range []failure{refused, internalError, hang, replyLost} {
		for _, what := range placementCalls {
			t.Run(what.name+"/"+how.name, func(t *testing.T) {
				t.Parallel()
				testFailure(t, func(c *cloud) *wire { return c.placementWire }, what, how)
			})
		}
		for _, what := range cyborgCalls {
			t.Run(what.name+"/"+how.name, func(t *testing.T) {
				t.Parallel()
				testFailure(t, func(c *cloud) *wire { return c.cyborgWire }, what, how)
			})
		}
	}
}

func testFailure(t *testing.T, pick func(*cloud) *wire, what call, how failure) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := newCloud(t, lifecycle.WithAttempts(1))
		pick(c).cut(what, how, 1000)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		want := request(profileName)
		created, err := c.manager.Create(ctx, want)
		require.NotZero(t, pick(c).failed(), "the failure was never met")
		if err == nil {
			requireComplete(t, c, created)
			require.NoError(t, c.manager.Delete(t.Context(), created.Record))
			c.requireNothingLeft(t, want.Consumer.UUID)
			return
		}
		failed, ok := errors.AsType[*lifecycle.Error](err)
		require.True(t, ok, "%T", err)
		if what == postARQs && how.effect {
			requireStraysNamed(t, c, failed)
			return
		}
		require.NoError(t, failed.Undo)
		c.requireNothingLeft(t, want.Consumer.UUID)
	})
}

// requireComplete checks that a creation that met a failure and still succeeded lacks nothing.
func requireComplete(t *testing.T, c *cloud, created *lifecycle.Result) {
	t.Helper()
	arqs, err := c.cyborg.ARQsByInstance(t.Context(), created.Record.Instance())
	require.NoError(t, err)
	require.Len(t, arqs, 2)
	for _, arq := range arqs {
		assert.Equal(t, cyborgclient.StateBound, arq.State)
	}
	assert.Len(t, hostdevs(t, created.Composition.XML), 2)
}

// requireStraysNamed checks the one case that cannot be undone: ARQs whose uuids were lost with the answer are named.
func requireStraysNamed(t *testing.T, c *cloud, failed *lifecycle.Error) {
	t.Helper()
	arqs, err := c.cyborg.ARQs(t.Context(), cyborgclient.ARQFilter{})
	require.NoError(t, err)
	require.Len(t, arqs, 2)
	require.Error(t, failed.Undo)
	for _, arq := range arqs {
		require.ErrorContains(t, failed.Undo, arq.UUID)
	}
	allocations, err := c.placement.Allocations(t.Context(), failed.Instance)
	require.NoError(t, err)
	assert.Empty(t, allocations.Allocations)
}

// TestNextCandidate takes the GPU of the first candidate behind Placement's back, so that Cyborg finds no attach handle;
// the second candidate of the same host, with the other GPU, then works.
func TestNextCandidate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var binds []int
		c := newCloud(t, lifecycle.WithObserver(func(_ context.Context, s lifecycle.Step) {
			if s.ID == lifecycle.StepBind && !s.Undo {
				binds = append(binds, s.Attempt)
			}
		}))
		squatter := uuid.NewString()
		c.occupy(t, squatter, firstGPU(t, c))
		created, err := c.manager.Create(t.Context(), request(profileName))
		require.NoError(t, err)
		assert.Equal(t, []int{1, 2}, binds)
		requireComplete(t, c, created)
		require.NoError(t, c.manager.Delete(t.Context(), created.Record))
		require.NoError(t, c.cyborg.DeleteARQsByInstance(t.Context(), squatter))
		c.requireNothingLeft(t, created.Record.Instance())
	})
}

// TestEveryCandidateFails: with both GPUs taken in Cyborg, the one-line error tells what happened on each attempt.
func TestEveryCandidateFails(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	squatters := []string{uuid.NewString(), uuid.NewString()}
	found := candidatesOf(t, c)
	for i, squatter := range squatters {
		provider, err := found[i].Provider(requestspec.RequesterID(1, ""))
		require.NoError(t, err)
		c.occupy(t, squatter, provider)
	}
	want := request(profileName)
	_, err := c.manager.Create(t.Context(), want)
	require.ErrorContains(t, err, "tried 2 of 2 candidates: ")
	assert.Equal(t, 2, strings.Count(err.Error(), "on host "+c.hosts[1]+": bind: "))
	assert.NotContains(t, err.Error(), "\n")
	assert.NotContains(t, err.Error(), "left behind")
	for _, squatter := range squatters {
		require.NoError(t, c.cyborg.DeleteARQsByInstance(t.Context(), squatter))
	}
	c.requireNothingLeft(t, want.Consumer.UUID)
}

// firstGPU is the provider of the GPU in the first candidate that a creation would try.
func firstGPU(t *testing.T, c *cloud) string {
	t.Helper()
	provider, err := candidatesOf(t, c)[0].Provider(requestspec.RequesterID(1, ""))
	require.NoError(t, err)
	return provider
}

// candidatesOf asks for the candidates that a creation would try: one for each GPU.
func candidatesOf(t *testing.T, c *cloud) []placement.Candidate {
	t.Helper()
	profile, err := c.cyborg.DeviceProfileByName(t.Context(), profileName)
	require.NoError(t, err)
	spec := request(profileName).Spec
	spec.Profile = profile.Groups
	asked, err := requestspec.Build(spec)
	require.NoError(t, err)
	found, err := c.placement.Candidates(t.Context(), asked)
	require.NoError(t, err)
	require.Len(t, found.List, 2)
	return found.List
}

// TestBoundInSpiteOfTheAnswer has the bind answered with an error although all ARQs are bound, as Cyborg does when Nova
// refuses its event.
func TestBoundInSpiteOfTheAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCloud(t)
		late := internalError
		late.effect = true
		c.cyborgWire.cut(patchBind, late, 1)
		created, err := c.manager.Create(t.Context(), request(profileName))
		require.NoError(t, err)
		requireComplete(t, c, created)
		require.NoError(t, c.manager.Delete(t.Context(), created.Record))
		c.requireNothingLeft(t, created.Record.Instance())
	})
}

func TestComposeFailureIsUndone(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	want := request(profileName)
	want.Domain = []byte(`<domain type='kvm'><name>guest</name><devices><interface type='hostdev'>` +
		`<source><address type='pci' domain='0x0000' bus='0x5e' slot='0x00' function='0x0'/></source></interface></devices></domain>`)
	_, err := c.manager.Create(t.Context(), want)
	require.ErrorContains(t, err, "0000:5e:00.0")
	failed, ok := errors.AsType[*lifecycle.Error](err)
	require.True(t, ok)
	assert.Equal(t, lifecycle.StepCompose, failed.Step)
	require.NoError(t, failed.Undo)
	c.requireNothingLeft(t, want.Consumer.UUID)
}

func TestNoHostNamesTheGroup(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	_, err := c.cyborg.CreateDeviceProfile(t.Context(), cyborgclient.DeviceProfileCreate{
		Name: "gpu", Groups: []requestspec.ProfileGroup{requestspec.GroupOf(map[string]string{"resources:PGPU": "1"})},
	})
	require.NoError(t, err)
	for range 2 {
		_, err := c.manager.Create(t.Context(), request("gpu"))
		require.NoError(t, err)
	}
	_, err = c.manager.Create(t.Context(), request("gpu"))
	require.ErrorIs(t, err, lifecycle.ErrNoHost)
	require.ErrorContains(t, err, "device_profile_0")
	require.ErrorContains(t, err, "PGPU")
}

// TestUnknownNamesNameTheGroup: Placement refuses a query with a class or trait that it does not know, and says not which
// group has it.
func TestUnknownNamesNameTheGroup(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, key, value string }{
		{"class", "resources:CUSTOM_NOBODY", "1"},
		{"trait", "trait:CUSTOM_NOBODY", "required"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newCloud(t)
			_, err := c.cyborg.CreateDeviceProfile(t.Context(), cyborgclient.DeviceProfileCreate{
				Name: "odd", Groups: []requestspec.ProfileGroup{
					requestspec.GroupOf(map[string]string{"resources:FPGA": "1"}),
					requestspec.GroupOf(map[string]string{"resources:PGPU": "1", test.key: test.value}),
				},
			})
			require.NoError(t, err)
			_, err = c.manager.Create(t.Context(), request("odd"))
			require.ErrorIs(t, err, lifecycle.ErrNoHost)
			require.ErrorContains(t, err, "device_profile_1")
			require.ErrorContains(t, err, "CUSTOM_NOBODY")
		})
	}
}

func TestBadInputLeavesNothing(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(*lifecycle.CreateRequest)
		want   string
	}{
		{"unknown profile", func(r *lifecycle.CreateRequest) { r.Spec.Flavor.ExtraSpecs["accel:device_profile"] = "nobody" }, "nobody"},
		{"placeholder", func(r *lifecycle.CreateRequest) { r.Spec.Flavor.ExtraSpecs["accel:device_profile"] = "<name>" }, "not a valid profile name"},
		{"malformed domain", func(r *lifecycle.CreateRequest) { r.Domain = []byte("<domain>\n<devices>\n</domain>") }, "line 3"},
		{"no devices", func(r *lifecycle.CreateRequest) { r.Domain = []byte("<domain type='kvm'/>") }, "devices"},
		{"instance uuid", func(r *lifecycle.CreateRequest) { r.Consumer.UUID = "i-1" }, "i-1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newCloud(t)
			want := request(profileName)
			test.change(&want)
			_, err := c.manager.Create(t.Context(), want)
			require.ErrorContains(t, err, test.want)
			c.requireNothingLeft(t, want.Consumer.UUID)
		})
	}
}

// TestSecondCreateTouchesNothing: a second creation of the same instance fails and leaves the first one whole, also where
// the candidate is the same and still has room.
func TestSecondCreateTouchesNothing(t *testing.T) {
	t.Parallel()
	for _, profile := range []string{"", "many"} {
		t.Run("profile "+profile, func(t *testing.T) {
			t.Parallel()
			c := newCloud(t)
			_, err := c.cyborg.CreateDeviceProfile(t.Context(), cyborgclient.DeviceProfileCreate{
				Name: "many", Groups: []requestspec.ProfileGroup{requestspec.GroupOf(map[string]string{"resources:FPGA": "2"})},
			})
			require.NoError(t, err)
			want := request(profile)
			if profile == "" {
				want.Spec.Flavor.ExtraSpecs = nil
			}
			created, err := c.manager.Create(t.Context(), want)
			require.NoError(t, err)

			_, err = c.manager.Create(t.Context(), want)
			require.ErrorIs(t, err, placement.ErrConsumerExists)
			failed, ok := errors.AsType[*lifecycle.Error](err)
			require.True(t, ok)
			require.NoError(t, failed.Undo)
			allocations, err := c.placement.Allocations(t.Context(), want.Consumer.UUID)
			require.NoError(t, err)
			assert.Equal(t, created.Record.Claim.Allocations, allocations.Allocations)
			arqs, err := c.cyborg.ARQsByInstance(t.Context(), want.Consumer.UUID)
			require.NoError(t, err)
			assert.Len(t, arqs, len(created.ARQs))
		})
	}
}

// TestGivenGroupsAreNotClaimed: a device that no profile of Cyborg stands behind gets no ARQ, so it must not be claimed.
func TestGivenGroupsAreNotClaimed(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	want := request("")
	want.Spec.Flavor.ExtraSpecs = nil
	want.Spec.Profile = []requestspec.ProfileGroup{requestspec.GroupOf(map[string]string{"resources:PGPU": "1"})}
	created, err := c.manager.Create(t.Context(), want)
	require.NoError(t, err)
	assert.Len(t, created.Record.Claim.Allocations, 1, "the host alone")
	assert.Empty(t, created.ARQs)
}

func TestRecoverFindsWhatALostRecordNamed(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	created, err := c.manager.Create(t.Context(), request(profileName))
	require.NoError(t, err)
	record, err := c.manager.Recover(t.Context(), created.Record.Instance())
	require.NoError(t, err)
	assert.Equal(t, created.Record.Claim, record.Claim)
	assert.Equal(t, created.Record.Now.Host, record.Now.Host)
	assert.ElementsMatch(t, created.Record.ARQs(), record.ARQs())

	require.NoError(t, c.manager.Delete(t.Context(), record))
	c.requireNothingLeft(t, record.Instance())
	record, err = c.manager.Recover(t.Context(), record.Instance())
	require.NoError(t, err)
	require.NoError(t, c.manager.Delete(t.Context(), record), "nothing to recover is nothing to delete")
}
