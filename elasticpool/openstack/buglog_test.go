package openstack_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/openstack"
	"github.com/novacyborg/novacyborg/elasticpool/openstack/computetest"
)

// VCondor finds images by a part of their name: "juno" is in "junorun", too.
func TestBugLogImagesByPartOfTheName(t *testing.T) {
	t.Parallel()
	cloud, to := newCloud(t, computetest.WithImages(
		computetest.Image{ID: "11111111-1111-4111-8111-111111111112", Name: "WN-junorun-1", Status: "active"},
		computetest.Image{ID: imageID, Name: "WN-juno", Status: "active"},
		computetest.Image{ID: "11111111-1111-4111-8111-111111111113", Name: "WN-juno", Status: "deactivated"},
	))
	provider := newProvider(t, to, openstack.Settings{})
	spec := smallVM("01J0A")
	spec.Class.Image = "WN-juno"
	mustCreate(t, provider, spec)
	server, _ := creation(t, cloud)["server"].(map[string]any)
	assert.Equal(t, imageID, server["imageRef"])
	spec = smallVM("01J0B")
	spec.Class.Image = "WN-junorun"
	_, err := provider.Create(t.Context(), spec)
	require.ErrorIs(t, err, elasticpool.ErrInvalid)
}

// VCondor passes passwords to commands, and to the log with them. Here nothing shows one: no log at its finest, no error,
// no verb of fmt.
func TestBugLogSecretsAreNeverShown(t *testing.T) {
	t.Parallel()
	const token = "j0in-t0ken"
	cloud, to := newCloud(t)
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	provider, err := openstack.New(t.Context(), "ihep", openstack.Settings{
		Pool: pool, Logger: logger, DeleteWait: 1,
		JoinToken: func(context.Context, elasticpool.ServerSpec) (string, error) { return token, nil },
	}, append(quick(to), cyborgclient.WithLogger(logger))...)
	require.NoError(t, err)
	shown := []string{fmt.Sprintf("%v %+v %#v %s", provider, provider, provider, provider)}
	attempt := func(spec elasticpool.ServerSpec) {
		server, err := provider.Create(t.Context(), spec)
		shown = append(shown, fmt.Sprintf("%+v %#v %v", server, server, err))
		for err != nil {
			shown = append(shown, err.Error())
			err = errors.Unwrap(err)
		}
	}
	spec := smallVM("01J0A")
	spec.Class.UserData = "token: {{joinToken}}\n"
	attempt(spec)
	require.Len(t, cloud.Servers(), 1)
	for _, status := range []int{400, 401, 403, 404, 409, 413, 429, 500, 503} {
		spec.VM, spec.Name = strconv.Itoa(status), "n"+strconv.Itoa(status)
		cloud.Inject(computetest.Fault{Method: http.MethodPost, Path: "/servers", Status: status, Body: `{"x": {"message": "no"}}`, Times: 2})
		attempt(spec)
		cloud.ClearFaults()
	}
	for _, wrong := range []string{"{{joinToken}}{{.Nothing}}", `{{joinToken | printf "%d" | json | indent 2 3 4}}`, "{{joinToken}}" + strings.Repeat("x", 60_000)} {
		spec.Class.UserData = wrong
		attempt(spec)
	}
	logger.Info("made", "provider", provider)
	everything := log.String() + strings.Join(shown, "\n")
	require.Contains(t, everything, "ep-physics-01J0A")
	for _, secret := range []string{token, password, "adminPass-of"} {
		assert.NotContains(t, everything, secret)
	}
}

// TARDIS knows its VMs from its own database: after a restart what is not in it is never seen again. Here all that bears
// the tag is found by a provider that has made nothing.
func TestBugLogOrphansAreSeenByListing(t *testing.T) {
	t.Parallel()
	_, to := newCloud(t)
	mustCreate(t, newProvider(t, to, openstack.Settings{}), smallVM("01J0A"))
	servers := list(t, newProvider(t, to, openstack.Settings{}), pool)
	require.Len(t, servers, 1)
	assert.Equal(t, "01J0A", servers[0].VM)
	assert.EqualValues(t, 7, servers[0].Generation)
}

