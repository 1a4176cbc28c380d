package fakecyborg_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

func TestBindAndUnbind(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	made := c.makeARQs(t, "one-fpga")
	require.Len(t, made, 1)
	assert.Equal(t, "Initial", made[0].State)
	assert.Equal(t, fakecyborg.NoAuthProject, *made[0].Project)
	assert.Empty(t, made[0].HandleType)
	assert.Empty(t, made[0].HandleInfo)

	bound := c.bind(t, binding{made[0].UUID, "rack1", driver.ProviderUUID(fpgaName), instanceA})
	assert.Equal(t, http.StatusAccepted, bound.status)
	assert.Empty(t, bound.body)
	assert.Empty(t, bound.header.Get("Content-Type"))
	assert.Equal(t, "0", bound.header.Get("Content-Length"))

	arq := c.showARQ(t, made[0].UUID)
	assert.Equal(t, "Bound", arq.State)
	assert.Equal(t, "PCI", arq.HandleType)
	assert.Equal(t, map[string]string{"domain": "0000", "bus": "3b", "device": "00", "function": "1"}, arq.HandleInfo)
	assert.NotNil(t, arq.HandleUUID)
	assert.NotNil(t, arq.UpdatedAt)

	require.Equal(t, http.StatusAccepted, c.call(t, "PATCH", "/v2/accelerator_requests", unbindBody(arq.UUID)).status)
	arq = c.showARQ(t, arq.UUID)
	assert.Equal(t, "Unbound", arq.State)
	assert.Nil(t, arq.Hostname)
	assert.Nil(t, arq.Instance)
	assert.Nil(t, arq.HandleUUID)
	assert.NotNil(t, arq.Project, "the project stays")
	assert.Empty(t, c.call(t, "GET", "/v2/accelerator_requests?instance="+instanceA, "").arqs(t))
}

func TestCreateCountsAccelerators(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		groups []fakecyborg.Group
		want   []int // group of each request
	}{
		{name: "one for each unit of each group", groups: []fakecyborg.Group{{{Key: "resources:FPGA", Value: "2"}}, {{Key: "resources:PGPU", Value: "1"}}}, want: []int{0, 0, 1}},
		{name: "two classes in a group", groups: []fakecyborg.Group{{{Key: "resources:FPGA", Value: "1"}, {Key: "resources:CUSTOM_X", Value: "1"}}}, want: []int{0, 0}},
		{name: "zero", groups: []fakecyborg.Group{{{Key: "resources:FPGA", Value: "0"}}}, want: []int{}},
		{name: "below zero", groups: []fakecyborg.Group{{{Key: "resources:FPGA", Value: "-3"}}}, want: []int{}},
		{name: "no resources", groups: []fakecyborg.Group{{{Key: "trait:CUSTOM_A", Value: "required"}}}, want: []int{}},
		{name: "python number", groups: []fakecyborg.Group{{{Key: "resources:FPGA", Value: " 0_2 "}}}, want: []int{0, 0}},
		{name: "xilinx counts twice", groups: []fakecyborg.Group{{{Key: "resources:FPGA", Value: "1"}, {Key: "trait:CUSTOM_FPGA_XILINX", Value: "required"}}}, want: []int{0, 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newClientOf(t, fakecyborg.WithSeed(fakecyborg.Seed{DeviceProfiles: []fakecyborg.DeviceProfile{{Name: "p", Groups: test.groups}}}))
			groups := []int{}
			for _, arq := range c.makeARQs(t, "p") {
				groups = append(groups, arq.GroupID)
			}
			assert.Equal(t, test.want, groups)
		})
	}
}

func TestCreateRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, profile, body string
		status              int
		text                string
	}{
		{name: "unknown profile", body: `{"device_profile_name": "nope"}`, status: 404, text: "Device Profile not found with name=nope"},
		{name: "number", body: `{"device_profile_name": 7}`, status: 404, text: "Device Profile not found with name=7"},
		{name: "null", body: `{"device_profile_name": null}`, status: 500, text: "DeviceProfile name needed."},
		{name: "text", body: `"x"`, status: 500, text: "'str' object has no attribute 'get'"},
		{name: "fraction in the profile", profile: `{"resources:FPGA": 1.5}`, body: `{"device_profile_name": "p"}`, status: 500, text: "invalid literal for int() with base 10: '1.5'"},
		{name: "xilinx without FPGA", profile: `{"resources:CUSTOM_Y": 1, "trait:CUSTOM_FPGA_XILINX": "required"}`, body: `{"device_profile_name": "p"}`, status: 500, text: "int() argument must be a string, a bytes-like object or a real number, not 'NoneType'"},
		{name: "far too many", profile: `{"resources:FPGA": "99999999999999999999"}`, body: `{"device_profile_name": "p"}`, status: 500, text: "the fake makes no more than 100000 ARQs in one request"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t)
			if test.profile != "" {
				created := c.call(t, "POST", "/v2/device_profiles", `[{"name": "p", "groups": [`+test.profile+`]}]`)
				require.Equal(t, http.StatusCreated, created.status, created.body)
			}
			refused := c.call(t, "POST", "/v2/accelerator_requests", test.body)
			assert.Equal(t, test.status, refused.status)
			assert.Equal(t, test.text, refused.faultString(t))
			assert.Empty(t, c.call(t, "GET", "/v2/accelerator_requests", "").arqs(t))
		})
	}
}

// A bind that fails half-way leaves earlier requests Bound, the failed one in
// the state it had reached, and later ones untouched.
func TestBindStopsAtTheFirstFailure(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		provider string
		status   int
		text     string
		state    string
	}{
		{name: "unknown provider", provider: "00000000-0000-0000-0000-000000000003", status: 404, text: "Deployable not found with resource provider uuid=00000000-0000-0000-0000-000000000003", state: "BindStarted"},
		{name: "no handle left", provider: driver.ProviderUUID(gpuName), status: 404, text: "AttachHandle not found Matching deployable_id 3", state: "BindFailed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			events := make(chan fakecyborg.Event, 8)
			c := newClient(t, fakecyborg.WithEvents(events))
			other := c.makeARQs(t, "one-fpga")[0]
			require.Equal(t, http.StatusAccepted, c.bind(t, binding{other.UUID, "rack2", driver.ProviderUUID(gpuName), instanceB}).status)
			<-events

			arqs := c.makeARQs(t, "three-fpga")
			refused := c.bind(t,
				binding{arqs[0].UUID, "rack1", driver.ProviderUUID(fpgaName), instanceA},
				binding{arqs[1].UUID, "rack1", test.provider, instanceA},
				binding{arqs[2].UUID, "rack1", driver.ProviderUUID(fpgaName), instanceA})
			assert.Equal(t, test.status, refused.status)
			assert.Equal(t, test.text, refused.firstLine(t))
			assert.Contains(t, refused.faultString(t), "Traceback (most recent call last):", "the conductor raised it")

			states := []string{}
			for _, arq := range arqs {
				states = append(states, c.showARQ(t, arq.UUID).State)
			}
			assert.Equal(t, []string{"Bound", test.state, "Initial"}, states)
			assert.Empty(t, events, "nova hears nothing")

			again := c.bind(t, binding{arqs[1].UUID, "rack1", driver.ProviderUUID(fpgaName), uuid.NewString()})
			assert.Equal(t, 500, again.status, "only Initial and Unbound can be bound")
			assert.Contains(t, again.firstLine(t), "Bad state: "+test.state)
			require.Equal(t, http.StatusAccepted, c.call(t, "PATCH", "/v2/accelerator_requests", unbindBody(arqs[1].UUID)).status)
			assert.Equal(t, "Unbound", c.showARQ(t, arqs[1].UUID).State)
		})
	}
}

