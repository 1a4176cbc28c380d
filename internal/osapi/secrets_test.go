package osapi_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

const secret = "s3cretPW"

// noSecret looks at all the ways in which values can be printed.
func noSecret(t *testing.T, values ...any) {
	t.Helper()
	var out bytes.Buffer
	for _, value := range values {
		fmt.Fprintf(&out, "%v %+v %#v %s %q %d ", value, value, value, value, value, value)
		for _, handler := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
			slog.New(handler).Info("x", "value", value)
		}
	}
	assert.NotContains(t, out.String(), secret)
}

// badAddresses hold a password, and some do not parse.
var badAddresses = []string{
	"http://u:" + secret + "@host/", "http://" + secret + "@host/", "http://u:" + secret + "@ho st/", "http://u:" + secret + "@host:bad/",
	"ftp://u:" + secret + "@host/", "http://u:" + secret + "@ho%zzst/", "http://u:" + secret + "@[::1/", "u:" + secret + "@host",
	"http://u:" + secret + "@host/\x7f", "http://host/?token=" + secret, "http://host/#" + secret, secret,
}

func TestAddressesWithPasswordsAreRefusedAndNotShown(t *testing.T) {
	quoted := func(address string) string { return fmt.Sprintf("%q", address) }
	tests := []struct {
		name   string
		clouds func(address string) string
		env    map[string]string // "" stands for the address
		opts   func(address string) []osapi.Option
		want   string // where the address stands
	}{
		{
			name: "option",
			opts: func(address string) []osapi.Option { return []osapi.Option{osapi.WithEndpoint(address)} },
			want: "WithEndpoint",
		},
		{
			name:   "auth_url",
			clouds: func(address string) string { return `{clouds: {test: {auth: {auth_url: ` + quoted(address) + `}}}}` },
			want:   "cloud test: auth_url",
		},
		{
			name: "override",
			clouds: func(address string) string {
				return `{clouds: {test: {auth_type: none, accelerator_endpoint_override: ` + quoted(address) + `}}}`
			},
			want: "cloud test: accelerator_endpoint_override",
		},
		{
			name: "endpoint",
			clouds: func(address string) string {
				return `{clouds: {test: {auth_type: none, auth: {endpoint: ` + quoted(address) + `}}}}`
			},
			want: "cloud test: endpoint",
		},
		{name: "OS_AUTH_URL", env: map[string]string{"OS_AUTH_URL": ""}, want: "auth_url"},
		{
			name: "OS_ACCELERATOR_ENDPOINT_OVERRIDE",
			env:  map[string]string{"OS_AUTH_TYPE": "none", "OS_ACCELERATOR_ENDPOINT_OVERRIDE": ""},
			want: "OS_ACCELERATOR_ENDPOINT_OVERRIDE",
		},
	}
	for _, tt := range tests {
		for _, address := range badAddresses {
			t.Run(tt.name+" "+address, func(t *testing.T) {
				clearEnv(t)
				for name, value := range tt.env {
					if value == "" {
						value = address
					}
					t.Setenv(name, value)
				}
				opts := []osapi.Option{osapi.WithEnv()}
				if tt.clouds != nil {
					setCloud(t, tt.clouds(address))
					opts = []osapi.Option{osapi.WithCloud("test")}
				}
				if tt.opts != nil {
					opts = tt.opts(address)
				}
				_, err := osapi.NewService(t.Context(), "accelerator", opts...)
				require.ErrorContains(t, err, tt.want)
				noSecret(t, err)
			})
		}
	}
}

// The catalog comes from Keystone; its addresses are held to the same.
//
//nolint:paralleltest // clouds.yaml is named by a variable
func TestCatalogWithAPassword(t *testing.T) {
	k := startKeystone(t)
	k.addEndpoint("accelerator", "public", "r1", "http://u:"+secret+"@host/v2")
	setCloud(t, `{clouds: {test: {auth: {auth_url: "`+k.url+`", username: u, password: `+secret+`, user_domain_id: default}}}}`)
	_, err := osapi.NewService(t.Context(), "accelerator", osapi.WithCloud("test"))
	require.ErrorContains(t, err, `the catalog's public endpoint of type "accelerator"`)
	noSecret(t, err)
}

