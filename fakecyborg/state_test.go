package fakecyborg_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	"github.com/novacyborg/novacyborg/fakecyborg/fault"
)

// stateReadings are all that shows the state.
var stateReadings = []string{
	"/v2/device_profiles", "/v2/accelerator_requests", "/v2/accelerator_requests?instance=" + instanceA, "/v2/accelerator_requests?instance=" + instanceB,
	"/v2/devices", "/v2/deployables", "/v2/attributes", "/_fake/devices", "/_fake/seed",
}

func (c client) readState(t testing.TB) map[string]string {
	t.Helper()
	read := make(map[string]string)
	for _, path := range stateReadings {
		read[path] = c.call(t, http.MethodGet, path, "").body
	}
	return read
}

// Two more instances.
var stateInstances = [2]string{"cccccccc-0000-4000-8000-000000000003", "dddddddd-0000-4000-8000-000000000004"}

// useState leaves something of every kind behind: requests in every state, holes
// in tables, what only the API makes.
func (c client) useState(t testing.TB) {
	t.Helper()
	fpgas := c.makeARQs(t, "three-fpga")
	groups := c.makeARQs(t, "two-groups")
	provider := driver.ProviderUUID(fpgaName)
	require.Equal(t, 202, c.bind(t, binding{fpgas[1].UUID, "rack1", provider, instanceA}, binding{fpgas[0].UUID, "rack1", provider, instanceA}).status)
	require.Equal(t, 202, c.call(t, http.MethodPatch, "/v2/accelerator_requests", unbindBody(fpgas[1].UUID)).status)
	require.Equal(t, 404, c.bind(t, binding{fpgas[2].UUID, "rack1", instanceA, instanceB}).status, "leaves BindStarted")
	require.Equal(t, 202, c.bind(t, binding{groups[1].UUID, "rack2", driver.ProviderUUID(gpuName), stateInstances[0]}).status)
	require.NotEqual(t, 202, c.bind(t, binding{groups[0].UUID, "rack2", driver.ProviderUUID(gpuName), stateInstances[1]}).status, "leaves BindFailed")
	require.Equal(t, 201, c.call(t, http.MethodPost, "/v2/attributes", `{"deployable_id": 3, "key": "k", "value": "v"}`).status)
	require.Equal(t, 201, c.call(t, http.MethodPost, "/v2/device_profiles", `[{"name": "of-the-api", "groups": [{"resources:FPGA": "1", "trait:CUSTOM_Ä": "required"}], "description": ""}]`).status)
	gone := c.makeARQs(t, "one-fpga")[0].UUID
	require.Equal(t, 204, c.call(t, http.MethodDelete, "/v2/accelerator_requests?arqs="+gone, "").status)
	var devices struct{ Devices []struct{ UUID string } }
	decodeInto(t, c.call(t, http.MethodGet, "/v2/devices", "").body, &devices)
	require.Equal(t, 204, c.call(t, http.MethodPost, "/v2/devices/"+devices.Devices[2].UUID+"/disable", "").status)
}

