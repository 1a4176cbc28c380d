package virtdriver_test

import (
	"context"
	"encoding/json"
	"errors"
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
			`{"name":"accelerator-request-bound","server_uuid":"` + server + `","tag":"x","status":"completed","code":200}`, 200,
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
			`{"name":"accelerator-request-bound","server_uuid":"` + server + `","tag":"` + arqA + `","status":"completed","code":200},` +
				`{"name":"accelerator-request-bound","server_uuid":"` + unplaced + `","tag":"` + arqB + `","status":"failed","code":422},` +
				`{"name":"network-changed","server_uuid":"` + server + `","status":"completed","code":200}`, 207,
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
	const name = "Value: accelerator-request-bound. 'accelerator-request-bound' is not one of ['network-changed', "
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
		{"too old", http.Header{"Openstack-Api-Version": {"compute 2.81"}}, 400, name},
		{"none", nil, 400, name},
		{"another service's", http.Header{"Openstack-Api-Version": {"accelerator 2.82"}}, 400, name},
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
		{"empty", "", "None is not of type 'object'", 400},
		{"no JSON", "events", "Malformed request body", 400},
		{"cut", `{"events":[` + good, "Malformed request body", 400},
		{"more text", `{"events":[` + good + `]} {}`, "Malformed request body", 400},
		{"no object", `[]`, "[] is not of type 'object'", 400},
		{"no events", `{}`, "'events' is a required property", 400},
		{"empty list", `{"events":[]}`, "field/attribute events. Value: []. [] is too short", 400},
		{"no list", `{"events":` + good + `}`, "is not of type 'array'", 400},
		{"no event", `{"events":[null]}`, "field/attribute 0. Value: None. None is not of type 'object'", 400},
		{"other keys", `{"events":[` + good + `],"more":1,"and":2}`, "Additional properties are not allowed ('and', 'more' were unexpected)", 400},
		{"other key in event", `{"events":[{"name":"power-update","server_uuid":"` + server + `","code":200}]}`, "('code' was unexpected)", 400},
		{"no name", `{"events":[{"server_uuid":"` + server + `"}]}`, "'name' is a required property", 400},
		{"no server", `{"events":[` + good + `,{"name":"power-update"}]}`, "field/attribute 1. Value: {\"name\":\"power-update\"}. 'server_uuid' is", 400},
		{"underscores", strings.ReplaceAll(`{"events":[`+good+`]}`, "accelerator-request-bound", "accelerator_request_bound"), "'accelerator_request_bound' is not one of", 400},
		{"spec's name", strings.ReplaceAll(`{"events":[`+good+`]}`, "accelerator-request-bound", "arq_resolved"), "'arq_resolved' is not one of", 400},
		{"no uuid", `{"events":[` + event("instance-1", arqA, "completed") + `]}`, "field/attribute server_uuid. Value: instance-1. 'instance-1' is not a 'uuid'", 400},
		{"bad status", `{"events":[` + event(server, arqA, "done") + `]}`, "'done' is not one of ['failed', 'completed', 'in-progress']", 400},
		{"long tag", `{"events":[` + event(server, strings.Repeat("é", 256), "completed") + `]}`, "é' is too long", 400},
		{"tag of another kind", `{"events":[{"name":"power-update","server_uuid":"` + server + `","tag":5}]}`, "field/attribute tag. Value: 5. 5 is not of type 'string'", 400},
		{"tag null", `{"events":[{"name":"power-update","server_uuid":"` + server + `","tag":null}]}`, "field/attribute tag. Value: None. None is not of type 'string'", 400},
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

func TestReceiverContentTypes(t *testing.T) {
	t.Parallel()
	for contentType, status := range map[string]int{
		"": 200, "text/plain": 200, "application/json": 200, "application/json; charset=utf-8": 200,
		"application/vnd.openstack.compute+json": 200, "text/html": 415, "application/xml": 415, ";": 415,
	} {
		t.Run(contentType, func(t *testing.T) {
			t.Parallel()
			req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, eventPath, strings.NewReader(`{"events":[`+event(server, arqA, "completed")+`]}`))
			req.Header.Set("OpenStack-API-Version", "compute 2.82")
			if contentType != "" {
				req.Header.Set("Content-Type", contentType)
			}
			answer := httptest.NewRecorder()
			newReceiver(t).ServeHTTP(answer, req)
			assert.Equal(t, status, answer.Code)
			if status == 415 {
				assert.JSONEq(t, `{"badMediaType":{"code":415,"message":"Unsupported Content-Type"}}`, answer.Body.String())
			}
		})
	}
}

func TestReceiverTokens(t *testing.T) {
	t.Parallel()
	receiver := newReceiver(t, virtdriver.WithTokens("s3cret-one", "s3cret-two"))
	for _, test := range []struct {
		name, path, token string
		status            int
	}{
		{"first", eventPath, "s3cret-one", 200},
		{"second", eventPath, "s3cret-two", 200},
		{"none", eventPath, "", 401},
		{"wrong", eventPath, "s3cret-three", 401},
		{"beginning of one", eventPath, "s3cret-on", 401},
		{"also where nothing is", "/", "wrong", 401},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, test.path, strings.NewReader(`{"events":[`+event(server, arqA, "completed")+`]}`))
			req.Header.Set("OpenStack-API-Version", "compute 2.82")
			if test.token != "" {
				req.Header.Set("X-Auth-Token", test.token)
			}
			answer := httptest.NewRecorder()
			receiver.ServeHTTP(answer, req)
			assert.Equal(t, test.status, answer.Code)
			if test.status == 401 {
				assert.JSONEq(t, `{"error":{"code":401,"title":"Unauthorized","message":"The request you have made requires authentication."}}`, answer.Body.String())
				assert.NotEmpty(t, answer.Header().Get("WWW-Authenticate"))
			}
		})
	}
	assert.NotContains(t, fmt.Sprintf("%v %+v %#v", receiver, receiver, receiver), "s3cret")
}

