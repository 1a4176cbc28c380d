package virtdriver_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/virtdriver"
)

const (
	server    = "10bfcf46-3c8e-40eb-ad69-def1991ef164"
	unplaced  = "2d9316cb-62b8-42ac-ab98-1e91d5bcf234"
	stranger  = "b754f253-b09b-4d87-8604-9ed1a9e0c6f5"
	arqA      = "2c6be03a-591b-4311-8932-ebc5b4548fa2"
	arqB      = "82af513c-9960-4056-90c0-ece063e49765"
	eventPath = "/v2.1/os-server-external-events"
)

func newReceiver(t *testing.T, opts ...virtdriver.ReceiverOption) *virtdriver.Receiver {
	t.Helper()
	r, err := virtdriver.NewReceiver(opts...)
	require.NoError(t, err)
	return r
}

func instances(uuid string) virtdriver.InstanceState {
	switch uuid {
	case server:
		return virtdriver.InstanceOnHost
	case unplaced:
		return virtdriver.InstanceWithoutHost
	}
	return virtdriver.InstanceUnknown
}

func post(t *testing.T, h http.Handler, path, version, body string) *httptest.ResponseRecorder {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	if version != "" {
		req.Header.Set("OpenStack-API-Version", version)
	}
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, req)
	return answer
}

func event(server, tag, status string) string {
	return fmt.Sprintf(`{"name": "accelerator-request-bound", "server_uuid": %q, "tag": %q, "status": %q}`, server, tag, status)
}

func TestReceiverAnswersLikeNova(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, events, want string
		status             int
	}{
		{
			"accepted", event(server, arqA, "completed"),
			`{"name":"accelerator-request-bound","server_uuid":"` + server + `","tag":"` + arqA + `","status":"completed","code":200}`, 200,
		},
		{
			"status left out", `{"name":"accelerator-request-bound","server_uuid":"` + server + `","tag":"x"}`,
			`{"name":"accelerator-request-bound","server_uuid":"` + server + `","tag":"x","code":200}`, 200,
		},
		{
			"no host", event(unplaced, arqA, "completed"),
			`{"name":"accelerator-request-bound","server_uuid":"` + unplaced + `","tag":"` + arqA + `","status":"failed","code":422}`, 207,
		},
		{
			"unknown server", event(stranger, arqA, "completed"),
			`{"name":"accelerator-request-bound","server_uuid":"` + stranger + `","tag":"` + arqA + `","status":"failed","code":404}`, 207,
		},
		{
			"no tag, even without host", `{"name":"accelerator-request-bound","server_uuid":"` + unplaced + `"}`,
			`{"name":"accelerator-request-bound","server_uuid":"` + unplaced + `","status":"failed","code":400}`, 207,
		},
		{
			"mixed, and one that needs no tag",
			event(server, arqA, "failed") + "," + event(unplaced, arqB, "completed") + `,{"name":"network-changed","server_uuid":"` + server + `"}`,
			`{"name":"accelerator-request-bound","server_uuid":"` + server + `","tag":"` + arqA + `","status":"failed","code":200},` +
				`{"name":"accelerator-request-bound","server_uuid":"` + unplaced + `","tag":"` + arqB + `","status":"failed","code":422},` +
				`{"name":"network-changed","server_uuid":"` + server + `","code":200}`, 207,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			answer := post(t, newReceiver(t, virtdriver.WithInstances(instances)), eventPath, "compute 2.82", `{"events": [`+test.events+`]}`)
			assert.Equal(t, test.status, answer.Code)
			assert.JSONEq(t, `{"events":[`+test.want+`]}`, answer.Body.String())
			assert.Equal(t, "application/json", answer.Header().Get("Content-Type"))
			assert.Equal(t, "compute 2.82", answer.Header().Get("OpenStack-API-Version"))
			assert.Equal(t, "2.82", answer.Header().Get("X-OpenStack-Nova-API-Version"))
			assert.Equal(t, []string{"OpenStack-API-Version", "X-OpenStack-Nova-API-Version"}, answer.Header().Values("Vary"))
		})
	}
}

func TestReceiverPaths(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		path   string
		status int
	}{
		{"/os-server-external-events", 200},
		{"/v2.1/os-server-external-events", 200},
		{"/v2.1/8c5d4b6c9f0e4a64/os-server-external-events", 200},
		{"/v2.1/a/b/os-server-external-events", 404},
		{"/v3/os-server-external-events", 404},
		{"/", 404},
	} {
		t.Run(test.path, func(t *testing.T) {
			t.Parallel()
			answer := post(t, newReceiver(t), test.path, "compute 2.82", `{"events":[`+event(server, arqA, "completed")+`]}`)
			assert.Equal(t, test.status, answer.Code)
			if test.status == 404 {
				assert.JSONEq(t, `{"itemNotFound":{"code":404,"message":"The resource could not be found."}}`, answer.Body.String())
			}
		})
	}
}

func TestReceiverTakesPostOnly(t *testing.T) {
	t.Parallel()
	answer := httptest.NewRecorder()
	newReceiver(t).ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, eventPath, nil))
	assert.Equal(t, http.StatusMethodNotAllowed, answer.Code)
	assert.Contains(t, answer.Body.String(), "badMethod")
}

