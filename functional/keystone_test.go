package functional_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/keystone"
	"github.com/novacyborg/novacyborg/fakecyborg/minikeystone"
)

// guardedCloud is a fake Cyborg with the mini Keystone, which listens.
type guardedCloud struct {
	*fakecyborg.Server
	identity *minikeystone.Server
	// clouds is the file of its clouds.yaml.
	clouds string
}

// guardedUsers are demo's neighbours, and a program that works for demo.
const guardedUsers = `
tokens:
  - {user: admin, password: secret, project: a3d1c08f6b5e4b7f9d2c1e0f5a6b7c80, project_name: admin, roles: [admin]}
  - {user: demo, password: secret, project: d1e2f3a4b5c64d7e8f90a1b2c3d4e5f6, project_name: demo, roles: [member]}
  - {user: other, password: secret, project: 59faae8c35f5485d85c16501d12b4f6e, project_name: other, roles: [member]}
  - {user: nova, password: secret, project: 5e71c0de5e714c0d8e5e71c0de5e71c0, project_name: service, roles: [service]}
  - user: demo-robot
    project: d1e2f3a4b5c64d7e8f90a1b2c3d4e5f6
    project_name: demo
    roles: [member]
    application_credential: {id: robot, name: robot, secret: secret}
`

func newGuardedCloud(t *testing.T) guardedCloud {
	t.Helper()
	identity := minikeystone.ForTest(t, minikeystone.WithUsersYAML("users", []byte(guardedUsers)))
	c := guardedCloud{
		Server:   fakecyborg.Start(t, fakecyborg.WithAuthenticator(identity), fakecyborg.WithSeed(seed([]string{"fpga-1", "mixed-1"}))),
		identity: identity, clouds: filepath.Join(t.TempDir(), "clouds.yaml"),
	}
	text, err := identity.YAML(minikeystone.Clouds{URL: c.URL()})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(c.clouds, text, 0o600))
	return c
}

// command runs a program that knows the clouds.
func (c guardedCloud) command(t *testing.T, name string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, name, args...)
	command.Env = c.environment()
	var out, problems bytes.Buffer
	command.Stdout, command.Stderr = &out, &problems
	err = command.Run()
	return strings.TrimSpace(out.String()), problems.String(), err
}

// environment is ours without other clouds.
func (c guardedCloud) environment() []string {
	environment := []string{"OS_CLIENT_CONFIG_FILE=" + c.clouds, "no_proxy=127.0.0.1"}
	for _, line := range os.Environ() {
		if !strings.HasPrefix(line, "OS_") && !strings.HasPrefix(strings.ToLower(line), "no_proxy=") {
			environment = append(environment, line)
		}
	}
	return environment
}

func (c guardedCloud) openstack(t *testing.T, cloud string, args ...string) string {
	t.Helper()
	out, problems, err := c.command(t, "openstack", append([]string{"--os-cloud", cloud}, args...)...)
	require.NoError(t, err, "openstack %v: %s", args, problems)
	return out
}

func (c guardedCloud) client(t *testing.T, user string, opts ...cyborgclient.Option) *cyborgclient.Client {
	t.Helper()
	provider := c.logIn(t, user)
	client, err := cyborgclient.New(t.Context(), append(opts, cyborgclient.WithProvider(provider, gophercloud.EndpointOpts{Region: "RegionOne"}))...)
	require.NoError(t, err)
	return client
}

func (c guardedCloud) auth(user string) gophercloud.AuthOptions {
	project := user
	if user == "nova" {
		project = "service"
	}
	return gophercloud.AuthOptions{
		IdentityEndpoint: c.URL() + "/identity", Username: user, Password: "secret", DomainName: "Default", TenantName: project, AllowReauth: true,
	}
}

