package minikeystone_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/minikeystone"
)

func TestUsersErrorsNameThePlace(t *testing.T) {
	t.Parallel()
	entry := func(more string) string {
		return "tokens:\n  - {user: ann, password: s3cr3t, project: " + demoProject + ", project_name: demo, roles: [member]}\n  - {roles: [member], " + more + "}"
	}
	for _, test := range []struct{ name, file, want string }{
		{"not YAML", "tokens: [", "u.yaml:1: did not find expected node content"},
		{"unknown key", entry("user: bob, pass: s3cr3t"), "u.yaml:3: tokens[1]: unknown key, known are "},
		{"another password", entry("user: ann, password: s3cr3t-2"), "u.yaml:3: tokens[1]: user ann has another password in another entry"},
		{"project twice", entry("user: ann, password: s3cr3t, project: " + demoProject), "u.yaml:3: tokens[1]: the user has an entry for that project already"},
		{"name of the project", entry("user: bob, password: s3cr3t, project: " + demoProject + ", project_name: x"), "u.yaml:3: tokens[1]: project " + demoProject + " has another name or domain in another entry"},
		{"id of the project", entry("user: bob, password: s3cr3t, project: " + otherProject + ", project_name: demo"), "u.yaml:3: tokens[1]: project demo has another id in another entry"},
		{"id of the user", entry("user: ann, password: s3cr3t, user_id: " + otherProject), "u.yaml:3: tokens[1]: user ann has the id "},
		{"user of the id", "tokens:\n  - {user: ann, password: s3cr3t, user_id: " + demoProject + "}\n  - {user: bob, password: s3cr3t, user_id: " + demoProject + "}", "u.yaml:3: tokens[1]: the id of user bob is that of user ann"},
		{"credential twice", "tokens:\n  - {user: ann, application_credential: {id: c, secret: s3cr3t}}\n  - {user: bob, application_credential: {id: c, secret: s3cr3t}}", "u.yaml:3: tokens[1]: the id of the application credential is there twice"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := minikeystone.New(minikeystone.WithUsersYAML("u.yaml", []byte(test.file)))
			require.ErrorContains(t, err, test.want)
			assert.NotContains(t, err.Error(), "s3cr3t")
		})
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	for want, option := range map[string]minikeystone.Option{
		"there are none":          minikeystone.WithUsers(nil),
		"no such file":            minikeystone.WithUsersFile(filepath.Join(t.TempDir(), "none")),
		"less than a second":      minikeystone.WithTokenLife(time.Millisecond),
		"with url":                minikeystone.WithURL("127.0.0.1:5000"),
		"needs a type and a name": minikeystone.WithService("", "x", "/x"),
		"with service image":      minikeystone.WithService("image", "glance", "glance.example"),
		"no function":             minikeystone.WithClock(nil),
		"option 0 is nil":         nil,
		"with url: it is not an http or https url without a user":             minikeystone.WithURL("http://u:s3cr3t@h"),
		"with service compute: it is not an http or https url without a user": minikeystone.WithService("compute", "nova", "https://u:s3cr3t@h"),
	} {
		_, err := minikeystone.New(option)
		require.ErrorContains(t, err, want)
		assert.NotContains(t, err.Error(), "s3cr3t")
	}
	path := filepath.Join(t.TempDir(), "users.yaml")
	require.NoError(t, os.WriteFile(path, []byte(people), 0o600))
	server := minikeystone.ForTest(t, minikeystone.WithUsersFile(path), minikeystone.WithURL("https://cloud.example/"), minikeystone.WithService("accelerator", "cyborg", "/"))
	token := logIn(t, server, "ann", "s3cr3t-ann", inProject("demo"))
	catalog := ask(server, "GET", "/v3/auth/catalog", "", "X-Auth-Token", token)
	assert.Contains(t, catalog.body, `"url":"https://cloud.example"`, "Cyborg at the root, as port 6666 has it")
	assert.Contains(t, catalog.body, `"url":"https://cloud.example/identity"`)
}

// failed is a test that would have ended.
type failed struct{ text string }

func (*failed) Helper()                             {}
func (f *failed) Fatalf(format string, args ...any) { f.text = fmt.Sprintf(format, args...) }

