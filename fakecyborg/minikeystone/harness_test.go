package minikeystone_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg/minikeystone"
)

const (
	demoProject  = "3458b5fabb264b8ba2808e0d40e56613"
	otherProject = "59faae8c35f5485d85c16501d12b4f6e"
)

// people are the users of these tests; ann is in two domains, with two passwords.
const people = `
tokens:
  - {user: root, password: s3cr3t-root, project: 0d8bd6a3e2f54a1c9a6f7b1c2d3e4f50, project_name: admin, roles: [admin]}
  - {user: root, roles: [admin]}
  - {user: ann, password: s3cr3t-ann, project: ` + demoProject + `, project_name: demo, roles: [member]}
  - {user: ann, project: ` + otherProject + `, project_name: other, roles: [reader], token: s3cr3t-fixed}
  - {user: ann, domain: Lab, password: s3cr3t-lab, project: 7c1f0a9e5b3d4826a1e2f3c4d5b6a798, project_name: demo, roles: [odd]}
  - {user: nova, password: s3cr3t-nova, project: 5e71c0de5e714c0d8e5e71c0de5e71c0, project_name: service, roles: [service]}
  - user: robot
    project: ` + demoProject + `
    project_name: demo
    roles: [member]
    application_credential: {id: cred-1, name: build, secret: s3cr3t-cred}
`

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

// token is the body's token.
func (a answer) token(t *testing.T) map[string]any {
	t.Helper()
	var body struct {
		Token map[string]any `json:"token"`
	}
	require.NoError(t, json.Unmarshal([]byte(a.body), &body), a.body)
	return body.Token
}

// message is the text of an error, which has Keystone's form.
func (a answer) message(t *testing.T) string {
	t.Helper()
	var body struct {
		Error struct {
			Code           int
			Message, Title string
		}
	}
	require.NoError(t, json.Unmarshal([]byte(a.body), &body), a.body)
	assert.Equal(t, a.status, body.Error.Code)
	assert.Equal(t, http.StatusText(a.status), body.Error.Title)
	return body.Error.Message
}

// ask sends one request; header pairs follow the body.
func ask(handler http.Handler, method, path, body string, header ...string) answer {
	request := httptest.NewRequestWithContext(context.Background(), method, "http://keystone.example:5000/identity"+path, strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return answer{recorder.Code, recorder.Header(), recorder.Body.String()}
}

// passwordLogin is the body of a login by name in the domain Default.
func passwordLogin(user, password, scope string) string {
	if scope != "" {
		scope = `, "scope": ` + scope
	}
	return fmt.Sprintf(`{"auth": {"identity": {"methods": ["password"], "password": {"user": {"name": %q, "password": %q, "domain": {"name": "Default"}}}}%s}}`, user, password, scope)
}

// inProject is the scope of a project of the domain Default.
func inProject(name string) string {
	return fmt.Sprintf(`{"project": {"name": %q, "domain": {"id": "default"}}}`, name)
}

// logIn returns a token.
func logIn(t *testing.T, handler http.Handler, user, password, scope string) string {
	t.Helper()
	got := ask(handler, "POST", "/v3/auth/tokens", passwordLogin(user, password, scope))
	require.Equal(t, http.StatusCreated, got.status, got.body)
	return got.header.Get("X-Subject-Token")
}

// testClock is a clock that a test puts forward.
type testClock struct{ offset atomic.Int64 }

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func (c *testClock) now() time.Time           { return start.Add(time.Duration(c.offset.Load())) }
func (c *testClock) advance(by time.Duration) { c.offset.Add(int64(by)) }

func newServer(t testing.TB, opts ...minikeystone.Option) (*minikeystone.Server, *testClock) {
	t.Helper()
	clock := new(testClock)
	opts = append([]minikeystone.Option{minikeystone.WithUsersYAML("people.yaml", []byte(people)), minikeystone.WithClock(clock.now)}, opts...)
	return minikeystone.ForTest(t, opts...), clock
}