// Passwords in the wrong place of a file are not quoted in the error.
//
//nolint:paralleltest // clouds.yaml is named by a variable
func TestFilesThatDoNotDecode(t *testing.T) {
	for _, clouds := range []string{`{clouds: {test: ` + secret + `}}`, `{clouds: ` + secret + `}`, `clouds: {a: ` + secret, secret} {
		dir := setCloud(t, clouds)
		_, err := osapi.NewService(t.Context(), "accelerator", osapi.WithCloud("test"))
		require.ErrorContains(t, err, "clouds.yaml: ", clouds)
		noSecret(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "clouds.yaml"), []byte(`{clouds: {test: {}}}`), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "secure.yaml"), []byte(clouds), 0o600))
		_, err = osapi.NewService(t.Context(), "accelerator", osapi.WithCloud("test"))
		require.ErrorContains(t, err, "secure.yaml: ", clouds)
		noSecret(t, err)
	}
}

// The same for what is YAML by halves: the error has line and key.
//
//nolint:paralleltest // clouds.yaml is named by a variable
func TestPasswordsThatAreNoYAML(t *testing.T) {
	for _, password := range []string{
		"*" + secret, "*" + secret + "*x", "!" + secret + " x", "!!" + secret + " x", "%" + secret, "@" + secret, "`" + secret,
		secret + ": x", "|" + secret, ">" + secret, "{" + secret, "[" + secret, "'" + secret, `"\` + secret + `"`, "!<" + secret, "? " + secret, "x\n       " + secret + ": x",
	} {
		setCloud(t, "clouds:\n  test:\n    auth:\n      username: u\n      password: "+password+"\n")
		_, err := osapi.NewService(t.Context(), "accelerator", osapi.WithCloud("test"))
		require.ErrorContains(t, err, "clouds.yaml: ", password)
		noSecret(t, err)
		if password == "*"+secret {
			require.ErrorContains(t, err, "clouds.yaml: line 5, key password: it is no YAML")
		}
	}
}

// Whatever a login or a request ends with, neither error nor log shows the
// credentials.
//
//nolint:paralleltest // clouds.yaml is named by a variable
func TestFailuresShowNoCredentials(t *testing.T) {
	modes := map[string]http.HandlerFunc{
		"redirect to elsewhere": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/x", http.StatusTemporaryRedirect)
		},
		"close": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"hang":  func(http.ResponseWriter, *http.Request) { time.Sleep(400 * time.Millisecond) },
	}
	for _, status := range []int{300, 400, 401, 403, 404, 429, 500, 503} {
		modes[http.StatusText(status)] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
	}
	for name, handler := range modes {
		t.Run(name, func(t *testing.T) {
			server := startService(t, handler)
			var log bytes.Buffer
			opts := []osapi.Option{
				osapi.WithRetries(1, time.Millisecond, time.Millisecond),
				osapi.WithLogger(slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))),
			}
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			setCloud(t, `{clouds: {test: {auth: {auth_url: "`+server.URL+`/v3", username: u, password: `+secret+`, user_domain_id: d}}}}`)
			_, err := osapi.NewService(ctx, "accelerator", append(opts, osapi.WithCloud("test"))...)
			require.Error(t, err)
			noSecret(t, err)

			service, err := osapi.NewService(t.Context(), "accelerator", append(opts, osapi.WithEndpoint(server.URL), osapi.WithToken(secret))...)
			require.NoError(t, err)
			for _, method := range []string{"GET", "PUT", "POST"} {
				err := request(ctx, service, method, nil)
				require.Error(t, err)
				failure, _ := osapi.FailureOf(err)
				noSecret(t, err, osapi.Transparent(err), failure)
			}
			assert.NotEmpty(t, log.String())
			assert.NotContains(t, log.String(), secret)
		})
	}
}

// An option of the caller's own may print what it is given.
func TestConfigPrintsNothing(t *testing.T) {
	t.Parallel()
	look := func(c *osapi.Config) error {
		noSecret(t, c, *c)
		assert.Equal(t, "osapi.Config{…}", fmt.Sprintf("%#v", c))
		return nil
	}
	_, err := osapi.NewService(t.Context(), "accelerator", osapi.WithEndpoint("http://h"), osapi.WithToken(secret), look)
	require.NoError(t, err)
	noSecret(t, osapi.WithToken(secret))
}