// VCondor and TARDIS answer all failures alike. Each class is answered in its own way.
func TestBugLogErrorsHaveClasses(t *testing.T) {
	t.Parallel()
	nova := func(words string) string { return `{"itWasSo": {"code": 0, "message": "` + words + `"}}` }
	for _, test := range []struct {
		name   string
		status int
		body   string
		class  error
	}{
		{"cores", 403, nova("Quota exceeded for cores: Requested 4, but already used 8 of 8 cores"), elasticpool.ErrQuota},
		{"ram", 403, nova("Quota exceeded for ram: Requested 8192, but already used 51200 of 51200 ram"), elasticpool.ErrQuota},
		{"instances", 403, nova("Quota exceeded for instances: Requested 1, but already used 10 of 10 instances"), elasticpool.ErrQuota},
		{"ports", 403, nova("Maximum number of ports exceeded"), elasticpool.ErrQuota},
		{"volumes", 413, nova("VolumeLimitExceeded: Maximum number of volumes allowed (10) exceeded for quota 'volumes'."), elasticpool.ErrQuota},
		{"older quota", 413, nova("Quota exceeded for cores,instances: Requested 2, 1"), elasticpool.ErrQuota},
		{"policy", 403, nova("Policy doesn't allow os_compute_api:servers:create to be performed."), elasticpool.ErrUnauthorized},
		{"policy about quotas", 403, nova("Policy doesn't allow os_compute_api:os-quota-sets:show to be performed."), elasticpool.ErrUnauthorized},
		{"no body", 403, "", elasticpool.ErrUnauthorized},
		{"disk", 400, nova("Flavor's disk is too small for requested image. Flavor disk is 1 bytes, image is 2 bytes."), elasticpool.ErrInvalid},
		{"image", 400, nova("Can not find requested image"), elasticpool.ErrInvalid},
		{"image not ready", 400, nova("Image 1234 is not active."), elasticpool.ErrTransient},
		{"flavor", 404, nova("Flavor 9 could not be found."), elasticpool.ErrInvalid},
		{"no device profile", 400, nova("Device Profile Group expected 1 for fpga, got nothing"), elasticpool.ErrInvalid},
		{"Cyborg away", 400, nova("Device profile name fpga: Could not communicate with Cyborg."), elasticpool.ErrTransient},
		{"addresses", 400, nova("No more fixed IPs in network"), elasticpool.ErrCapacity},
		{"two networks", 409, nova("Multiple possible networks found, use a Network ID to be more specific."), elasticpool.ErrInvalid},
		{"over quota by conflict", 409, `{"NeutronError": {"type": "OverQuota", "message": "Quota exceeded for resources: ['port'].", "detail": ""}}`, elasticpool.ErrQuota},
		{"addresses by conflict", 409, `{"NeutronError": {"type": "IpAddressGenerationFailure", "message": "No more IP addresses available on network 1.", "detail": ""}}`, elasticpool.ErrCapacity},
		{"conflict", 409, nova("Port 1 is still in use."), elasticpool.ErrTransient},
		{"rate", 413, nova("This request was rate-limited."), elasticpool.ErrTransient},
		{"too many", 429, "", elasticpool.ErrTransient},
		{"unavailable", 503, "<html><body>No server is available</body></html>", elasticpool.ErrTransient},
		{"Nova fails", 500, nova("Unexpected API Error. NeutronClientException"), elasticpool.ErrTransient},
		{"method", 501, "", elasticpool.ErrUnsupported},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cloud, to := newCloud(t)
			provider := newProvider(t, to, openstack.Settings{})
			server := mustCreate(t, provider, smallVM("01J0A"))
			cloud.Inject(computetest.Fault{Method: http.MethodPost, Path: "/action", Status: test.status, Body: test.body, Times: -1})
			err := provider.Stop(t.Context(), server)
			require.ErrorIs(t, err, test.class)
			assert.Contains(t, err.Error(), strconv.Itoa(test.status))
		})
	}
}

func TestLoginRefused(t *testing.T) {
	t.Parallel()
	cloud, to := newCloud(t)
	provider := newProvider(t, to, openstack.Settings{})
	refusal := computetest.Fault{Path: "/identity/", Status: http.StatusUnauthorized, Times: -1, Body: `{"error": {"code": 401, "message": "The request you have made requires authentication."}}`}
	cloud.Inject(refusal)
	_, err := openstack.New(t.Context(), "ihep", openstack.Settings{Pool: pool}, quick(to)...)
	require.ErrorIs(t, err, elasticpool.ErrUnauthorized)

	cloud.EndSessions()
	_, _, err = provider.Servers(t.Context(), pool)
	require.ErrorIs(t, err, elasticpool.ErrUnauthorized)

	// Keystone that is away is no refusal.
	cloud.ClearFaults()
	cloud.Inject(computetest.Fault{Path: "/identity/", Cut: true, Times: -1})
	_, _, err = provider.Servers(t.Context(), pool)
	require.ErrorIs(t, err, elasticpool.ErrTransient)
	_, err = openstack.New(t.Context(), "ihep", openstack.Settings{Pool: pool}, quick(to)...)
	require.ErrorIs(t, err, elasticpool.ErrTransient)
}

// cluster-autoscaler's Magnum provider stops shrinking when a quota is reached.
func TestBugLogQuotaReachedDoesNotBlockDeletion(t *testing.T) {
	t.Parallel()
	cloud, to := newCloud(t, computetest.WithQuota(computetest.Quota{Cores: 1, RAM: -1, Instances: -1, Ports: -1}))
	provider := newProvider(t, to, openstack.Settings{})
	server := mustCreate(t, provider, smallVM("01J0A"))
	_, err := provider.Create(t.Context(), smallVM("01J0B"))
	require.ErrorIs(t, err, elasticpool.ErrQuota)
	assert.Contains(t, err.Error(), "already used 1 of 1 cores")
	require.NoError(t, provider.Delete(t.Context(), server))
	mustCreate(t, provider, smallVM("01J0B"))
	assert.Len(t, cloud.Servers(), 1)
}

// wr reads the quota once, though others use the project too.
func TestBugLogQuotaIsReadAnew(t *testing.T) {
	t.Parallel()
	cloud, to := newCloud(t, computetest.WithQuota(computetest.Quota{Cores: 10, RAM: -1, Instances: -1, Ports: -1}))
	provider := newProvider(t, to, openstack.Settings{})
	assert.EqualValues(t, 10, limitsOf(t, provider).Free[elasticpool.CPUs])
	cloud.AddServer(computetest.Instance{Flavor: computetest.Flavor{ID: "9", VCPUs: 6}})
	assert.EqualValues(t, 4, limitsOf(t, provider).Free[elasticpool.CPUs])
	assert.EqualValues(t, 4, limitsOf(t, provider).Total[elasticpool.CPUs])
}