// TestReceiverAsksAboutTokens has a receiver for a Cyborg whose tokens nobody knows before.
func TestReceiverAsksAboutTokens(t *testing.T) {
	t.Parallel()
	check := func(_ context.Context, token string) (bool, error) {
		switch token {
		case "cyborg's":
			return true, nil
		case "keystone is away":
			return true, errors.New("no answer")
		case "", "known":
			t.Errorf("asked about %q", token)
		}
		return false, nil
	}
	receiver := newReceiver(t, virtdriver.WithTokenCheck(check), virtdriver.WithTokens("known"))
	for _, test := range []struct {
		token  string
		status int
		text   string
	}{
		{"cyborg's", 200, `"code":200`},
		{"known", 200, `"code":200`},
		{"a user's", 401, "requires authentication"},
		{"", 401, "requires authentication"},
		{"keystone is away", 503, "cannot be validated"},
	} {
		t.Run(test.token, func(t *testing.T) {
			t.Parallel()
			req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, eventPath, strings.NewReader(`{"events":[`+event(server, arqA, "completed")+`]}`))
			req.Header.Set("OpenStack-API-Version", "compute 2.82")
			req.Header.Set("X-Auth-Token", test.token)
			answer := httptest.NewRecorder()
			receiver.ServeHTTP(answer, req)
			assert.Equal(t, test.status, answer.Code)
			assert.Contains(t, answer.Body.String(), test.text)
		})
	}
}

// TestReceiverTellsItsVersion: Cyborg's client asks for it, without a token, before it sends its first event.
func TestReceiverTellsItsVersion(t *testing.T) {
	t.Parallel()
	receiver := newReceiver(t, virtdriver.WithTokens("known"))
	for _, path := range []string{"/v2.1", "/v2.1/"} {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://nova.example"+path, http.NoBody)
		answer := httptest.NewRecorder()
		receiver.ServeHTTP(answer, req)
		assert.Equal(t, 200, answer.Code)
		assert.Equal(t, "compute 2.1", answer.Header().Get("OpenStack-API-Version"))
		assert.JSONEq(t, `{"version": {"id": "v2.1", "status": "CURRENT", "min_version": "2.1", "version": "2.104",
			"links": [{"rel": "self", "href": "http://nova.example/v2.1/"}]}}`, answer.Body.String())
	}
	answer := httptest.NewRecorder()
	receiver.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v2.1", http.NoBody))
	assert.Equal(t, 401, answer.Code)
}

func TestReceiverTakesSpecEvents(t *testing.T) {
	t.Parallel()
	receiver := newReceiver(t, virtdriver.WithSpecEvents(), virtdriver.WithInstances(instances))
	answer := post(t, receiver, eventPath, "", `{"events":[
		{"name":"arq_resolved","server_uuid":"`+server+`","tag":"`+arqA+`","status":"ok"},
		{"name":"accelerator-requests-bound","server_uuid":"`+unplaced+`","tag":"gpu"},
		{"name":"arq_resolved","server_uuid":"`+server+`","status":"failed"}]}`)
	assert.Equal(t, 207, answer.Code)
	assert.JSONEq(t, `{"events":[
		{"name":"arq_resolved","server_uuid":"`+server+`","tag":"`+arqA+`","status":"completed","code":200},
		{"name":"accelerator-requests-bound","server_uuid":"`+unplaced+`","tag":"gpu","status":"failed","code":422},
		{"name":"arq_resolved","server_uuid":"`+server+`","status":"failed","code":400}]}`, answer.Body.String())
}

func TestReceiverClosed(t *testing.T) {
	t.Parallel()
	receiver := newReceiver(t)
	require.NoError(t, receiver.Close())
	require.NoError(t, receiver.Close())
	answer := post(t, receiver, eventPath, "compute 2.82", `{"events":[`+event(server, arqA, "completed")+`]}`)
	assert.Equal(t, 503, answer.Code)
	assert.JSONEq(t, `{"serviceUnavailable":{"code":503,"message":"The service is shutting down."}}`, answer.Body.String())
}

func TestReceiverOptionsAreChecked(t *testing.T) {
	t.Parallel()
	for text, opt := range map[string]virtdriver.ReceiverOption{
		"WithInstances needs a function": virtdriver.WithInstances(nil),
		"WithTokens needs tokens":        virtdriver.WithTokens(),
		"tokens that are not empty":      virtdriver.WithTokens("a", ""),
		"WithTokenCheck needs":           virtdriver.WithTokenCheck(nil),
	} {
		_, err := virtdriver.NewReceiver(opt)
		require.ErrorContains(t, err, text)
	}
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