func TestOpenStackCommandWithTheMiniKeystone(t *testing.T) {
	t.Parallel()
	requirePrograms(t, "openstack")
	c := newGuardedCloud(t)
	assert.Equal(t, "d1e2f3a4b5c64d7e8f90a1b2c3d4e5f6", c.openstack(t, "demo", "token", "issue", "-f", "value", "-c", "project_id"))
	assert.ElementsMatch(t, []string{"keystone", "cyborg"}, strings.Fields(c.openstack(t, "demo", "catalog", "list", "-f", "value", "-c", "Name")))
	assert.Equal(t, c.identity.UserID("demo", "Default"), c.openstack(t, "admin", "user", "show", "demo", "-f", "value", "-c", "id"))
	assert.Contains(t, c.openstack(t, "admin", "role", "list", "-f", "value", "-c", "Name"), "service")

	assert.Len(t, strings.Fields(c.openstack(t, "demo", "accelerator", "device", "list", "-f", "value", "-c", "uuid")), 6)
	_, problems, err := c.command(t, "openstack", "--os-cloud", "demo", "accelerator", "device", "profile", "create", "mine", `[{"resources:FPGA": "1"}]`)
	require.Error(t, err, "a member makes no profile")
	assert.Contains(t, problems, "403")
	c.openstack(t, "admin", "accelerator", "device", "profile", "create", "one", `[{"resources:FPGA": "1"}]`)
	arq := c.openstack(t, "demo", "accelerator", "arq", "create", "one", "-f", "value", "-c", "uuid")
	assert.Equal(t, arq, c.openstack(t, "robot", "accelerator", "arq", "list", "-f", "value", "-c", "uuid"))
	assert.Empty(t, c.openstack(t, "other", "accelerator", "arq", "list", "-f", "value", "-c", "uuid"))
	c.openstack(t, "demo", "accelerator", "arq", "delete", arq)
}

// openstackPython is the interpreter of the openstack command, whose libraries are
// those that are to be tested.
func openstackPython(t *testing.T, module string) string {
	t.Helper()
	requirePrograms(t, "openstack")
	path, err := exec.LookPath("openstack")
	require.NoError(t, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	first, _, _ := strings.Cut(string(text), "\n")
	python := strings.TrimSpace(strings.TrimPrefix(first, "#!"))
	if err := exec.CommandContext(t.Context(), python, "-c", "import "+module).Run(); err != nil {
		if os.Getenv("NOVACYBORG_PEERS") == "required" {
			t.Fatalf("NOVACYBORG_PEERS=required: %s has no %s", python, module)
		}
		t.Skipf("%s has no %s", python, module)
	}
	return python
}

func TestOpenstacksdkWithTheMiniKeystone(t *testing.T) {
	t.Parallel()
	python := openstackPython(t, "openstack")
	c := newGuardedCloud(t)
	for _, cloud := range []string{"demo", "robot"} {
		out, problems, err := c.command(t, python, "testdata/sdk.py", cloud)
		require.NoError(t, err, problems)
		assert.Equal(t, []string{
			"project d1e2f3a4b5c64d7e8f90a1b2c3d4e5f6", "user True", "devices 6", "created Initial", "mine 2 [True]", "left 0",
		}, strings.Split(out, "\n"))
	}
}

// Keystone's own middleware and ours say the same about the same tokens.
func TestKeystonemiddlewareAgrees(t *testing.T) {
	t.Parallel()
	python := openstackPython(t, "keystonemiddleware.auth_token")
	c := newGuardedCloud(t)
	nova := c.logIn(t, "nova")
	expired := c.logIn(t, "demo").Token()
	c.SetClockOffset(2 * time.Hour)
	demo, service := c.logIn(t, "demo").Token(), c.logIn(t, "nova").Token()
	revoked := c.logIn(t, "demo").Token()
	c.identity.Revoke(revoked)
	validator, err := keystone.New(t.Context(), c.URL()+"/identity", keystone.WithProvider(nova))
	require.NoError(t, err)

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, python, "testdata/middleware.py", c.URL()+"/identity")
	command.Env = c.environment()
	input, err := command.StdinPipe()
	require.NoError(t, err)
	output, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	answers := bufio.NewScanner(output)
	for _, test := range []struct {
		name, token, service string
		want                 string
	}{
		{"a user", demo, "", "200 demo demo member,reader -"},
		{"a user through Nova", demo, service, "200 demo demo member,reader service"},
		{"no token of ours", "nothing", "", ""},
		{"a revoked one", revoked, "", ""},
		{"no service", demo, demo, ""},
		{"a service token that is none", demo, "nothing", ""},
		{"an expired one", expired, "", ""},
	} {
		_, err := fmt.Fprintln(input, test.token, test.service)
		require.NoError(t, err)
		require.True(t, answers.Scan(), test.name)
		want := test.want
		if want == "" {
			want = fmt.Sprintf("401 Keystone uri=%q", c.URL()+"/identity")
		}
		assert.Equal(t, want, answers.Text(), test.name)
		for kind, authenticator := range map[string]fakecyborg.Authenticator{"mini": c.identity, "real": validator} {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.URL()+"/v2/devices", http.NoBody)
			require.NoError(t, err)
			request.Header.Set("X-Auth-Token", test.token)
			request.Header.Set("X-Service-Token", test.service)
			caller, err := authenticator.Authenticate(request)
			if test.want == "" {
				require.ErrorIs(t, err, fakecyborg.ErrUnauthorized, "%s, %s", test.name, kind)
				continue
			}
			require.NoError(t, err, "%s, %s", test.name, kind)
			assert.Equal(t, []string{"member", "reader"}, caller.Roles, "%s, %s", test.name, kind)
			assert.Equal(t, test.service != "", caller.Service, "%s, %s", test.name, kind)
		}
	}
	require.NoError(t, input.Close())
	require.NoError(t, command.Wait())
}

