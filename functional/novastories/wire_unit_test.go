package novastories_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	firstServer  = "10bfcf46-3c8e-40eb-ad69-def1991ef164"
	secondServer = "2d9316cb-62b8-42ac-ab98-1e91d5bcf234"
)

// scene is a wire with an end at each side that says who it is.
type scene struct {
	*wire
	transport *http.Transport
	nova      *url.URL
}

func newScene(t *testing.T) *scene {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	nova := named(t, "nova")
	return &scene{wire: newWire(transport, nova, named(t, "fallback")), transport: transport, nova: nova}
}

// named answers with its name.
func named(t *testing.T, name string) *url.URL {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, err := io.WriteString(w, name)
		assert.NoError(t, err)
	}))
	t.Cleanup(server.Close)
	where, err := url.Parse(server.URL)
	require.NoError(t, err)
	return where
}

// ask sends a request through one side of the wire.
func ask(t *testing.T, side http.Handler, method, path, token, body string) (status int, answer string) {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	request.Header.Set("X-Auth-Token", token)
	recorder := httptest.NewRecorder()
	side.ServeHTTP(recorder, request)
	return recorder.Code, recorder.Body.String()
}

const patch = `{"82af513c-9960-4056-90c0-ece063e49765": [{"path": "/instance_uuid", "op": "add", "value": "` + firstServer + `"}]}`

const told = `{"events": [{"name": "accelerator-request-bound", "server_uuid": "` + firstServer + `", "tag": "82af513c-9960-4056-90c0-ece063e49765"}]}`

// TestWireKnowsWhoAsks gives each request to the Cyborg of its telling, and writes it down there.
func TestWireKnowsWhoAsks(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	l := &telling{story: &story{}, peer: &peer{url: named(t, "mine")}, step: "now"}
	s.follow(l, "token")

	_, answer := ask(t, s.cyborg(), http.MethodPatch, "/v2/accelerator_requests", "token", patch)
	assert.Equal(t, "mine", answer)
	_, answer = ask(t, s.cyborg(), http.MethodGet, "/v2/accelerator_requests", "another", "")
	assert.Equal(t, "fallback", answer)
	_, answer = ask(t, s.compute(), http.MethodPost, "/v2.1/os-server-external-events", "cyborg's", told)
	assert.Equal(t, "nova", answer)
	_, answer = ask(t, s.compute(), http.MethodPost, "/v2.1/os-server-external-events", "cyborg's", strings.ReplaceAll(told, firstServer, secondServer))
	assert.Equal(t, "nova", answer)
	_, answer = ask(t, s.compute(), http.MethodGet, "/v2.1", "", "")
	assert.Equal(t, "nova", answer)

	_, answer = ask(t, s.cyborg(), http.MethodDelete, "/v2/accelerator_requests?instance="+firstServer, "an admin's", "")
	assert.Equal(t, "mine", answer)
	_, answer = ask(t, s.cyborg(), http.MethodDelete, "/v2/accelerator_requests?instance="+secondServer, "an admin's", "")
	assert.Equal(t, "fallback", answer)

	require.Len(t, l.journal, 3, "what is of others is not written down")
	assert.Equal(t, "Nova asks", l.journal[0].side)
	assert.JSONEq(t, patch, string(l.journal[0].question))
	assert.Equal(t, "mine", string(l.journal[0].answer))
	assert.Equal(t, "Cyborg tells", l.journal[1].side)
	assert.Equal(t, "now", l.journal[1].step)
}

// TestWireFails has each fault of the wire.
func TestWireFails(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		story  story
		ask    int
		tell   int
		answer string
	}{
		{"none", story{}, 200, 200, "nova"},
		{"cut", story{cuts: []cut{{method: http.MethodPatch, status: 503}}}, 503, 200, "nova"},
		{"cut late", story{cuts: []cut{{method: http.MethodPatch, status: 504, late: true}}}, 504, 200, "nova"},
		{"cut another", story{cuts: []cut{{method: http.MethodPost, status: 503}}}, 200, 200, "nova"},
		{"event lost", story{events: eventsLost}, 200, 200, `"code":200`},
		{"event unknown", story{events: eventsUnknown}, 200, 207, `"code":404`},
		{"event breaks Nova", story{events: eventsBroken}, 200, 500, "computeFault"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			l := &telling{story: &test.story, peer: &peer{url: named(t, "mine")}}
			s.follow(l, "token")
			status, _ := ask(t, s.cyborg(), http.MethodPatch, "/v2/accelerator_requests", "token", patch)
			assert.Equal(t, test.ask, status)
			status, answer := ask(t, s.compute(), http.MethodPost, "/v2.1/os-server-external-events", "cyborg's", told)
			assert.Equal(t, test.tell, status)
			assert.Contains(t, answer, test.answer)
			assert.Len(t, l.journal, 2)
		})
	}
}

