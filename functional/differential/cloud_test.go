package differential_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/keystone"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/placement/placementtest"
)

// login is what Keystone said when an account logged in.
type login struct {
	keystone, word string
	Token          struct {
		Project struct{ ID string }
		Catalog []struct {
			Type      string
			Endpoints []struct{ Interface, URL string }
		}
	}
}

// RoundTrip keeps the answer to a login.
func (l *login) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
	if err != nil || response.Header.Get("X-Subject-Token") == "" {
		return response, err
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	l.keystone, _, _ = strings.Cut(request.URL.String(), "/v3")
	l.word = response.Header.Get("X-Subject-Token")
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, json.Unmarshal(body, l)
}

// logIn logs in to a cloud of clouds.yaml, as a client of Cyborg does.
func logIn(t *testing.T, cloud string) *login {
	t.Helper()
	l := &login{}
	_, err := cyborgclient.New(t.Context(), cyborgclient.WithCloud(cloud), cyborgclient.WithTransport(l))
	require.NoError(t, err, cloud)
	require.NotEmpty(t, l.word, cloud)
	return l
}

// endpoint is the public address of a service, from the catalog.
func (l *login) endpoint(t *testing.T, service string) string {
	t.Helper()
	for _, entry := range l.Token.Catalog {
		for _, endpoint := range entry.Endpoints {
			if entry.Type == service && endpoint.Interface == "public" {
				return strings.TrimSuffix(endpoint.URL, "/")
			}
		}
	}
	require.Fail(t, "no "+service+" in the catalog")
	return ""
}

// realLockstep logs in to the cloud of the tests with a real Cyborg (functional/realstack/README.md) and starts the fake of its release, which
// asks the same Keystone and tells the same Nova. Entries of clouds.yaml say who asks: beside those of the other tests
// NOVACYBORG_DIFFERENTIAL_READER_CLOUD, who may only read in the user's project, and NOVACYBORG_DIFFERENTIAL_OTHER_CLOUD, a member of another
// project.
func realLockstep(t *testing.T) *lockstep {
	t.Helper()
	if os.Getenv("NOVACYBORG_CYBORG_CLOUD") == "" {
		t.Skip("NOVACYBORG_CYBORG_CLOUD names no real cloud")
	}
	accounts, words, projects := make(map[string]*login), map[string]string{"bad": "gAAAAAB-not-a-token"}, []string{}
	for _, user := range []struct{ name, variable string }{
		{"admin", "NOVACYBORG_CYBORG_CLOUD"},
		{"nova", "NOVACYBORG_CYBORG_SERVICE_CLOUD"},
		{"demo", "NOVACYBORG_CYBORG_USER_CLOUD"},
		{"demo-reader", "NOVACYBORG_DIFFERENTIAL_READER_CLOUD"},
		{"other", "NOVACYBORG_DIFFERENTIAL_OTHER_CLOUD"},
	} {
		account := logIn(t, cloudOf(user.variable, user.name))
		accounts[user.name], words[user.name] = account, account.word
	}
	for _, name := range []string{"demo", "other", "admin"} {
		projects = append(projects, accounts[name].Token.Project.ID)
	}
	service := accounts["nova"]
	real, err := newSide(strings.TrimSuffix(service.endpoint(t, "accelerator"), "/v2"), words)
	require.NoError(t, err)
	release := releaseOf(t, real)
	t.Logf("the real service is compared with the fake of %s (%s)", release.Version, release.Series)
	validator, err := keystone.New(t.Context(), service.keystone, keystone.WithCloud(cloudOf("NOVACYBORG_CYBORG_SERVICE_CLOUD", "nova")))
	require.NoError(t, err)
	server := startFake(t, fakecyborg.WithPresetSeed("recorded"), fakecyborg.WithPublicEndpoint(real.base.String()), fakecyborg.WithRelease(release), fakecyborg.WithAuthenticator(validator),
		fakecyborg.WithNova(service.endpoint(t, "compute")), fakecyborg.WithNovaTransport(validator.Transport()))
	fake, err := newSide(server.URL(), words)
	require.NoError(t, err)
	return newLockstep(t, real, fake, projects)
}

// cloudOf is the entry of clouds.yaml that a variable names.
func cloudOf(variable, fallback string) string { return cmp.Or(os.Getenv(variable), fallback) }

// startFake starts a fake with the manners of the real service's front end, and a Placement of its own.
func startFake(t *testing.T, options ...fakecyborg.Option) *fakecyborg.Server {
	t.Helper()
	inMemory, err := placementtest.New(placementtest.WithoutAuth())
	require.NoError(t, err)
	client, err := placement.New(t.Context(), placement.WithEndpoint("http://placement.invalid"), placement.WithTransport(inMemory.Transport()))
	require.NoError(t, err)
	return fakecyborg.Start(t, append([]fakecyborg.Option{
		fakecyborg.WithMount(fakecyborg.MountBare), fakecyborg.WithConnectionClose(), fakecyborg.WithoutChunkedBodies(), fakecyborg.WithPlacement(client),
	}, options...)...)
}

func newLockstep(t *testing.T, real, fake *side, projects []string) *lockstep {
	t.Helper()
	l := &lockstep{real: real, fake: fake, comparer: &comparer{names: newNames(), written: readDifferences(t)}, sent: make(map[int]int)}
	for _, project := range projects {
		l.comparer.names.pair(project, project)
	}
	for _, s := range []*side{real, fake} {
		require.NoError(t, s.survey(t.Context()))
		s.told["project"] = projects
	}
	var err error
	l.attributes, _, err = fake.list(t.Context(), "/v2/attributes", "attributes")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, l.clean(context.WithoutCancel(t.Context()))) })
	return l
}

// survey learns what is there before any sequence.
func (s *side) survey(ctx context.Context) error {
	devices, _, err := s.list(ctx, "/v2/devices", "devices")
	if err != nil {
		return err
	}
	deployables, _, err := s.list(ctx, "/v2/deployables", "deployables")
	if err != nil {
		return err
	}
	for _, o := range devices {
		s.told["device"] = append(s.told["device"], o.UUID)
	}
	for _, o := range deployables {
		s.told["deployable"] = append(s.told["deployable"], o.UUID)
		s.told["rp"] = append(s.told["rp"], o.Provider)
	}
	return nil
}

// releaseOf finds the fake's release for a real service: NOVACYBORG_DIFFERENTIAL_VERSION is the version of its package, such as 17.0.0-4. Without
// it the form of the version in an answer tells old from new.
func releaseOf(t *testing.T, real *side) fakecyborg.Release {
	t.Helper()
	version, _, _ := strings.Cut(os.Getenv("NOVACYBORG_DIFFERENTIAL_VERSION"), "-")
	a, err := real.send(t.Context(), step{method: http.MethodGet, target: "/v2"})
	require.NoError(t, err)
	named := strings.HasPrefix(a.header.Get(versionHeader), "accelerator ")
	switch {
	case version == "14.0.0" || version == "" && !named:
		version = "14.1.0" // Debian's has the fixes of the release after it
	case version == "":
		version = "17.0.0"
	}
	release, err := fakecyborg.FindRelease(version)
	if err != nil {
		t.Skipf("the fake does not play Cyborg %s yet: %v", version, err)
	}
	return release
}