func TestReceiverMicroversions(t *testing.T) {
	t.Parallel()
	const name = `"accelerator-request-bound" is not an event of compute 2.`
	for _, test := range []struct {
		name   string
		header http.Header
		status int
		text   string
	}{
		{"standard", http.Header{"Openstack-Api-Version": {"compute 2.82"}}, 200, ""},
		{"older name", http.Header{"X-Openstack-Nova-Api-Version": {"2.82"}}, 200, ""},
		{"standard before older", http.Header{"Openstack-Api-Version": {"compute 2.93"}, "X-Openstack-Nova-Api-Version": {"2.1"}}, 200, ""},
		{"among services", http.Header{"Openstack-Api-Version": {"placement 1.36, compute 2.90", "volume 3.1"}}, 200, ""},
		{"latest", http.Header{"Openstack-Api-Version": {"compute latest"}}, 200, ""},
		{"too old", http.Header{"Openstack-Api-Version": {"compute 2.81"}}, 400, name + "81"},
		{"none", nil, 400, name + "1"},
		{"another service's", http.Header{"Openstack-Api-Version": {"accelerator 2.82"}}, 400, name + "1"},
		{"above all", http.Header{"Openstack-Api-Version": {"compute 2.999"}}, 406, "Version 2.999 is not supported by the API. Minimum is 2.1 and maximum is 2."},
		{"other major", http.Header{"Openstack-Api-Version": {"compute 3.82"}}, 406, "Version 3.82 is not supported"},
		{"no version", http.Header{"Openstack-Api-Version": {"compute two"}}, 400, "API Version String two is of invalid format"},
		{"minus", http.Header{"Openstack-Api-Version": {"compute 2.-1"}}, 400, "invalid format"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, eventPath, strings.NewReader(`{"events":[`+event(server, arqA, "completed")+`]}`))
			if test.header != nil {
				req.Header = test.header
			}
			answer := httptest.NewRecorder()
			newReceiver(t).ServeHTTP(answer, req)
			assert.Equal(t, test.status, answer.Code, "%s", answer.Body)
			var body map[string]struct {
				Code    int
				Message string
			}
			if test.status != 200 {
				require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &body))
				for _, fault := range body {
					assert.Equal(t, test.status, fault.Code)
					assert.Contains(t, fault.Message, test.text)
				}
			}
		})
	}
}

func TestReceiverRefusesBodies(t *testing.T) {
	t.Parallel()
	good := event(server, arqA, "completed")
	for _, test := range []struct {
		name, body, text string
		status           int
	}{
		{"empty", "", "Malformed request body: EOF", 400},
		{"no JSON", "events", "Malformed request body", 400},
		{"cut", `{"events":[` + good, "Malformed request body", 400},
		{"more text", `{"events":[` + good + `]} {}`, "more text after", 400},
		{"no events", `{}`, "events. is a required property", 400},
		{"empty list", `{"events":[]}`, "at least one event", 400},
		{"no list", `{"events":` + good + `}`, "Malformed request body", 400},
		{"other key", `{"events":[` + good + `],"more":1}`, `unknown field "more"`, 400},
		{"other key in event", `{"events":[{"name":"power-update","server_uuid":"` + server + `","code":200}]}`, `unknown field "code"`, 400},
		{"no name", `{"events":[{"server_uuid":"` + server + `"}]}`, "events/0/. needs name and server_uuid", 400},
		{"no server", `{"events":[` + good + `,{"name":"power-update"}]}`, "events/1/. needs name and server_uuid", 400},
		{"underscores", strings.ReplaceAll(`{"events":[`+good+`]}`, "accelerator-request-bound", "accelerator_request_bound"), "events/0/name", 400},
		{"no uuid", `{"events":[` + event("instance-1", arqA, "completed") + `]}`, "events/0/server_uuid. \"instance-1\" is not a 'uuid'", 400},
		{"bad status", `{"events":[` + event(server, arqA, "done") + `]}`, "events/0/status", 400},
		{"long tag", `{"events":[` + event(server, strings.Repeat("é", 256), "completed") + `]}`, "events/0/tag. is longer than 255", 400},
		{"tag of another kind", `{"events":[{"name":"power-update","server_uuid":"` + server + `","tag":5}]}`, "Malformed", 400},
		{"too large", `{"events":[` + strings.Repeat(good+",", 1000) + good + `]}`, "Request is too large.", 413},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			answer := post(t, newReceiver(t), eventPath, "compute 2.82", test.body)
			assert.Equal(t, test.status, answer.Code)
			assert.Contains(t, strings.ReplaceAll(answer.Body.String(), `\"`, `"`), test.text)
			fault := map[int]string{400: "badRequest", 413: "overLimit"}[test.status]
			assert.Contains(t, answer.Body.String(), fault)
		})
	}
}

func TestReceiverOptionsAreChecked(t *testing.T) {
	t.Parallel()
	_, err := virtdriver.NewReceiver(virtdriver.WithInstances(nil))
	require.ErrorContains(t, err, "WithInstances needs a function")
}

func FuzzReceiver(f *testing.F) {
	f.Add([]byte(`{"events":[`+event(server, arqA, "completed")+`]}`), "compute 2.82")
	f.Add([]byte(`{"events":[{"name":"power-update","server_uuid":"`+stranger+`"}]}`), "compute latest")
	f.Add([]byte(`[`), ",compute  2.0 ,")
	f.Fuzz(func(t *testing.T, body []byte, version string) {
		answer := post(t, newReceiver(t, virtdriver.WithInstances(instances)), eventPath, version, string(body))
		require.Contains(t, []int{200, 207, 400, 406, 413}, answer.Code)
		require.True(t, json.Valid(answer.Body.Bytes()))
	})
}