func TestStateFileSurvivesAKill(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.json")
	seed := twoHosts()
	seed.Faults = []fault.Rule{{Name: "seeded", Operation: "arq:create", Nth: 99, Fault: fault.Status{Code: 503}}}
	first, err := fakecyborg.New(fakecyborg.WithSeed(seed), fakecyborg.WithStateFile(path))
	require.NoError(t, err)
	c := clientOf(first)
	first.SetClockOffset(time.Hour) // before the rest, since it writes all of the state
	c.useState(t)
	want := c.readState(t)

	// The first is not closed: nothing is written when it dies.
	second, err := fakecyborg.New(fakecyborg.WithStateFile(path))
	require.NoError(t, err)
	require.NoError(t, second.Report(t.Context()))
	d := clientOf(second)
	assert.Empty(t, cmp.Diff(want, d.readState(t)))
	assert.Contains(t, d.call(t, http.MethodGet, "/_fake/clock", "").body, `"1h0m0s"`)
	assert.Len(t, second.Faults().Counts(), 1, "the seed's rule")

	held := d.call(t, http.MethodGet, "/v2/accelerator_requests?instance="+instanceA, "").arqs(t)
	require.NotEmpty(t, held)
	require.Equal(t, 204, d.call(t, http.MethodDelete, "/v2/accelerator_requests?instance="+instanceA, "").status)
	again := d.makeARQs(t, "one-fpga")[0].UUID
	require.Equal(t, 202, d.bind(t, binding{again, "rack1", driver.ProviderUUID(fpgaName), instanceA}).status)
	assert.NotEmpty(t, d.showARQ(t, again).HandleInfo)
	assert.NotEmpty(t, held[0].HandleInfo)

	require.NoError(t, second.Reset(t.Context()))
	third, err := fakecyborg.New(fakecyborg.WithStateFile(path))
	require.NoError(t, err)
	assert.Empty(t, cmp.Diff(d.readState(t), clientOf(third).readState(t)), "a reset is kept too")
	assert.Contains(t, clientOf(third).readState(t)["/_fake/seed"], "three-fpga")
}

// A profile whose group has null makes rows that can be stored but not read.
func TestStateFileKeepsPoison(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.json")
	c := newClient(t, fakecyborg.WithStateFile(path))
	require.Equal(t, 201, c.call(t, http.MethodPost, "/v2/device_profiles", `[{"name": "null", "groups": [{"resources:FPGA": "1", "accel:function_id": null}]}]`).status)
	require.Equal(t, 500, c.call(t, http.MethodPost, "/v2/accelerator_requests", `{"device_profile_name": "null"}`).status)
	list := c.call(t, http.MethodGet, "/v2/accelerator_requests", "")
	require.Equal(t, 500, list.status)
	again := newClient(t, fakecyborg.WithStateFile(path))
	sameBytes(t, list.faultString(t), again.call(t, http.MethodGet, "/v2/accelerator_requests", "").faultString(t))
	sameBytes(t, c.call(t, http.MethodGet, "/v2/device_profiles", "").body, again.call(t, http.MethodGet, "/v2/device_profiles", "").body)
}

func TestStateFileKeepsWhatWasLoaded(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.json")
	events := make(chan fakecyborg.Event, 1)
	image := fakecyborg.WithImages(driver.Image{ID: "00000000-0000-0000-0000-000000000009", FunctionID: "aa55"})
	c := newClient(t, fakecyborg.WithStateFile(path), image, fakecyborg.WithEvents(events))
	arq := c.makeARQs(t, "programmed")[0].UUID
	require.Equal(t, 202, c.bind(t, binding{arq, "rack1", driver.ProviderUUID(fpgaName), instanceA}).status)
	assert.Equal(t, arq, (<-events).Tag)
	again := newClient(t, fakecyborg.WithStateFile(path))
	assert.Equal(t, "Bound", again.showARQ(t, arq).State, "a job that ends after the answer is kept")
	sameBytes(t, c.call(t, http.MethodGet, "/v2/deployables", "").body, again.call(t, http.MethodGet, "/v2/deployables", "").body)
}

// lookingNova looks into the state file when it is told of a bind.
type lookingNova struct {
	path string
	seen *[]byte
}

func (n lookingNova) RoundTrip(*http.Request) (*http.Response, error) {
	data, err := os.ReadFile(n.path)
	*n.seen = data
	return nil, errors.Join(err, errors.New("no Nova"))
}

// Who dies between the event and the answer has kept what the event told.
func TestStateFileIsWrittenBeforeNovaIsTold(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.json")
	var seen []byte
	c := newClient(t, fakecyborg.WithStateFile(path), fakecyborg.WithNova("http://nova.invalid"), fakecyborg.WithNovaTransport(lookingNova{path, &seen}))
	arq := c.makeARQs(t, "one-fpga")[0].UUID
	c.bind(t, binding{arq, "rack1", driver.ProviderUUID(fpgaName), instanceA})
	assert.Contains(t, string(seen), `"state": "Bound"`)
}

