package osapi_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

// setCloud writes clouds.yaml and further files, as name and text, and lets the
// process see no other settings.
func setCloud(t *testing.T, clouds string, more ...string) string {
	t.Helper()
	clearEnv(t)
	dir := t.TempDir()
	files := append([]string{"clouds.yaml", clouds}, more...)
	for i := 0; i+1 < len(files); i += 2 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o600))
	}
	t.Setenv("OS_CLIENT_CONFIG_FILE", filepath.Join(dir, "clouds.yaml"))
	return dir
}

func clearEnv(t *testing.T) {
	t.Helper()
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "OS_") {
			t.Setenv(name, "")
		}
	}
}

// identityOf reads from a login's body who logs in, and for what.
func identityOf(t *testing.T, body string) map[string]any {
	t.Helper()
	var login struct {
		Auth map[string]any `json:"auth"`
	}
	require.NoError(t, json.Unmarshal([]byte(body), &login))
	return login.Auth
}

//nolint:paralleltest // clouds.yaml is named by a variable
func TestCloudsYAML(t *testing.T) {
	userScope := map[string]any{"project": map[string]any{"name": "pr", "domain": map[string]any{"id": "pd"}}}
	password := func(user map[string]any) map[string]any {
		return map[string]any{"methods": []any{"password"}, "password": map[string]any{"user": user}}
	}
	tests := []struct {
		name   string
		clouds string // KEYSTONE is replaced
		more   []string
		want   map[string]any
	}{
		{
			name: "password with domains",
			clouds: `{clouds: {test: {auth: {auth_url: KEYSTONE, username: u, password: p, user_domain_name: ud,
				project_name: pr, project_domain_id: pd}}}}`,
			want: map[string]any{
				"identity": password(map[string]any{"name": "u", "password": "p", "domain": map[string]any{"name": "ud"}}),
				"scope":    userScope,
			},
		},
		{
			name:   "password in secure.yaml, address in a profile",
			clouds: `{clouds: {test: {profile: vendor, auth: {username: u, user_domain_id: ud, project_id: 12}}}}`,
			more: []string{
				"secure.yaml", `{clouds: {test: {auth: {password: p}}}}`,
				"clouds-public.yaml", `{public-clouds: {vendor: {auth: {auth_url: KEYSTONE, username: other}}}}`,
			},
			want: map[string]any{
				"identity": password(map[string]any{"name": "u", "password": "p", "domain": map[string]any{"id": "ud"}}),
				"scope":    map[string]any{"project": map[string]any{"id": "12"}},
			},
		},
		{
			name: "texts as they stand, anchors and merges",
			clouds: "base: &b\n  auth: &a {auth_url: KEYSTONE, username: 2020-01-01, password: 0123, user_domain_id: 1e3}\n" +
				"clouds:\n  test:\n    <<: *b\n    auth:\n      <<: [*a, {password: other}]\n      username: 1_000\n      project_id: 0x10",
			want: map[string]any{
				"identity": password(map[string]any{"name": "1_000", "password": "0123", "domain": map[string]any{"id": "1e3"}}),
				"scope":    map[string]any{"project": map[string]any{"id": "0x10"}},
			},
		},
		{
			name:   "empty secure.yaml",
			clouds: `{clouds: {test: {auth: {auth_url: KEYSTONE, user_id: u, password: p, project_id: true}}}}`, more: []string{"secure.yaml", "# nothing yet\n"},
			want: map[string]any{"identity": password(map[string]any{"id": "u", "password": "p"}), "scope": map[string]any{"project": map[string]any{"id": "true"}}},
		},
		{
			name:   "secure.yaml without clouds",
			clouds: `{clouds: {test: {auth: {auth_url: KEYSTONE, user_id: u, password: p, project_id: 12}}}}`, more: []string{"secure.yaml", "other: {}"},
			want: map[string]any{"identity": password(map[string]any{"id": "u", "password": "p"}), "scope": map[string]any{"project": map[string]any{"id": "12"}}},
		},
		{
			name:   "secure.yaml with clouds that are not there",
			clouds: `{clouds: {test: {auth: {auth_url: KEYSTONE, user_id: u, password: p, project_id: 12}}}}`, more: []string{"secure.yaml", "clouds:\n"},
			want: map[string]any{"identity": password(map[string]any{"id": "u", "password": "p"}), "scope": map[string]any{"project": map[string]any{"id": "12"}}},
		},
		{
			name:   "application credential",
			clouds: `{clouds: {test: {auth_type: v3applicationcredential, auth: {auth_url: KEYSTONE, application_credential_id: a, application_credential_secret: s}}}}`,
			want: map[string]any{"identity": map[string]any{
				"methods":                []any{"application_credential"},
				"application_credential": map[string]any{"id": "a", "secret": "s"},
			}},
		},
		{
			name:   "default domain",
			clouds: `{clouds: {test: {auth: {auth_url: KEYSTONE, username: u, password: p, project_name: pr, default_domain: dd}}}}`,
			want: map[string]any{
				"identity": password(map[string]any{"name": "u", "password": "p", "domain": map[string]any{"id": "dd"}}),
				"scope":    map[string]any{"project": map[string]any{"name": "pr", "domain": map[string]any{"id": "dd"}}},
			},
		},
		{
			name:   "system scope",
			clouds: `{clouds: {test: {auth: {auth_url: KEYSTONE, user_id: uu, password: p, system_scope: all}}}}`,
			want: map[string]any{
				"identity": password(map[string]any{"id": "uu", "password": "p"}),
				"scope":    map[string]any{"system": map[string]any{"all": true}},
			},
		},
		{
			name:   "token for a project",
			clouds: `{clouds: {test: {auth_type: token, auth: {auth_url: KEYSTONE, token: tt, project_id: 12}}}}`,
			want: map[string]any{
				"identity": map[string]any{"methods": []any{"token"}, "token": map[string]any{"id": "tt"}},
				"scope":    map[string]any{"project": map[string]any{"id": "12"}},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k := startKeystone(t)
			more := make([]string, len(tt.more))
			for i, text := range tt.more {
				more[i] = replaceKeystone(text, k.url)
			}
			setCloud(t, replaceKeystone(tt.clouds, k.url), more...)
			service, err := osapi.NewService(t.Context(), "accelerator", osapi.WithCloud("test"), osapi.WithEndpoint("http://service.example"))
			require.NoError(t, err)
			assert.Equal(t, tt.want, identityOf(t, k.lastLogin(t)))
			assert.Equal(t, "http://service.example/", service.Endpoint)
			assert.Equal(t, "token-1", service.Token())
		})
	}
}

