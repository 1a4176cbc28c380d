package novacyborg_test

import (
	"context"
	"encoding/xml"
	"fmt"
	"net/http"
	"os"
	"path"
	"regexp"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/fault"
	"github.com/novacyborg/novacyborg/lifecycle"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/placement/placementtest"
	"github.com/novacyborg/novacyborg/requestspec"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// TestFlowPicture keeps docs/flow.svg what a create really does: its exchanges, events and result are recorded and drawn.
// NOVACYBORG_UPDATE=1 draws it anew.
func TestFlowPicture(t *testing.T) {
	t.Parallel()
	var told flowStory
	synctest.Test(t, func(t *testing.T) { told = recordFlow(t) })
	picture := drawFlow(told)
	require.NoError(t, xml.Unmarshal([]byte(picture), new(any)))
	require.Regexp(t, `PATCH .*/accelerator_requests`, picture)
	if os.Getenv("NOVACYBORG_UPDATE") == "1" {
		require.NoError(t, os.WriteFile("docs/flow.svg", []byte(picture), 0o600))
	}
	drawn, err := os.ReadFile("docs/flow.svg")
	require.NoError(t, err)
	assert.Equal(t, picture, string(drawn), "docs/flow.svg is stale; draw it anew with NOVACYBORG_UPDATE=1 go test . -run TestFlowPicture")
}

// flowStory is what one create did.
type flowStory struct {
	profile    cyborgclient.DeviceProfile
	moments    []moment
	requesters []string
	host       string
	addresses  []string // of the devices in the domain XML, as it has them
}

// moment is one arrow of the picture, or, without a party, a step that asks nobody.
type moment struct {
	step    lifecycle.StepID
	party   string // whom it goes to or comes from
	text    string
	status  int // of the answer; 0 for an event
	counted int // how many alike came one after the other
}

// recorder notes in order what goes over the wires.
type recorder struct {
	mu      sync.Mutex
	moments []moment
	steps   int // how many moments belong to steps that have ended
}

func (r *recorder) note(m moment) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m.counted = 1
	r.moments = append(r.moments, m)
}

// step gives all moments since the last step to one that has just ended.
func (r *recorder) step(_ context.Context, s lifecycle.Step) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.steps == len(r.moments) {
		r.moments = append(r.moments, moment{counted: 1})
	}
	for ; r.steps < len(r.moments); r.steps++ {
		r.moments[r.steps].step = s.ID
	}
}

// wireTo is a transport that notes requests and the status of their answers.
type wireTo struct {
	party    string
	recorder *recorder
	base     http.RoundTripper
}

func (w wireTo) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := w.base.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	w.recorder.note(moment{party: w.party, text: request.Method + " " + shortTarget(request), status: response.StatusCode})
	return response, nil
}

// shortTarget names a request's path and the keys that matter of its query.
func shortTarget(request *http.Request) string {
	query := request.URL.Query()
	switch {
	case query.Has("instance"):
		return request.URL.Path + "?instance=…"
	case query.Has("name"):
		return request.URL.Path + "?name=" + query.Get("name")
	case len(query) > 0:
		return request.URL.Path + "?…"
	}
	folder, last := path.Split(request.URL.Path)
	if _, err := uuid.Parse(last); err == nil {
		return folder + "{uuid}"
	}
	return request.URL.Path
}

// recordFlow creates the instance of examples/boot. Binds take a second, so that the order is always the same.
func recordFlow(t *testing.T) flowStory {
	t.Helper()
	ctx, recorded := t.Context(), &recorder{}
	placementServer, err := placementtest.New()
	require.NoError(t, err)
	placements, err := placement.New(ctx, placement.WithEndpoint("http://placement.localhost"), placement.WithToken("admin"),
		placement.WithTransport(wireTo{"Placement", recorded, placementServer.Transport()}))
	require.NoError(t, err)
	events := make(chan fakecyborg.Event, 16)
	cyborg, err := fakecyborg.New(fakecyborg.WithSeedFile("examples/boot/seed.yaml"), fakecyborg.WithPlacement(placements), fakecyborg.WithEvents(events))
	require.NoError(t, err)
	defer cyborg.Close()
	require.NoError(t, cyborg.Report(ctx))
	require.NoError(t, cyborg.Faults().Add(fault.Rule{Operation: fault.Bind, Fault: fault.Late{After: time.Second}}))
	accelerators, err := cyborgclient.New(ctx, cyborgclient.WithEndpoint("http://cyborg.localhost/v2"),
		cyborgclient.WithTransport(wireTo{"Cyborg", recorded, cyborg.Transport()}))
	require.NoError(t, err)
	profile, err := accelerators.CreateDeviceProfile(ctx, cyborgclient.DeviceProfileCreate{Name: "fpga-and-gpu", Groups: []requestspec.ProfileGroup{
		requestspec.GroupOf(map[string]string{"resources:FPGA": "1", "trait:CUSTOM_FPGA_INTEL": "required"}),
		requestspec.GroupOf(map[string]string{"resources:PGPU": "1", "trait:CUSTOM_NVIDIA_1EB8": "required"}),
	}})
	require.NoError(t, err)
	receiver, err := virtdriver.NewReceiver()
	require.NoError(t, err)
	manager, err := lifecycle.New(placements, accelerators, lifecycle.WithObserver(recorded.step),
		lifecycle.WithWaiter(virtdriver.WithReceiver(receiver)))
	require.NoError(t, err)
	delivered := make(chan struct{})
	go func() {
		defer close(delivered)
		for range profile.Groups {
			event := <-events
			recorded.note(moment{party: "Cyborg", text: fmt.Sprintf("%s %s", event.Name, event.Status)})
			receiver.Deliver(virtdriver.Event(event))
		}
	}()
	domain, err := os.ReadFile("examples/boot/domain.xml")
	require.NoError(t, err)
	recorded.moments = nil // the preparations
	created, err := manager.Create(ctx, lifecycle.CreateRequest{
		Consumer: placement.Consumer{UUID: uuid.NewString(), ProjectID: "demo", UserID: "demo"},
		Spec: requestspec.Input{Flavor: requestspec.Flavor{
			VCPUs: 4, MemoryMB: 8192, RootGB: 20, ExtraSpecs: map[string]string{"accel:device_profile": profile.Name},
		}},
		Domain: domain,
	})
	require.NoError(t, err)
	<-delivered
	return flowStory{
		profile: *profile, moments: together(recorded.moments), requesters: created.Request.RequesterIDs(), host: created.Record.Now.Host,
		addresses: regexp.MustCompile(`<address domain='0x[0-9a-f]+' bus=[^>]*/>`).FindAllString(string(created.Composition.XML), -1),
	}
}

// together makes one of moments that are alike and follow each other.
func together(moments []moment) []moment {
	var joined []moment
	for _, m := range moments {
		if last := len(joined) - 1; last >= 0 && joined[last].text == m.text && joined[last].step == m.step && joined[last].status == m.status {
			joined[last].counted++
			continue
		}
		joined = append(joined, m)
	}
	return slices.Clip(joined)
}
