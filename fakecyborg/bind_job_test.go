package fakecyborg_test

import (
	"context"
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

// slowProgrammer loads every image in that time, or fails after it.
type slowProgrammer struct {
	takes   time.Duration
	failure error
}

func (slowProgrammer) Discover(context.Context) ([]driver.Device, error) { return nil, nil }

func (p slowProgrammer) Program(ctx context.Context, deployable string, image driver.Image) (driver.Deployable, error) {
	select {
	case <-time.After(p.takes):
	case <-ctx.Done():
		return driver.Deployable{}, ctx.Err()
	}
	return driver.Deployable{Name: deployable, Attributes: []driver.Pair{
		{Key: "rc", Value: "FPGA"}, {Key: "trait0", Value: driver.FunctionTrait("intel", image.FunctionID)},
	}}, p.failure
}

// What a bind that needs programming comes to.
func TestProgrammingEnds(t *testing.T) {
	t.Parallel()
	image := driver.Image{ID: wantedImage, FunctionID: "aa55"}
	broken := errors.New("the card does not answer")
	for _, test := range []struct {
		name       string
		images     []driver.Image
		programmer slowProgrammer
		state      string
		event      string
	}{
		{name: "well", images: []driver.Image{image}, programmer: slowProgrammer{takes: 20 * time.Second}, state: "Bound", event: "completed"},
		{name: "at the last moment", images: []driver.Image{image}, programmer: slowProgrammer{takes: 60 * time.Second}, state: "Bound", event: "completed"},
		{name: "too late to be told", images: []driver.Image{image}, programmer: slowProgrammer{takes: 61 * time.Second}, state: "Bound"},
		{name: "device fails", images: []driver.Image{image}, programmer: slowProgrammer{takes: time.Second, failure: broken}, state: "BindFailed", event: "failed"},
		{name: "image unknown", images: []driver.Image{{ID: instanceA}}, state: "BindFailed", event: "failed"},
		{name: "no image service", state: "BindStarted"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				events := make(chan fakecyborg.Event, 1)
				options := []fakecyborg.Option{fakecyborg.WithEvents(events), fakecyborg.WithProgrammer("rack1", test.programmer)}
				if test.images != nil {
					options = append(options, fakecyborg.WithImages(test.images...))
				}
				c := releaseClient(t, fakecyborg.Newest(), options...)
				made, bound := c.bindNew(t, "programmed")
				assert.Equal(t, http.StatusAccepted, bound.status, bound.body)
				if test.programmer.takes > 0 {
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
				if test.event == "completed" {
					assert.Contains(t, body, `"bitstream_id": "`+wantedImage+`"`)
					assert.Contains(t, body, "CUSTOM_FPGA_FUNCTION_ID_INTEL_AA55")
				} else {
					assert.NotContains(t, body, wantedImage)
				}
			})
		})
	}
}

// Nova is told once, when all requests of a PATCH are done, also those that
// needed no programming.
func TestProgrammingIsToldOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		events := make(chan fakecyborg.Event, 2)
		c := releaseClient(t, fakecyborg.Newest(), fakecyborg.WithEvents(events), fakecyborg.WithImages(driver.Image{ID: wantedImage}),
			fakecyborg.WithProgrammer("rack1", slowProgrammer{takes: time.Second}))
		plain, programmed := c.makeARQs(t, "one-fpga")[0], c.makeARQs(t, "programmed")[0]
		bound := c.bind(t, binding{plain.UUID, "rack1", fakeProvider, instanceA}, binding{programmed.UUID, "rack1", fakeProvider, instanceA})
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
		c := releaseClient(t, fakecyborg.Newest(), fakecyborg.WithEvents(events), fakecyborg.WithImages(driver.Image{ID: wantedImage}),
			fakecyborg.WithProgrammer("rack1", slowProgrammer{takes: time.Second}))
		made, _ := c.bindNew(t, "programmed")
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
		c := releaseClient(t, fakecyborg.Newest(), fakecyborg.WithImages(driver.Image{ID: wantedImage}))
		first, _ := c.bindNew(t, "programmed")
		time.Sleep(time.Second)
		require.Equal(t, "Bound", c.showARQ(t, first.UUID).State)
		second := c.makeARQs(t, "programmed")[0]
		c.bind(t, binding{second.UUID, "rack1", fakeProvider, instanceB})
		assert.Equal(t, "Bound", c.showARQ(t, second.UUID).State)
	})
}

// The first release waits for the programming.
func TestTrainProgramsBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	train, err := fakecyborg.FindRelease("train")
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		c := releaseClient(t, train, fakecyborg.WithImages(driver.Image{ID: wantedImage}), fakecyborg.WithProgrammer("rack1", slowProgrammer{takes: time.Second}))
		began := time.Now()
		made, bound := c.bindNew(t, "programmed")
		assert.Equal(t, http.StatusAccepted, bound.status, bound.body)
		assert.Equal(t, time.Second, time.Since(began))
		assert.Equal(t, "Bound", c.call(t, "GET", "/v2/accelerator_requests/"+made.UUID, "").arq(t).State)
	})
}

// The API programs too, and leaves the deployable's bitstream_id as it was.
func TestProgramThroughTheAPI(t *testing.T) {
	t.Parallel()
	c := releaseClient(t, fakecyborg.Newest(), fakecyborg.WithImages(driver.Image{ID: wantedImage, FunctionID: "f00d"}),
		fakecyborg.WithProgrammer("rack1", slowProgrammer{}))
	_, after, _ := strings.Cut(c.call(t, "GET", "/v2/deployables", "").body, `"uuid": "`)
	path := "/v2/deployables/" + after[:36] + "/program"
	body := func(image string) string {
		return `[{"path": "/bitstream_id", "op": "replace", "value": [{"image_uuid": "` + image + `"}]}]`
	}
	done := c.call(t, "PATCH", path, body(wantedImage))
	assert.Equal(t, http.StatusOK, done.status, done.body)
	assert.Contains(t, done.body, `"bitstream_id": null`)
	assert.Contains(t, done.body, "CUSTOM_FPGA_FUNCTION_ID_INTEL_F00D")
	unknown := c.call(t, "PATCH", path, body(instanceA))
	assert.Equal(t, http.StatusNotFound, unknown.status)
	assert.Equal(t, "Image not found with uuid="+instanceA, unknown.firstLine(t))
}