// TestTranscript is the same for tellings that differ in what is new each time, and not for others.
func TestTranscript(t *testing.T) {
	t.Parallel()
	tale := func(server, other, at, function string, status int) []string {
		body := `{"arqs": [{"uuid": "` + other + `", "instance_uuid": "` + server + `", "created_at": "` + at + `+00:00",
			"attach_handle_info": {"bus": "0c", "device": "1", "function": "` + function + `"}}]}`
		l := &telling{story: &story{}, servers: []string{server}, journal: []exchange{{
			step: "create", side: "Nova asks", method: "GET", target: "/v2/accelerator_requests?instance=" + server,
			sent:   http.Header{"X-Auth-Token": {server}, "Accept": {"*/*"}},
			got:    http.Header{"Date": {at}, "X-Openstack-Request-Id": {"req-" + other}},
			answer: []byte(body), status: status,
		}}}
		return l.transcript()
	}
	first := tale(firstServer, secondServer, "2026-11-30T07:39:31", "3", 200)
	assert.Equal(t, []string{
		"create: Nova asks: GET /v2/accelerator_requests?instance=uuid-2",
		"    > Accept: */*", "    > ", "    < 200", "    < X-Openstack-Request-Id: req-ID",
		`    < {"arqs":[{"attach_handle_info":{"bus":"0c","device":"any","function":"handle-1"},"created_at":"0000-00-00T00:00:00+00:00",` +
			`"instance_uuid":"uuid-2","uuid":"uuid-3"}]}`,
	}, first)
	assert.Equal(t, first, tale(secondServer, firstServer, "2026-12-01T01:02:03", "7", 200))
	assert.NotEqual(t, first, tale(firstServer, secondServer, "2026-11-30T07:39:31", "3", 202))
	assert.NotEqual(t, first, tale(firstServer, firstServer, "2026-11-30T07:39:31", "3", 200))
	assert.NotEqual(t, first, tale(firstServer, secondServer, "2026-11-30 07:39:31", "3", 200))
}

// TestTranscriptOfKeys has the keys of an object in the order in which they were first seen, whichever uuids they are.
func TestTranscriptOfKeys(t *testing.T) {
	t.Parallel()
	tale := func(first, second string) []string {
		l := &telling{story: &story{}, journal: []exchange{
			{method: "POST", answer: []byte(`{"arqs": [{"uuid": "` + first + `", "group": 0}, {"uuid": "` + second + `", "group": 1}]}`)},
			{method: "PATCH", question: []byte(`{"` + first + `": "of group 0", "` + second + `": "of group 1"}`)},
		}}
		return l.transcript()
	}
	assert.Contains(t, tale(firstServer, secondServer), `    > {"uuid-1":"of group 0","uuid-2":"of group 1"}`)
	assert.Equal(t, tale(firstServer, secondServer), tale(secondServer, firstServer))
}

// TestTranscriptOfHandles has a handle that is taken anew be another one, whichever it is.
func TestTranscriptOfHandles(t *testing.T) {
	t.Parallel()
	tale := func(method string, handles ...string) []string {
		l := &telling{story: &story{}}
		for _, handle := range handles {
			l.journal = append(l.journal, exchange{method: method, answer: []byte(`{"attach_handle_uuid": "` + handle + `"}`)})
		}
		return l.transcript()
	}
	assert.Equal(t, tale(http.MethodDelete, firstServer, firstServer), tale(http.MethodDelete, firstServer, secondServer))
	assert.NotEqual(t, tale(http.MethodGet, firstServer, firstServer), tale(http.MethodGet, firstServer, secondServer))
}