func replaceKeystone(text, url string) string {
	return strings.ReplaceAll(text, "KEYSTONE", strconv.Quote(url))
}

func TestEnvironment(t *testing.T) {
	tests := []struct {
		name string
		env  map[string]string
		want map[string]any
	}{
		{
			name: "openrc of Keystone v3",
			env: map[string]string{
				"OS_USERNAME": "u", "OS_PASSWORD": "p", "OS_USER_DOMAIN_NAME": "Default",
				"OS_PROJECT_NAME": "pr", "OS_PROJECT_DOMAIN_ID": "default", "OS_REGION_NAME": "r1",
			},
			want: map[string]any{
				"identity": map[string]any{"methods": []any{"password"}, "password": map[string]any{"user": map[string]any{
					"name": "u", "password": "p", "domain": map[string]any{"name": "Default"},
				}}},
				"scope": map[string]any{"project": map[string]any{"name": "pr", "domain": map[string]any{"id": "default"}}},
			},
		},
		{
			name: "application credential",
			env:  map[string]string{"OS_APPLICATION_CREDENTIAL_ID": "a", "OS_APPLICATION_CREDENTIAL_SECRET": "s"},
			want: map[string]any{"identity": map[string]any{
				"methods":                []any{"application_credential"},
				"application_credential": map[string]any{"id": "a", "secret": "s"},
			}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			clearEnv(t)
			k := startKeystone(t)
			k.addEndpoint("accelerator", "public", "r1", "http://cyborg.example/accelerator/v2")
			t.Setenv("OS_AUTH_URL", k.url+"/v3")
			for name, value := range tt.env {
				t.Setenv(name, value)
			}
			service, err := osapi.NewService(t.Context(), "accelerator")
			require.NoError(t, err)
			assert.Equal(t, tt.want, identityOf(t, k.lastLogin(t)))
			assert.Equal(t, "http://cyborg.example/accelerator/v2/", service.Endpoint)
		})
	}
}

func TestWithoutKeystone(t *testing.T) {
	tests := []struct {
		name         string
		clouds       string
		env          map[string]string
		want, wantTo string
	}{
		{name: "auth_type none", clouds: `{clouds: {test: {auth_type: none, auth: {endpoint: "http://a.example/v2"}}}}`, wantTo: "http://a.example/v2/"},
		{name: "none with an override, without auth", clouds: `{clouds: {test: {auth_type: none, accelerator_endpoint_override: "http://b.example"}}}`, wantTo: "http://b.example/"},
		{name: "admin_token", clouds: `{clouds: {test: {auth_type: admin_token, auth: {endpoint: "http://c.example", token: admin}}}}`, wantTo: "http://c.example/", want: "admin"},
		{name: "environment", env: map[string]string{"OS_AUTH_TYPE": "none", "OS_ENDPOINT": "http://d.example"}, wantTo: "http://d.example/"},
		{name: "override by variable", env: map[string]string{"OS_AUTH_TYPE": "none", "OS_ACCELERATOR_ENDPOINT_OVERRIDE": "http://e.example"}, wantTo: "http://e.example/"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			setCloud(t, tt.clouds)
			if tt.clouds != "" {
				t.Setenv("OS_CLOUD", "test")
			}
			for name, value := range tt.env {
				t.Setenv(name, value)
			}
			service, err := osapi.NewService(t.Context(), "accelerator")
			require.NoError(t, err)
			assert.Equal(t, tt.wantTo, service.Endpoint)
			assert.Equal(t, tt.want, service.Token())
		})
	}
}