func TestBindRefuses(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	arqs := c.makeARQs(t, "three-fpga")
	fpga := driver.ProviderUUID(fpgaName)
	require.Equal(t, http.StatusAccepted, c.bind(t, binding{arqs[0].UUID, "rack1", fpga, instanceA}).status)
	add := func(path, value string) string {
		return fmt.Sprintf(`{"path": %q, "op": "add", "value": %s}`, path, value)
	}
	all := strings.Join([]string{add("/hostname", `"h"`), add("/device_rp_uuid", `"x"`), add("/instance_uuid", `"y"`)}, ", ")
	for _, test := range []struct {
		name, body string
		status     int
		text       string
	}{
		{name: "instance has some", body: bindBody(binding{arqs[1].UUID, "rack1", fpga, instanceA}), status: 400, text: "Couldn't apply patch. Reason: Instance " + instanceA + " already has accelerator requests. Cannot bind additional ARQs."},
		{name: "bound already", body: bindBody(binding{arqs[0].UUID, "rack1", fpga, instanceB}), status: 500, text: "Bad state: Bound for ARQ: " + arqs[0].UUID + ". Expected state(s): ['Initial', 'Unbound']"},
		{name: "unknown", body: bindBody(binding{instanceB, "rack1", fpga, instanceB}), status: 404, text: "ExtArq not found with uuid=" + instanceB},
		{name: "absent fields", body: `{"u": [` + add("hostname", `"h"`) + `]}`, status: 400, text: "Couldn't apply patch. Reason: Fields absent in patch device_rp_uuid,instance_uuid"},
		{name: "null is absent", body: `{"u": [` + all + `, ` + add("/hostname", "null") + `]}`, status: 400, text: "Couldn't apply patch. Reason: Fields absent in patch hostname"},
		{name: "path of many slashes", body: `{"u": [` + add("//state", `"h"`) + `]}`, status: 400, text: "Couldn't apply patch. Reason: Invalid path in patch //state"},
		{name: "no path", body: `{"u": [{"op": "add"}]}`, status: 500, text: "'path'"},
		{name: "no value", body: `{"u": [{"op": "add", "path": "/hostname"}]}`, status: 500, text: "'value'"},
		{name: "path is a number", body: `{"u": [{"op": "add", "path": 1}]}`, status: 500, text: "'int' object has no attribute 'lstrip'"},
		{name: "op missing after a replace", body: `{"u": [{"op": "replace"}, {}]}`, status: 400, text: "Couldn't apply patch. Reason: Every op must be add or remove"},
		{name: "operations null", body: `{"u": null}`, status: 500, text: "'NoneType' object is not iterable"},
		{name: "operations an object", body: `{"u": {"op": "add"}}`, status: 500, text: "string indices must be integers, not 'str'"},
		{name: "operation a list", body: `{"u": [[]]}`, status: 500, text: "list indices must be integers or slices, not str"},
		{name: "operation null", body: `{"u": [null]}`, status: 500, text: "'NoneType' object is not subscriptable"},
		{name: "host a list of no request", body: `{"u": [` + all + `, ` + add("/hostname", "[]") + `]}`, status: 404, text: "ExtArq not found with uuid=u"},
		{name: "operations an empty object", body: `{"u": {}}`, status: 500, text: "0"},
		{name: "later request is checked before the first runs", body: `{"` + arqs[1].UUID + `": [` + all + `], "u": [{}]}`, status: 500, text: "'op'"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			refused := c.call(t, "PATCH", "/v2/accelerator_requests", test.body)
			assert.Equal(t, test.status, refused.status)
			assert.Equal(t, test.text, refused.firstLine(t))
			assert.Equal(t, "Initial", c.showARQ(t, arqs[1].UUID).State)
		})
	}
}

