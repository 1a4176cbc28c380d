package fakecyborg_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

func TestWithMount(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		mount  fakecyborg.Mount
		path   string
		status int
	}{
		{fakecyborg.MountDevstack, "/accelerator/v2/devices", 200},
		{fakecyborg.MountDevstack, "/accelerator/devices", 200},
		{fakecyborg.MountDevstack, "/v2/devices", 200},
		{fakecyborg.MountDevstack, "/devices", 200},
		{fakecyborg.MountBare, "/accelerator/v2/devices", 404},
		{fakecyborg.MountBare, "/accelerator", 404},
		{fakecyborg.MountBare, "/v2/devices", 200},
		{fakecyborg.MountBare, "/devices", 200},
	} {
		c := newClient(t, fakecyborg.WithMount(test.mount))
		assert.Equal(t, test.status, c.call(t, "GET", test.path, "").status, "%d %s", test.mount, test.path)
		assert.Contains(t, c.call(t, "GET", "/v2", "").body, "/accelerator/v2/", "links do not change")
	}
	_, err := fakecyborg.New(fakecyborg.WithMount(7))
	require.EqualError(t, err, "with mount: 7 is none")
}

func TestWithConnectionClose(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		options []fakecyborg.Option
		closed  bool
	}{{nil, false}, {[]fakecyborg.Option{fakecyborg.WithConnectionClose()}, true}} {
		server := fakecyborg.Start(t, test.options...)
		for _, path := range []string{"/v2", "/v2/nothing"} {
			response, err := (&http.Client{Transport: &http.Transport{}}).Get(server.URL() + path) //nolint:noctx // as short as it gets
			require.NoError(t, err)
			_, err = io.Copy(io.Discard, response.Body)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			assert.Equal(t, test.closed, response.Close, path)
		}
	}
}

func TestWithoutChunkedBodies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		options []fakecyborg.Option
		status  int
	}{{nil, 201}, {[]fakecyborg.Option{fakecyborg.WithoutChunkedBodies()}, 400}} {
		server := fakecyborg.Start(t, test.options...)
		// A reader of unknown length is sent in chunks.
		body := io.MultiReader(strings.NewReader(`[{"name": "a", "groups": [{"resources:FPGA": "1"}]}]`))
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL()+"/v2/device_profiles", body)
		require.NoError(t, err)
		request.Header.Set("Content-Type", "application/json")
		response, err := (&http.Client{}).Do(request)
		require.NoError(t, err)
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Equal(t, test.status, response.StatusCode, string(text))
		if test.status == 400 {
			assert.Contains(t, string(text), `Missing argument: \\\"req_devprof_list\\\"`)
		}
	}
}

func TestWithPublicEndpoint(t *testing.T) {
	t.Parallel()
	c := newClient(t, fakecyborg.WithPublicEndpoint("https://cloud.example/"))
	assert.Contains(t, c.call(t, "GET", "/v2/devices", "").body, `"https://cloud.example/accelerator/v2/devices/`)
	assert.Contains(t, c.call(t, "GET", "/", "").body, `"`+c.base+`/accelerator/v2"`, "the root names the asked host")
	_, err := fakecyborg.New(fakecyborg.WithPublicEndpoint("cloud.example"))
	require.ErrorContains(t, err, "is not an http or https url")
}

// Without the option nothing that a client says of proxies counts.
func TestProxyHeadersAreNotTrusted(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	assert.NotContains(t, c.call(t, "GET", "/v2", "", "X-Forwarded-Proto", "https", "X-Forwarded-Host", "evil").body, "evil")
}

func TestWithEventForm(t *testing.T) {
	t.Parallel()
	events := make(chan fakecyborg.Event, 1)
	made, _ := newClient(t, fakecyborg.WithEvents(events), fakecyborg.WithEventForm(fakecyborg.EventsOfSpec)).bindNew(t, "one-fpga")
	assert.Equal(t, fakecyborg.Event{Name: "arq_resolved", ServerUUID: instanceA, Tag: made.UUID, Status: "ok"}, <-events)
	_, err := fakecyborg.New(fakecyborg.WithEventForm(9))
	require.EqualError(t, err, "with event form: 9 is none")
}