func (c guardedCloud) logIn(t *testing.T, user string) *gophercloud.ProviderClient {
	t.Helper()
	provider, err := openstack.NewClient(c.URL() + "/identity")
	require.NoError(t, err)
	transport := &http.Transport{DisableKeepAlives: true}
	t.Cleanup(transport.CloseIdleConnections)
	provider.HTTPClient = http.Client{Transport: transport}
	require.NoError(t, openstack.Authenticate(t.Context(), provider, c.auth(user)))
	return provider
}

// Our client through the catalog of the mini Keystone: projects are kept apart,
// binding needs a service token, and nobody notices that tokens end.
func TestClientWithTheMiniKeystone(t *testing.T) {
	t.Parallel()
	c := newGuardedCloud(t)
	demo, other := c.client(t, "demo"), c.client(t, "other")
	arqs, err := demo.CreateARQs(t.Context(), profileName)
	require.NoError(t, err)
	require.Len(t, arqs, 2)
	assert.Equal(t, "d1e2f3a4b5c64d7e8f90a1b2c3d4e5f6", arqs[0].ProjectID)
	_, err = other.ARQ(t.Context(), arqs[0].UUID)
	require.ErrorIs(t, err, cyborgclient.ErrNotFound)
	seen, err := other.ARQs(t.Context(), cyborgclient.ARQFilter{})
	require.NoError(t, err)
	assert.Empty(t, seen)
	seen, err = c.client(t, "admin").ARQs(t.Context(), cyborgclient.ARQFilter{})
	require.NoError(t, err)
	assert.Len(t, seen, 2, "an admin sees all")

	instance := uuid.NewString()
	places, err := demo.Deployables(t.Context(), cyborgclient.DeployableFilter{})
	require.NoError(t, err)
	binding := []cyborgclient.Binding{{ARQ: arqs[0].UUID, Hostname: "fpga-1", DeviceRP: places[0].RPUUID, Instance: instance}}
	require.ErrorIs(t, demo.Bind(t.Context(), binding), cyborgclient.ErrServiceTokenNeeded)
	nova := c.client(t, "demo", cyborgclient.WithServiceAuth(c.auth("nova")))
	require.NoError(t, nova.Bind(t.Context(), binding))
	bound, err := demo.ARQsByInstance(t.Context(), instance)
	require.NoError(t, err)
	require.Len(t, bound, 1)
	assert.Equal(t, cyborgclient.ARQState("Bound"), bound[0].State)

	c.SetClockOffset(2 * time.Hour)
	bound, err = demo.ARQsByInstance(t.Context(), instance)
	require.NoError(t, err, "it logs in again")
	assert.Len(t, bound, 1)
	c.identity.RevokeAll()
	require.NoError(t, nova.DeleteARQsByInstance(t.Context(), instance), "so do both of its logins")
}