func TestBindTakesProjectFrom21(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	arq := c.makeARQs(t, "one-fpga")[0]
	body := strings.Replace(bindBody(binding{arq.UUID, "rack1", driver.ProviderUUID(fpgaName), instanceA}), "[{",
		`[{"path": "/project_id", "op": "add", "value": "0123456789abcdef0123456789abcdef"}, {`, 1)
	assert.Equal(t, http.StatusNotAcceptable, c.call(t, "PATCH", "/v2/accelerator_requests", body).status)
	require.Equal(t, http.StatusAccepted, c.call(t, "PATCH", "/v2/accelerator_requests", body, "OpenStack-API-Version", "accelerator 2.1").status)
	assert.Equal(t, "0123456789abcdef0123456789abcdef", *c.showARQ(t, arq.UUID).Project)
}

// A profile that wants a bitstream waits for programming: the answer comes at
// once, nothing is bound, and the instance's list of resolved requests is locked.
func TestProgrammingStaysInBindStarted(t *testing.T) {
	t.Parallel()
	events := make(chan fakecyborg.Event, 1)
	c := newClient(t, fakecyborg.WithEvents(events))
	arq := c.makeARQs(t, "programmed")[0]
	require.Equal(t, http.StatusAccepted, c.bind(t, binding{arq.UUID, "rack1", driver.ProviderUUID(fpgaName), instanceA}).status)
	assert.Equal(t, "BindStarted", c.showARQ(t, arq.UUID).State)
	assert.Empty(t, events)
	locked := c.call(t, "GET", "/v2/accelerator_requests?bind_state=resolved&instance="+instanceA, "")
	assert.Equal(t, http.StatusLocked, locked.status)
	sameBytes(t, `{"error_message": "null"}`, locked.body)
	assert.Empty(t, c.call(t, "GET", "/v2/accelerator_requests?bind_state=resolved", "").arqs(t))
}

func TestBitstreamAndFunctionFail(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	created := c.call(t, "POST", "/v2/device_profiles", `[{"name": "both", "groups": [{"resources:FPGA": 1, "accel:bitstream_id": "b", "accel:function_id": "f"}]}]`)
	require.Equal(t, http.StatusCreated, created.status)
	arq := c.makeARQs(t, "both")[0]
	refused := c.bind(t, binding{arq.UUID, "rack1", driver.ProviderUUID(fpgaName), instanceA})
	assert.Equal(t, 400, refused.status)
	assert.Equal(t, "BindFailed", c.showARQ(t, arq.UUID).State)
}

func TestDeleteByList(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	arqs := c.makeARQs(t, "three-fpga")
	require.Equal(t, http.StatusAccepted, c.bind(t, binding{arqs[0].UUID, "rack1", driver.ProviderUUID(fpgaName), instanceA}).status)

	refused := c.call(t, "DELETE", "/v2/accelerator_requests?arqs="+arqs[0].UUID+","+instanceB, "")
	assert.Equal(t, 404, refused.status)
	assert.Equal(t, "ExtArq not found with uuid="+instanceB, refused.faultString(t))
	assert.Equal(t, "Bound", c.showARQ(t, arqs[0].UUID).State, "nothing is deleted")

	twice := c.call(t, "DELETE", "/v2/accelerator_requests?arqs="+arqs[0].UUID+","+arqs[0].UUID, "")
	assert.Equal(t, 404, twice.status)
	assert.Equal(t, "ARQ not found with uuids ['"+arqs[0].UUID+"']", twice.faultString(t))
	assert.Equal(t, 404, c.call(t, "GET", "/v2/accelerator_requests/"+arqs[0].UUID, "").status, "it is deleted all the same")

	assert.Equal(t, 204, c.call(t, "DELETE", "/v2/accelerator_requests/"+arqs[1].UUID+","+arqs[2].UUID, "").status)
	assert.Empty(t, c.call(t, "GET", "/v2/accelerator_requests", "").arqs(t))
}