// Train tells the end of a bind without a handle in its event only.
func TestTrainFailsInTheEvent(t *testing.T) {
	t.Parallel()
	train, err := fakecyborg.FindRelease("3.0.0")
	require.NoError(t, err)
	for form, want := range map[fakecyborg.EventForm]string{
		fakecyborg.EventsPerProfile: "accelerator-requests-bound three-fpga failed", fakecyborg.EventsOfSpec: "arq_resolved failed",
	} {
		events := make(chan fakecyborg.Event, 3)
		c := releaseClient(t, train, fakecyborg.WithEvents(events), fakecyborg.WithEventForm(form))
		var bindings []binding
		for _, made := range c.makeARQs(t, "three-fpga") {
			bindings = append(bindings, binding{made.UUID, "rack1", driver.ProviderUUID(fpgaName), instanceA})
		}
		require.Equal(t, 202, c.bind(t, bindings...).status)
		event := <-events
		for len(events) > 0 {
			event = <-events
		}
		assert.Equal(t, want, strings.ReplaceAll(event.Name+" "+event.Tag+" "+event.Status, bindings[2].arq+" ", ""))
		assert.Equal(t, "BindFailed", c.showARQ(t, bindings[2].arq).State)
	}
}

func TestWithoutNova(t *testing.T) {
	t.Parallel()
	c := newClient(t, fakecyborg.WithoutNova())
	made, bound := c.bindNew(t, "one-fpga")
	assert.Equal(t, 500, bound.status)
	assert.Equal(t, "Remote error: EndpointNotFound ['internal', 'public'] endpoint for compute service in RegionOne region not found", bound.firstLine(t))
	assert.Equal(t, "Bound", c.showARQ(t, made.UUID).State)
}

// What a real service was seen to do beside its documentation.
func TestSeenOnTheRealService(t *testing.T) {
	t.Parallel()
	t.Run("a patch path may have more slashes", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		made := c.makeARQs(t, "one-fpga")[0]
		body := strings.ReplaceAll(bindBody(binding{made.UUID, "rack1", fakeProvider, instanceA}), `"/`, `"//`)
		assert.Equal(t, 202, c.call(t, "PATCH", "/v2/accelerator_requests", body).status)
	})
	t.Run("names have no letter case and no blanks at the end", func(t *testing.T) {
		t.Parallel()
		c := newClient(t)
		assert.Len(t, c.makeARQs(t, "ONE-fpga  "), 1)
		assert.Equal(t, 409, c.call(t, "POST", "/v2/device_profiles", `[{"name": "ONE-FPGA", "groups": [{"resources:FPGA": "1"}]}]`).status)
		assert.Equal(t, 200, c.call(t, "GET", "/v2/device_profiles/One-FPGA", "", "OpenStack-API-Version", "2.2").status)
		assert.NotContains(t, c.call(t, "GET", "/v2/device_profiles?name=ONE-FPGA", "").body, "one-fpga", "but for the filter")
	})
	t.Run("an agent's report takes attributes of the API away", func(t *testing.T) {
		t.Parallel()
		server, err := fakecyborg.New(fakecyborg.WithSeed(twoHosts()))
		require.NoError(t, err)
		c := clientOf(server)
		before := c.call(t, "GET", "/v2/attributes", "").body
		require.Equal(t, 201, c.call(t, "POST", "/v2/attributes", `{"deployable_id": 1, "key": "mine", "value": "x"}`).status)
		require.NoError(t, server.Report(t.Context()))
		sameBytes(t, before, c.call(t, "GET", "/v2/attributes", "").body)
	})
}