// Every answer to many clients at once is in the file when it arrives.
func TestStateFileKeepsUpWithManyClients(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.json")
	c := newClient(t, fakecyborg.WithStateFile(path))
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			for range 5 {
				arq := c.makeARQs(t, "one-fpga")[0].UUID
				data, err := os.ReadFile(path)
				assert.True(t, err == nil && strings.Contains(string(data), arq), "%v: %s is not in the file", err, arq)
			}
		})
	}
	clients.Wait()
}

// The form of the file is as it was: older files can be read. When it has to
// change, so must its version.
func TestStateFileForm(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.json")
	fixed := func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	c := newClient(t, fakecyborg.WithStateFile(path), fakecyborg.WithClock(fixed), fakecyborg.WithUUIDs(rand.NewChaCha8([32]byte{})))
	c.useState(t)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	golden, err := os.ReadFile("testdata/state-1.json")
	require.NoError(t, err)
	assert.Empty(t, cmp.Diff(string(golden), string(data)))
}

func TestStateFileRefused(t *testing.T) {
	t.Parallel()
	golden, err := os.ReadFile("testdata/state-1.json")
	require.NoError(t, err)
	for _, test := range []struct {
		name, old, new, want string
	}{
		{name: "cut", old: string(golden[len(golden)/2:]), want: "unexpected end of JSON input"},
		{name: "other version", old: `"version": 1`, new: `"version": 2`, want: "it has version 2 of the form, this fake reads 1: take another file"},
		{name: "unknown key", old: `"version": 1`, new: `"version": 1, "colour": 1`, want: `unknown field "colour"`},
		{name: "bad seed", old: `"seed": "hosts:`, new: `"seed": "houses:`, want: `: seed:2: houses: unknown key`},
		{name: "no profile", old: `"device_profile_group": 0`, new: `"device_profile_group": 7`, want: "is of group 7 of device profile"},
		{name: "no device", old: `"device_id": 1`, new: `"device_id": 77`, want: "belongs to device 77, which is not there"},
		{name: "no deployable", old: `"deployable_id": 1`, new: `"deployable_id": 77`, want: "belongs to deployable 77, which is not there"},
		{name: "id beyond the last", old: `"device_profiles": 5`, new: `"device_profiles": 1`, want: "has the id 2, want 1 to 1"},
		{name: "id twice", old: `"id": 2,`, new: `"id": 1,`, want: "1 is there twice"},
		{name: "no handle", old: `"attach_handle": "`, new: `"attach_handle": "x`, want: "which is not there"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "state.json")
			wrong := strings.Replace(string(golden), test.old, test.new, 1)
			require.NotEqual(t, string(golden), wrong)
			require.NoError(t, os.WriteFile(path, []byte(wrong), 0o600))
			_, err := fakecyborg.New(fakecyborg.WithStateFile(path))
			require.ErrorContains(t, err, "read state "+path+": ")
			require.ErrorContains(t, err, test.want)
			left, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, wrong, string(left), "it is left alone")
		})
	}
	_, err = fakecyborg.New(fakecyborg.WithStateFile(""))
	require.ErrorContains(t, err, "no path")
	_, err = fakecyborg.New(fakecyborg.WithStateFile(filepath.Join(t.TempDir(), "no", "state.json")))
	require.ErrorContains(t, err, "keep state: ")
	_, err = fakecyborg.New(fakecyborg.WithStateFile(t.TempDir()))
	require.ErrorContains(t, err, "read state: ")
}

