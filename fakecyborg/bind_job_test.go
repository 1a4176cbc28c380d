package fakecyborg_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// wantedImage is what the profile "programmed" asks for.
const wantedImage = "00000000-0000-0000-0000-000000000009"

// fpgaAddress is that of the FPGA of twoHosts.
const fpgaAddress = "0000:3b:00.0"

// fpgaPart is the FPGA's deployable without virtual functions.
const fpgaPart = "rack1_" + fpgaAddress

var fpgaProvider = driver.ProviderUUID(fpgaPart)

// programming makes a server whose FPGA takes that long to be programmed.
func programming(t *testing.T, release fakecyborg.Release, takes time.Duration, options ...fakecyborg.Option) (*fakecyborg.Server, client) {
	t.Helper()
	seed := twoHosts()
	seed.Hosts[0].ProgrammingTime = takes
	// With virtual functions Cyborg does not notice another function, see driver.Compare.
	seed.Hosts[0].Devices[0].VFs = 0
	server, err := fakecyborg.New(append([]fakecyborg.Option{fakecyborg.WithSeed(seed), fakecyborg.WithRelease(release)}, options...)...)
	require.NoError(t, err)
	t.Cleanup(server.Close)
	return server, clientOf(server)
}

// bindFPGA makes a request of a profile and binds it to the FPGA.
func (c client) bindFPGA(t *testing.T, profile string) (arqJSON, answer) {
	t.Helper()
	made := c.makeARQs(t, profile)[0]
	return made, c.bind(t, binding{made.UUID, "rack1", fpgaProvider, instanceA})
}

// What a bind that needs programming comes to.
func TestProgrammingEnds(t *testing.T) {
	t.Parallel()
	image := driver.Image{ID: wantedImage, FunctionID: "aa55"}
	broken := errors.New("the card does not answer")
	for _, test := range []struct {
		name    string
		images  []driver.Image
		takes   time.Duration
		failure error
		state   string
		event   string
	}{
		{name: "well", images: []driver.Image{image}, takes: 20 * time.Second, state: "Bound", event: "completed"},
		{name: "at the last moment", images: []driver.Image{image}, takes: 60 * time.Second, state: "Bound", event: "completed"},
		{name: "too late to be told", images: []driver.Image{image}, takes: 61 * time.Second, state: "Bound"},
		{name: "device fails", images: []driver.Image{image}, takes: time.Second, failure: broken, state: "BindFailed", event: "failed"},
		{name: "image unknown", images: []driver.Image{{ID: instanceA}}, state: "BindFailed", event: "failed"},
		{name: "image does not tell its function", images: []driver.Image{{ID: wantedImage}}, state: "BindStarted"},
		{name: "no image service", state: "BindStarted"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				events := make(chan fakecyborg.Event, 1)
				options := []fakecyborg.Option{fakecyborg.WithEvents(events)}
				if test.images != nil {
					options = append(options, fakecyborg.WithImages(test.images...))
				}
				server, c := programming(t, fakecyborg.Newest(), test.takes, options...)
				machine, err := server.Machine("rack1")
				require.NoError(t, err)
				require.NoError(t, machine.FailProgramming(fpgaAddress, test.failure))
				made, bound := c.bindFPGA(t, "programmed")
				assert.Equal(t, http.StatusAccepted, bound.status, bound.body)
				if test.takes > 0 {
					assert.Equal(t, "BindStarted", c.showARQ(t, made.UUID).State, "the answer comes before the end")
					assert.Empty(t, events)
				}
				time.Sleep(2 * time.Minute)
				assert.Equal(t, test.state, c.showARQ(t, made.UUID).State)
				if test.event == "" {
					assert.Empty(t, events)
					return
				}
				event := <-events
				assert.Equal(t, fakecyborg.Event{Name: "accelerator-request-bound", ServerUUID: instanceA, Tag: made.UUID, Status: test.event}, event)
				body := c.call(t, "GET", "/v2/deployables", "").body
				assert.Equal(t, test.event == "completed", strings.Contains(body, `"bitstream_id": "`+wantedImage+`"`))
				assert.Contains(t, body, "CUSTOM_FPGA_FUNCTION_ID_INTEL_AA01", "the next report tells")
				require.NoError(t, server.Report(t.Context()))
				body = c.call(t, "GET", "/v2/deployables", "").body
				assert.Equal(t, test.event == "completed", strings.Contains(body, "CUSTOM_FPGA_FUNCTION_ID_INTEL_AA55"), body)
			})
		})
	}
}

// A function that no image has, or more than one, ends the job without a state and without an event.
func TestFunctionOfNoSingleImage(t *testing.T) {
	t.Parallel()
	for _, images := range [][]driver.Image{{}, {{ID: wantedImage, FunctionID: "f1"}, {ID: instanceA, FunctionID: "f1"}}} {
		synctest.Test(t, func(t *testing.T) {
			events := make(chan fakecyborg.Event, 1)
			_, c := programming(t, fakecyborg.Newest(), 0, fakecyborg.WithEvents(events), fakecyborg.WithImages(images...))
			made := c.call(t, "POST", "/v2/device_profiles", `[{"name": "f", "groups": [{"resources:FPGA": "1", "accel:function_id": "f1"}]}]`)
			require.Equal(t, http.StatusCreated, made.status, made.body)
			arq, _ := c.bindFPGA(t, "f")
			time.Sleep(2 * time.Minute)
			assert.Equal(t, "BindStarted", c.showARQ(t, arq.UUID).State)
			assert.Empty(t, events)
		})
	}
}