func TestDeleteByInstance(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	arqs := c.makeARQs(t, "three-fpga")
	fpga := driver.ProviderUUID(fpgaName)
	require.Equal(t, http.StatusAccepted, c.bind(t, binding{arqs[0].UUID, "rack1", fpga, instanceA}, binding{arqs[1].UUID, "rack1", fpga, instanceA}).status)
	for range 2 {
		assert.Equal(t, 204, c.call(t, "DELETE", "/v2/accelerator_requests?instance="+instanceA, "").status)
	}
	left := c.call(t, "GET", "/v2/accelerator_requests", "").arqs(t)
	require.Len(t, left, 1)
	assert.Equal(t, arqs[2].UUID, left[0].UUID)
	require.Equal(t, http.StatusAccepted, c.bind(t, binding{arqs[2].UUID, "rack1", fpga, instanceB}).status, "the handles are free again")
	assert.Equal(t, "1", c.showARQ(t, arqs[2].UUID).HandleInfo["function"])
}

// Null in an accel: key makes a request that can be stored but not read: it
// breaks lists, binds and deletions by instance, and its profile stays.
func TestNullInProfilePoisons(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	arq := c.makeARQs(t, "one-fpga")[0]
	created := c.call(t, "POST", "/v2/device_profiles", `[{"name": "poison", "groups": [{"resources:FPGA": 1, "accel:x": null}]}]`)
	require.Equal(t, http.StatusCreated, created.status)
	assert.Contains(t, created.body, `"accel:x": null`)
	const text = "Field 'device_profile_group[accel:x]' cannot be None"
	for _, call := range [][3]string{
		{"POST", "/v2/accelerator_requests", `{"device_profile_name": "poison"}`},
		{"GET", "/v2/accelerator_requests", ""},
		{"GET", "/v2/accelerator_requests?instance=" + instanceA, ""},
		{"DELETE", "/v2/accelerator_requests?instance=" + instanceA, ""},
		{"PATCH", "/v2/accelerator_requests", bindBody(binding{arq.UUID, "rack1", driver.ProviderUUID(fpgaName), instanceA})},
	} {
		refused := c.call(t, call[0], call[1], call[2])
		assert.Equal(t, 500, refused.status, call)
		assert.Contains(t, refused.firstLine(t), text)
	}
	assert.Equal(t, 500, c.call(t, "DELETE", "/v2/device_profiles/poison", "").status)
	assert.Equal(t, "Initial", c.showARQ(t, arq.UUID).State)
}

// Against a model: handles are given out lowest first and come back by unbind
// and delete, in whatever order that happens.
func TestHandlesLowestFirst(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		c := newClient(t)
		free := map[int]bool{}
		for i := range 16 {
			free[i] = true
		}
		held := map[string]int{}
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			if len(held) > 0 && rapid.Bool().Draw(rt, "release") {
				arq := rapid.SampledFrom(sortedKeys(held)).Draw(rt, "arq")
				if rapid.Bool().Draw(rt, "delete") {
					require.Equal(rt, 204, c.call(t, "DELETE", "/v2/accelerator_requests/"+arq, "").status)
				} else {
					require.Equal(rt, 202, c.call(t, "PATCH", "/v2/accelerator_requests", unbindBody(arq)).status)
				}
				free[held[arq]] = true
				delete(held, arq)
				continue
			}
			arq := c.makeARQs(t, "one-fpga")[0].UUID
			bound := c.bind(t, binding{arq, "rack1", driver.ProviderUUID(fakeName), uuid.NewString()})
			lowest := lowestFree(free)
			if lowest < 0 {
				require.Equal(rt, 404, bound.status)
				continue
			}
			require.Equal(rt, 202, bound.status)
			info := c.showARQ(t, arq).HandleInfo
			require.Equal(rt, fmt.Sprintf("%d.%d", (lowest+1)/8, (lowest+1)%8), info["device"]+"."+info["function"])
			free[lowest], held[arq] = false, lowest
		}
	})
}

func lowestFree(free map[int]bool) int {
	for i := range 16 {
		if free[i] {
			return i
		}
	}
	return -1
}