func TestForTestEndsTheTest(t *testing.T) {
	t.Parallel()
	tb := new(failed)
	minikeystone.ForTest(tb, func() minikeystone.Option { return minikeystone.WithUsers(nil) }())
	assert.Equal(t, "make a mini keystone: with users: there are none", tb.text)
}

func TestCloudsYAML(t *testing.T) {
	t.Parallel()
	server, _ := newServer(t)
	text, err := server.YAML(minikeystone.Clouds{URL: "http://127.0.0.1:6666", CACert: "/ca.pem"})
	require.NoError(t, err)
	var file struct {
		Clouds map[string]struct {
			AuthType string `yaml:"auth_type"`
			Auth     map[string]string
			CACert   string
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &file))
	assert.ElementsMatch(t, []string{"root", "root-system", "ann", "ann-other", "ann-demo", "nova", "cred-1"}, keys(file.Clouds))
	assert.Equal(t, "Lab", file.Clouds["ann-demo"].Auth["user_domain_name"])
	assert.Equal(t, "all", file.Clouds["root-system"].Auth["system_scope"])
	assert.Equal(t, "v3applicationcredential", file.Clouds["cred-1"].AuthType)
	assert.Equal(t, "s3cr3t-cred", file.Clouds["cred-1"].Auth["application_credential_secret"])
	for name, cloud := range file.Clouds {
		assert.Equal(t, "http://127.0.0.1:6666/identity/v3", cloud.Auth["auth_url"], name)
		assert.Equal(t, "/ca.pem", cloud.CACert, name)
	}
	text, err = server.YAML(minikeystone.Clouds{URL: "http://127.0.0.1:6666", WithoutSecrets: true})
	require.NoError(t, err)
	assert.NotContains(t, string(text), "s3cr3t")
	_, err = server.YAML(minikeystone.Clouds{URL: "127.0.0.1"})
	require.ErrorContains(t, err, "write clouds.yaml")
}

func keys[V any](m map[string]V) []string {
	var all []string
	for key := range m {
		all = append(all, key)
	}
	return all
}

// The preset of the recorded stack is good for logins too.
func TestRecordedUsers(t *testing.T) {
	t.Parallel()
	users, err := fakecyborg.PresetTokens("recorded")
	require.NoError(t, err)
	server := minikeystone.ForTest(t, minikeystone.WithUsers(users))
	for user, project := range map[string]string{"admin": "admin", "demo": "demo", "demo-reader": "demo", "other": "other", "nova": "service"} {
		logIn(t, server, user, "realstack", inProject(project))
	}
}

// Whatever is sent to log in is answered by a token or in Keystone's form.
func FuzzLogin(f *testing.F) {
	f.Add(passwordLogin("ann", "s3cr3t-ann", inProject("demo")))
	f.Add(`{"auth": {"identity": {"methods": ["token"], "token": {"id": "s3cr3t-fixed"}}, "scope": "unscoped"}}`)
	f.Add(`{"auth": {"identity": {"methods": ["application_credential"], "application_credential": {"name": "build", "user": {}}}}}`)
	f.Add(`{"auth": {"identity": {"methods": ["password"], "password": {"user": null}}, "scope": {"project": {"name": "x", "domain": null}}}}`)
	server, _ := newServer(f)
	f.Fuzz(func(t *testing.T, body string) {
		got := ask(server, "POST", "/v3/auth/tokens", body)
		switch got.status {
		case 201:
			assert.NotEmpty(t, got.header.Get("X-Subject-Token"))
			assert.Contains(t, body, "s3cr3t", "nobody comes in without a secret")
		case 400, 401, 413:
			assert.NotEmpty(t, got.message(t))
		default:
			t.Fatal(errors.New(got.body))
		}
	})
}

// ExampleServer has a clouds.yaml for whoever is to call the fake Cyborg.
func ExampleServer() {
	identity, err := minikeystone.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	cyborg, err := fakecyborg.New(fakecyborg.WithAuthenticator(identity))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cyborg.Close()
	clouds, err := identity.YAML(minikeystone.Clouds{URL: "http://127.0.0.1:6666"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Join(strings.Split(string(clouds), "\n")[:8], "\n"))
	// Output:
	// clouds:
	//   admin:
	//     auth:
	//       auth_url: http://127.0.0.1:6666/identity/v3
	//       username: admin
	//       password: secret
	//       user_domain_name: Default
	//       project_name: admin
}