//nolint:paralleltest // clouds.yaml is named by a variable
func TestEndpointOfTheCatalog(t *testing.T) {
	tests := []struct {
		name  string
		entry string // further keys of the entry
		opts  []osapi.Option
		want  string // "" for ErrNoEndpoint
	}{
		{name: "public by default", entry: `region_name: A`, want: "http://a-public.example/"},
		{name: "interface of the entry", entry: `region_name: A, interface: internal`, want: "http://a-internal.example/"},
		{name: "interface as v2 called it", entry: `region_name: A, endpoint_type: internalURL`, want: "http://a-internal.example/"},
		{name: "options go over the entry", entry: `region_name: B, interface: public`, opts: []osapi.Option{osapi.WithRegion("A"), osapi.WithInterface("internal")}, want: "http://a-internal.example/"},
		{name: "star when there is no exact region", entry: `region_name: C`, want: "http://star.example/"},
		{name: "first of the regions", entry: `regions: [A, B]`, want: "http://a-public.example/"},
		{name: "first of the regions with values", entry: `regions: [{name: A, values: {}}]`, want: "http://a-public.example/"},
		{name: "none for this interface", entry: `region_name: A, interface: admin`},
		{name: "override", entry: `region_name: A, accelerator_endpoint_override: "http://fixed.example/v2"`, want: "http://fixed.example/v2/"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k := startKeystone(t)
			k.addEndpoint("accelerator", "public", "*", "http://star.example")
			k.addEndpoint("accelerator", "internal", "A", "http://a-internal.example")
			k.addEndpoint("accelerator", "public", "A", "http://a-public.example")
			setCloud(t, `{clouds: {test: {auth: {auth_url: "`+k.url+`", username: u, password: p, user_domain_id: default}, `+tt.entry+`}}}`)
			for range 5 { // the choice must not depend on chance
				service, err := osapi.NewService(t.Context(), "accelerator", append(tt.opts, osapi.WithCloud("test"))...)
				if tt.want == "" {
					require.ErrorIs(t, err, osapi.ErrNoEndpoint)
					continue
				}
				require.NoError(t, err)
				assert.Equal(t, tt.want, service.Endpoint)
			}
		})
	}
}

// The cloud's own CA is used for the login and for the service.
//
//nolint:paralleltest // clouds.yaml is named by a variable
func TestCACert(t *testing.T) {
	k := new(keystone)
	server := httptest.NewTLSServer(k)
	defer server.Close()
	k.url = server.URL
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	auth := `auth: {auth_url: "` + server.URL + `", username: u, password: p, user_domain_id: default}, accelerator_endpoint_override: "` + server.URL + `"`
	dir := setCloud(t, "clouds: {}", "ca.pem", string(ca))
	clouds := `{clouds: {
		trusting: {` + auth + `, cacert: "` + filepath.Join(dir, "ca.pem") + `"},
		careless: {` + auth + `, verify: no},
		insecure: {` + auth + `, insecure: true, cacert: "` + filepath.Join(dir, "ca.pem") + `"},
		distrustful: {` + auth + `}}}`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "clouds.yaml"), []byte(clouds), 0o600))

	for _, cloud := range []string{"trusting", "careless", "insecure"} {
		service, err := osapi.NewService(t.Context(), "accelerator", osapi.WithCloud(cloud))
		require.NoError(t, err, cloud)
		failure, ok := osapi.FailureOf(request(t.Context(), service, "GET", nil))
		require.True(t, ok, cloud)
		assert.Equal(t, http.StatusNotFound, failure.StatusCode, cloud)
	}
	_, err := osapi.NewService(t.Context(), "accelerator", osapi.WithCloud("distrustful"))
	require.ErrorContains(t, err, "certificate")
}

// A server that asks for a certificate gets the one of the entry.
func TestClientCertificate(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TLS.PeerCertificates) != 1 || r.TLS.PeerCertificates[0].Subject.CommonName != "client" {
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	server.StartTLS()
	defer server.Close()
	cert, key := clientCertificate(t)
	dir := setCloud(t, "clouds: {}", "cert.pem", cert, "key.pem", key)
	t.Setenv("HOME", dir)
	clouds := `{clouds: {test: {auth_type: none, verify: false, cert: ~/cert.pem, key: ~/key.pem, accelerator_endpoint_override: "` + server.URL + `"}}}`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "clouds.yaml"), []byte(clouds), 0o600))
	service, err := osapi.NewService(t.Context(), "accelerator", osapi.WithCloud("test"))
	require.NoError(t, err)
	require.NoError(t, request(t.Context(), service, "GET", nil))
}

func clientCertificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "client"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	require.NoError(t, err)
	privateDER, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	cert = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	key = string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: privateDER}))
	return cert, key
}

func TestWhereCloudsYAMLIsSearched(t *testing.T) {
	clearEnv(t)
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	_, err := osapi.NewService(t.Context(), "accelerator", osapi.WithCloud("test"))
	require.ErrorContains(t, err, "OS_CLIENT_CONFIG_FILE may name it")

	for _, variable := range []string{"XDG_CONFIG_HOME", "HOME"} {
		dir := t.TempDir()
		t.Setenv("XDG_CONFIG_HOME", "")
		t.Setenv(variable, dir)
		if variable == "HOME" {
			dir = filepath.Join(dir, ".config")
		}
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "openstack"), 0o700))
		clouds := `{clouds: {test: {auth_type: none, auth: {endpoint: "http://service.example"}}}}`
		require.NoError(t, os.WriteFile(filepath.Join(dir, "openstack", "clouds.yaml"), []byte(clouds), 0o600))
		service, err := osapi.NewService(t.Context(), "accelerator", osapi.WithCloud("test"))
		require.NoError(t, err, variable)
		assert.Equal(t, "http://service.example/", service.Endpoint)
	}
}

// bomb is a short file that stands for a billion values.
const bomb = `
a: &a [x,x,x,x,x,x,x,x,x,x]
b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]
c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]
d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]
e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]
clouds: {test: {regions: *e}}
`

//nolint:paralleltest // clouds.yaml is named by a variable
func TestBadCloudsYAML(t *testing.T) {
	tests := []struct {
		name, clouds, want string
	}{
		{name: "unknown cloud", clouds: `clouds: {other: {}}`, want: `clouds.yaml: there is no cloud "test"`},
		{name: "no YAML", clouds: "clouds:\n\t- x", want: "clouds.yaml: line 2: it is no YAML"},
		{name: "no clouds", clouds: `cloud: {}`, want: `clouds.yaml: the section "clouds" is missing`},
		{name: "wrong type", clouds: "clouds:\n  test: 12", want: "line 2"},
		{name: "no auth section", clouds: `clouds: {test: {region_name: A}}`, want: "clouds.yaml: cloud test: auth_url is missing"},
		{name: "CA that does not exist", clouds: `clouds: {test: {auth: {auth_url: "http://k.example"}, cacert: /no/such.pem}}`, want: "cloud test: cacert: open /no/such.pem"},
		{name: "certificate without key", clouds: `clouds: {test: {auth: {auth_url: "http://k.example"}, cert: c.pem}}`, want: "cert and key must be given together"},
		{name: "auth type", clouds: `clouds: {test: {auth_type: v3oidcpassword, auth: {auth_url: "http://k.example"}}}`, want: `cloud test: auth_type "v3oidcpassword" is not supported`},
		{name: "verify", clouds: `clouds: {test: {auth: {auth_url: "http://k.example"}, verify: maybe}}`, want: `verify is neither true nor false`},
		{name: "override that is no URL", clouds: `clouds: {test: {auth_type: none, accelerator_endpoint_override: nowhere}}`, want: "cloud test: accelerator_endpoint_override is no http or https URL"},
		{name: "insecure", clouds: `clouds: {test: {auth: {auth_url: "http://k.example"}, insecure: perhaps}}`, want: `insecure is neither true nor false`},
		{name: "a key twice", clouds: "clouds:\n  test:\n    auth:\n      password: a\n      password: b\n", want: "clouds.yaml: line 5, key password: a key stands there for the second time"},
		{name: "an alias of itself", clouds: "clouds: &c {test: *c}", want: "nested too deeply"},
		{name: "a bomb of aliases", clouds: bomb, want: "aliases make too much of it"},
		{name: "a list", clouds: "[clouds]", want: "line 1: it does not consist of keys and values"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			setCloud(t, tt.clouds)
			_, err := osapi.NewService(t.Context(), "accelerator", osapi.WithCloud("test"))
			require.ErrorContains(t, err, tt.want)
		})
	}
}

//nolint:paralleltest // the environment is the input
func TestNothingGiven(t *testing.T) {
	clearEnv(t)
	_, err := osapi.NewService(t.Context(), "accelerator")
	require.EqualError(t, err, "make a client for service accelerator: OS_* variables: auth_url is missing")
}
