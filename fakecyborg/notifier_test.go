package fakecyborg_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

func TestNovaHearsBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	var got []string
	nova := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		got = append(got, r.Method+" "+r.URL.Path, r.Header.Get("OpenStack-API-Version"), r.Header.Get("Content-Type"), string(body))
	}))
	defer nova.Close()
	events := make(chan fakecyborg.Event, 2)
	c := newClient(t, fakecyborg.WithNova(nova.URL+"/v2.1/"), fakecyborg.WithEvents(events))
	arqs := c.makeARQs(t, "two-groups")
	bound := c.bind(t,
		binding{arqs[1].UUID, "rack2", driver.ProviderUUID(gpuName), instanceA},
		binding{arqs[0].UUID, "rack2", driver.ProviderUUID(fpgaName), instanceB})
	require.Equal(t, http.StatusAccepted, bound.status, bound.body)
	assert.Equal(t, []string{
		"POST /v2.1/os-server-external-events", "compute 2.82", "application/json",
		`{"events": [{"name": "accelerator-request-bound", "server_uuid": "` + instanceA + `", "tag": "` + arqs[1].UUID + `", "status": "completed"}, ` +
			`{"name": "accelerator-request-bound", "server_uuid": "` + instanceA + `", "tag": "` + arqs[0].UUID + `", "status": "completed"}]}`,
	}, got, "all events go to the first request's instance")
	assert.Equal(t, fakecyborg.Event{Name: "accelerator-request-bound", ServerUUID: instanceA, Tag: arqs[1].UUID, Status: "completed"}, <-events)
}

func TestNovaRefuses(t *testing.T) {
	t.Parallel()
	const details = "Bad API response from Nova for os-server-external-events API. Details: "
	for _, test := range []struct {
		name, reply string
		novaStatus  int
		status      int
		text        string
	}{
		{name: "accepted", novaStatus: 200, status: 202},
		{name: "no host yet", novaStatus: 207, reply: `{"events": [{"code": 422}, {"code": 422}]}`, status: 202},
		{name: "unknown instance", novaStatus: 207, reply: `{"events": [{"code": 404, "server_uuid": "i"}]}`, status: 400, text: details + "Unexpected event code 404 for instance i"},
		{name: "mixed", novaStatus: 207, reply: `{"events": [{"code": 422, "server_uuid": "i"}, {"code": 200}]}`, status: 400, text: details + "All event responses are expected to have the same event code. Instance: i"},
		{name: "refused", novaStatus: 403, reply: `no`, status: 400, text: details + "Failed to send events [{'name': 'accelerator-request-bound', 'server_uuid': '" + instanceA + "', 'tag': '%s', 'status': 'completed'}]: HTTP 403: no"},
		{name: "half an answer", novaStatus: 207, reply: `{`, status: 400, text: details + "Failed to send events [{'name': 'accelerator-request-bound', 'server_uuid': '" + instanceA + "', 'tag': '%s', 'status': 'completed'}]: HTTP 207: {"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			nova := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(test.novaStatus)
				_, err := io.WriteString(w, test.reply)
				assert.NoError(t, err)
			}))
			defer nova.Close()
			c := newClient(t, fakecyborg.WithNova(nova.URL))
			arq := c.makeARQs(t, "one-fpga")[0]
			bound := c.bind(t, binding{arq.UUID, "rack1", driver.ProviderUUID(fpgaName), instanceA})
			assert.Equal(t, test.status, bound.status)
			if test.text != "" {
				assert.Equal(t, replaceARQ(test.text, arq.UUID), bound.firstLine(t))
			}
			assert.Equal(t, "Bound", c.showARQ(t, arq.UUID).State, "whatever nova says")
		})
	}
}

type brokenTransport struct{}

func (brokenTransport) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("no route")
}

func TestNovaUnreachable(t *testing.T) {
	t.Parallel()
	c := newClient(t, fakecyborg.WithNova("http://nova.invalid/v2.1"), fakecyborg.WithNovaTransport(brokenTransport{}))
	arq := c.makeARQs(t, "one-fpga")[0]
	bound := c.bind(t, binding{arq.UUID, "rack1", driver.ProviderUUID(fpgaName), instanceA})
	assert.Equal(t, 500, bound.status)
	assert.Contains(t, bound.firstLine(t), "Remote error: ConnectFailure")
	assert.Equal(t, "Bound", c.showARQ(t, arq.UUID).State)
}

// A password in the URL of Nova would be in answers and logs.
func TestNovaWithPassword(t *testing.T) {
	t.Parallel()
	for _, endpoint := range []string{"http://u:secret@127.0.0.1:1/v2.1", "http://u:secret@[", "ftp://u:secret@h"} {
		_, err := fakecyborg.New(fakecyborg.WithNova(endpoint))
		require.ErrorContains(t, err, "with nova: the endpoint ")
		assert.NotContains(t, err.Error(), "secret")
	}
}