// FuzzStateFile starts with anything: it is refused, or serves.
func FuzzStateFile(f *testing.F) {
	golden, err := os.ReadFile("testdata/state-1.json")
	require.NoError(f, err)
	f.Add(golden)
	f.Add([]byte(`{"version": 1, "attributes": [{}, {}], "devices": [{"id": -1}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "state.json")
		require.NoError(t, os.WriteFile(path, data, 0o600))
		server, err := fakecyborg.New(fakecyborg.WithStateFile(path))
		if err != nil {
			left, err := os.ReadFile(path)
			require.NoError(t, err)
			require.True(t, bytes.Equal(data, left))
			return
		}
		clientOf(server).readState(t)
		_, err = fakecyborg.New(fakecyborg.WithStateFile(path))
		require.NoError(t, err, "what it writes it can read")
	})
}

// What cannot be kept is not answered as done, Nova is not told, and health says why;
// it goes on once the file can be written.
func TestStateFileThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "there")
	require.NoError(t, os.Mkdir(dir, 0o700))
	events := make(chan fakecyborg.Event, 1)
	c := newClient(t, fakecyborg.WithStateFile(filepath.Join(dir, "state")), fakecyborg.WithEvents(events))
	arq := c.makeARQs(t, "one-fpga")[0].UUID
	require.NoError(t, os.RemoveAll(dir))
	bound := c.bind(t, binding{arq, "rack1", driver.ProviderUUID(fpgaName), instanceA})
	assert.Equal(t, 500, bound.status)
	assert.Contains(t, bound.faultString(t), "the state is not kept: ")
	assert.Empty(t, events)
	assert.Equal(t, 500, c.call(t, http.MethodGet, "/v2/accelerator_requests", "").status, "nobody is told of what may be lost")
	assert.Equal(t, 500, c.call(t, http.MethodPut, "/_fake/clock", `{"offset": "1h"}`).status)
	health := c.call(t, http.MethodGet, "/_fake/health", "")
	assert.Equal(t, 503, health.status)
	assert.Contains(t, health.body, `"not kept"`)
	require.NoError(t, os.Mkdir(dir, 0o700))
	assert.Equal(t, 200, c.call(t, http.MethodGet, "/_fake/health", "").status)
	assert.Equal(t, "Bound", c.showARQ(t, arq).State)
	data, err := os.ReadFile(filepath.Join(dir, "state"))
	require.NoError(t, err)
	assert.Contains(t, string(data), `"Bound"`)
}

// Times that no file can hold do not come into being.
func TestStateFileTimes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state")
	server, err := fakecyborg.New(fakecyborg.WithSeed(twoHosts()), fakecyborg.WithStateFile(path),
		fakecyborg.WithClock(func() time.Time { return time.Date(12345, 1, 1, 0, 0, 0, 0, time.UTC) }))
	require.NoError(t, err)
	c := clientOf(server)
	for created, status := range map[string]int{
		"0000-12-31T23:59:59": 500, "0001-01-01T00:00:00+01:00": 500, "9999-12-31T23:59:59-01:00": 500,
		"0001-01-01T00:00:01": 201, "9999-12-31T23:59:59": 201,
	} {
		made := c.call(t, http.MethodPost, "/v2/device_profiles", fmt.Sprintf(`[{"name": "p%d", "groups": [{"resources:FPGA": "1"}], "created_at": %q}]`, len(created)*1000+int(created[3]), created))
		assert.Equal(t, status, made.status, "%s: %s", created, made.body)
	}
	assert.Equal(t, 400, c.call(t, http.MethodPut, "/_fake/clock", `{"fixed": "0001-01-01T00:00:00Z"}`).status)
	assert.Equal(t, 400, c.call(t, http.MethodPut, "/_fake/clock", `{"fixed": "9999-12-31T23:00:00-02:00"}`).status)
	for _, fixed := range []time.Time{time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), {}} {
		server.SetClock(fixed)
		c.makeARQs(t, "one-fpga")
	}
	_, err = fakecyborg.New(fakecyborg.WithStateFile(path))
	require.NoError(t, err)
}
