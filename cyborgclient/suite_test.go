package cyborgclient_test

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/fakecyborg"
)

// subject is a Cyborg that the suite runs against.
type subject struct {
	client   *cyborgclient.Client
	versions cyborgclient.Versions
	// ours says that it is a fake: its devices may be disturbed, and all that it
	// has is known.
	ours bool
	name string // begins the names of the suite's own profiles
	// first says that it is of Train, the first release with this API: it has no
	// devices, and microversions do not tell it from Ussuri.
	first bool

	mu    sync.Mutex
	calls map[string]bool // operations of which one has worked
}

// hook remembers what has worked.
func (s *subject) hook(_ context.Context, call cyborgclient.Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[call.Operation] = s.calls[call.Operation] || call.Err == nil
}

// has says whether the server has microversion 2.minor. What differs between
// releases is told from that, as programs have to.
func (s *subject) has(minor int) bool {
	return s.versions.Supports(cyborgclient.Microversion{Major: 2, Minor: minor})
}

// old says whether the server may be of a release before that microversion, so
// that it may behave in both ways.
func (s *subject) old(minor int) bool { return !s.has(minor) }

func newSubject(t *testing.T, ours bool, opts ...cyborgclient.Option) *subject {
	t.Helper()
	s := &subject{ours: ours, name: "novacyborg-" + uuid.NewString()[:8], calls: make(map[string]bool)}
	var err error
	s.client, err = cyborgclient.New(t.Context(), append(opts, cyborgclient.WithHook(s.hook))...)
	require.NoError(t, err)
	s.versions, err = s.client.Versions(t.Context())
	require.NoError(t, err)
	_, err = s.client.Devices(t.Context(), cyborgclient.DeviceFilter{})
	s.first = errors.Is(err, cyborgclient.ErrVersion)
	require.False(t, s.first && s.has(1), "%v", err)
	return s
}

// suite does everything that the client can do, each once well and, where that
// is possible, once wrong. It touches nothing but its own profiles and ARQs,
// binds only to providers that have devices left, and deletes what it makes.
func suite(t *testing.T, s *subject) {
	t.Helper()
	for _, part := range []struct {
		name string
		run  func(*testing.T, *subject)
	}{
		{"profiles", suiteProfiles},
		{"profile in use", suiteProfileInUse},
		{"ARQs", suiteARQs},
		{"bind", suiteBind},
		{"bind wrongly", suiteBindWrongly},
		{"bind for a project", suiteBindForProject},
		{"unbind", suiteUnbind},
		{"devices", suiteDevices},
		{"device switch", suiteDeviceSwitch},
		{"deployables", suiteDeployables},
		{"program", suiteProgram},
		{"attributes", suiteAttributes},
	} {
		t.Run(part.name, func(t *testing.T) { part.run(t, s) })
	}
}

const suiteSeed = `
hosts:
  - name: compute-1
    devices: [{driver: fake}]
`

// The suite, against a fake of each release.
func TestSuiteWithFakes(t *testing.T) {
	t.Parallel()
	releases := fakecyborg.Releases()
	require.NotEmpty(t, releases)
	for i, release := range releases {
		t.Run(release.Series+" "+release.Version, func(t *testing.T) {
			t.Parallel()
			server, err := fakecyborg.New(fakecyborg.WithRelease(release), fakecyborg.WithSeedYAML("seed", []byte(suiteSeed)))
			require.NoError(t, err)
			t.Cleanup(server.Close)
			s := newSubject(t, true, cyborgclient.WithEndpoint("http://cyborg.localhost"), cyborgclient.WithTransport(server.Transport()))
			suite(t, s)
			nothingIsLeft(t, s)
			if i == len(releases)-1 {
				everythingWorked(t, s)
			}
		})
	}
}

// The suite, against a real Cyborg, where the environment names one:
//
//	NOVACYBORG_CYBORG_URL            its address, with or without /v2
//	NOVACYBORG_CYBORG_TOKEN          an admin's token; none for auth_strategy noauth2
//	NOVACYBORG_CYBORG_SERVICE_TOKEN  a service's token; needed since the fix of CVE-2026-40214
//
// or, instead of the three,
//
//	NOVACYBORG_CYBORG_CLOUD          the admin's entry in clouds.yaml
//	NOVACYBORG_CYBORG_SERVICE_CLOUD  the service's entry
//
// OS_CLOUD alone does not start it: many have it set for other work. The Cyborg
// should have a free device; without one the parts that bind are skipped.
// Nothing is programmed, disabled or left behind.
func TestSuiteWithARealCyborg(t *testing.T) {
	t.Parallel()
	opts := realCyborg()
	if opts == nil {
		t.Skip("neither NOVACYBORG_CYBORG_URL nor NOVACYBORG_CYBORG_CLOUD names a real Cyborg")
	}
	suite(t, newSubject(t, false, opts...))
}

func realCyborg() []cyborgclient.Option {
	var opts []cyborgclient.Option
	add := func(variable string, option func(string) cyborgclient.Option) {
		if value := os.Getenv(variable); value != "" {
			opts = append(opts, option(value))
		}
	}
	add("NOVACYBORG_CYBORG_URL", cyborgclient.WithEndpoint)
	add("NOVACYBORG_CYBORG_TOKEN", cyborgclient.WithToken)
	add("NOVACYBORG_CYBORG_SERVICE_TOKEN", cyborgclient.WithServiceToken)
	add("NOVACYBORG_CYBORG_CLOUD", cyborgclient.WithCloud)
	add("NOVACYBORG_CYBORG_SERVICE_CLOUD", cyborgclient.WithServiceCloud)
	return opts
}

// nothingIsLeft holds for a Cyborg that nobody else uses.
func nothingIsLeft(t *testing.T, s *subject) {
	t.Helper()
	arqs, err := s.client.ARQs(t.Context(), cyborgclient.ARQFilter{})
	require.NoError(t, err)
	assert.Empty(t, arqs)
	profiles, err := s.client.DeviceProfiles(t.Context())
	require.NoError(t, err)
	assert.Empty(t, profiles)
}

// everythingWorked keeps the suite whole: the newest release has every
// operation, and none is left out. Programming needs a device that can.
func everythingWorked(t *testing.T, s *subject) {
	t.Helper()
	for _, operation := range []string{
		"read versions",
		"list device profiles", "get device profile", "create device profile", "delete device profile",
		"create ARQs", "list ARQs", "list ARQs of an instance", "list resolved ARQs", "list resolved ARQs of an instance", "get ARQ",
		"bind ARQs", "unbind ARQs", "delete ARQs", "delete ARQs of an instance",
		"list devices", "get device", "enable device", "disable device",
		"list deployables", "get deployable",
		"list attributes", "get attribute", "create attribute", "delete attribute",
	} {
		assert.True(t, s.calls[operation], "%s has never worked", operation)
	}
	assert.Contains(t, s.calls, "program deployable")
}

// failure is the client's error with that kind.
func failure(t *testing.T, err, kind error) *cyborgclient.Error {
	t.Helper()
	require.ErrorIs(t, err, kind)
	var failed *cyborgclient.Error
	require.ErrorAs(t, err, &failed)
	return failed
}

// absent accepts an operation that an old release does not have, and says so.
func absent(t *testing.T, err error) bool {
	t.Helper()
	if !errors.Is(err, cyborgclient.ErrVersion) {
		return false
	}
	require.ErrorContains(t, err, "this Cyborg does not have the operation, which came with ")
	return true
}

// after is a context for cleaning up.
func after(t *testing.T) context.Context {
	t.Helper()
	return context.WithoutCancel(t.Context())
}