// A device that takes no images fails such a bind.
func TestDeviceThatTakesNoImages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, c := programming(t, fakecyborg.Newest(), 0, fakecyborg.WithImages(driver.Image{ID: wantedImage, FunctionID: "aa55"}))
		made, _ := c.bindNew(t, "programmed")
		time.Sleep(time.Second)
		assert.Equal(t, "BindFailed", c.showARQ(t, made.UUID).State)
	})
}

// Nova is told once, when all requests of a PATCH are done, also those that
// needed no programming.
func TestProgrammingIsToldOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		events := make(chan fakecyborg.Event, 2)
		_, c := programming(t, fakecyborg.Newest(), time.Second, fakecyborg.WithEvents(events), fakecyborg.WithImages(driver.Image{ID: wantedImage, FunctionID: "aa55"}))
		plain, programmed := c.makeARQs(t, "one-fpga")[0], c.makeARQs(t, "programmed")[0]
		bound := c.bind(t, binding{plain.UUID, "rack1", fakeProvider, instanceA}, binding{programmed.UUID, "rack1", fpgaProvider, instanceA})
		require.Equal(t, http.StatusAccepted, bound.status, bound.body)
		assert.Equal(t, "Bound", c.showARQ(t, plain.UUID).State)
		assert.Empty(t, events)
		time.Sleep(2 * time.Second)
		assert.Equal(t, plain.UUID, (<-events).Tag)
		assert.Equal(t, programmed.UUID, (<-events).Tag)
	})
}

// A request that is unbound while its device is programmed stays unbound, and
// nobody is told.
func TestUnboundWhileProgrammed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		events := make(chan fakecyborg.Event, 1)
		_, c := programming(t, fakecyborg.Newest(), time.Second, fakecyborg.WithEvents(events), fakecyborg.WithImages(driver.Image{ID: wantedImage, FunctionID: "aa55"}))
		made, _ := c.bindFPGA(t, "programmed")
		require.Equal(t, http.StatusAccepted, c.call(t, "PATCH", "/v2/accelerator_requests", unbindBody(made.UUID)).status)
		time.Sleep(time.Minute)
		assert.Equal(t, "Unbound", c.showARQ(t, made.UUID).State)
		assert.Empty(t, events)
	})
}

// What is loaded already needs no programming: the bind is done with its answer.
func TestLoadedImageBindsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, c := programming(t, fakecyborg.Newest(), 0, fakecyborg.WithImages(driver.Image{ID: wantedImage, FunctionID: "aa55"}))
		first, _ := c.bindFPGA(t, "programmed")
		time.Sleep(time.Second)
		require.Equal(t, "Bound", c.showARQ(t, first.UUID).State)
		require.Equal(t, http.StatusAccepted, c.call(t, "PATCH", "/v2/accelerator_requests", unbindBody(first.UUID)).status)
		second := c.makeARQs(t, "programmed")[0]
		c.bind(t, binding{second.UUID, "rack1", fpgaProvider, instanceB})
		assert.Equal(t, "Bound", c.showARQ(t, second.UUID).State)
	})
}

// The first release waits for the programming.
func TestTrainProgramsBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	train, err := fakecyborg.FindRelease("train")
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		_, c := programming(t, train, time.Second, fakecyborg.WithImages(driver.Image{ID: wantedImage, FunctionID: "aa55"}))
		began := time.Now()
		made, bound := c.bindFPGA(t, "programmed")
		assert.Equal(t, http.StatusAccepted, bound.status, bound.body)
		assert.Equal(t, time.Second, time.Since(began))
		assert.Equal(t, "Bound", c.call(t, "GET", "/v2/accelerator_requests/"+made.UUID, "").arq(t).State)
	})
}

// The API programs too, leaves the deployable's bitstream_id as it was, and the
// attributes until the next report.
func TestProgramThroughTheAPI(t *testing.T) {
	t.Parallel()
	server, c := programming(t, fakecyborg.Newest(), 0, fakecyborg.WithImages(driver.Image{ID: wantedImage, FunctionID: "f00d"}))
	var list struct{ Deployables []struct{ UUID, Name string } }
	decodeInto(t, c.call(t, "GET", "/v2/deployables", "").body, &list)
	require.Equal(t, fpgaPart, list.Deployables[0].Name)
	path := "/v2/deployables/" + list.Deployables[0].UUID
	body := func(image string) string {
		return `[{"path": "/bitstream_id", "op": "replace", "value": [{"image_uuid": "` + image + `"}]}]`
	}
	done := c.call(t, "PATCH", path+"/program", body(wantedImage))
	assert.Equal(t, http.StatusOK, done.status, done.body)
	assert.Contains(t, done.body, `"bitstream_id": null`)
	assert.NotContains(t, done.body, "F00D")
	require.NoError(t, server.Discover(t.Context(), "rack1"))
	assert.Contains(t, c.call(t, "GET", path, "").body, "CUSTOM_FPGA_FUNCTION_ID_INTEL_F00D")
	unknown := c.call(t, "PATCH", path+"/program", body(instanceA))
	assert.Equal(t, http.StatusNotFound, unknown.status)
	assert.Equal(t, "Image not found with uuid="+instanceA, unknown.firstLine(t))
}
