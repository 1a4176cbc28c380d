package fakecyborg_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// fakeProvider is the resource provider of the device of Cyborg's fake driver.
var fakeProvider = driver.ProviderUUID(fakeName)

// bindNew makes a request of a profile and binds it to instance A.
func (c client) bindNew(t *testing.T, profile string, header ...string) (arqJSON, answer) {
	t.Helper()
	made := c.makeARQs(t, profile)[0]
	return made, c.call(t, http.MethodPatch, "/v2/accelerator_requests", bindBody(binding{made.UUID, "rack1", fakeProvider, instanceA}), header...)
}

// hasTraceback tells whether an error came over RPC.
func hasTraceback(a answer) string {
	return strconv.FormatBool(strings.Contains(a.body, "Traceback"))
}

var requestObservations = []observation{
	{
		fields: []string{"ARQProject", "AttachHandleUUID"},
		observe: observing(func(t *testing.T, c client) string {
			t.Helper()
			made, bound := c.bindNew(t, "one-fpga")
			require.Equal(t, http.StatusAccepted, bound.status, bound.body)
			body := c.call(t, "GET", "/v2/accelerator_requests?instance="+instanceA, "").body
			require.Contains(t, body, made.UUID)
			return fmt.Sprint(strings.Contains(body, `"project_id"`), " ", strings.Contains(body, `"attach_handle_uuid": "`))
		}),
		first:   "false false",
		changes: []change{{from: "5.0.0", value: "true false"}, {at: []string{"10.1.0"}, value: "true true"}, {from: "11.0.0", value: "true true"}},
	},
	{
		fields: []string{"StrictUUIDs"}, observe: statusOf("GET", "/v2/accelerator_requests/abc", ""),
		first: "404", changes: []change{{from: "10.0.0", value: "400"}},
	},
	{
		fields: []string{"XilinxPairs"},
		observe: observing(func(t *testing.T, c client) string {
			t.Helper()
			c.call(t, "POST", "/v2/device_profiles", profileBody(`"resources:FPGA": "1", "trait:CUSTOM_FPGA_XILINX": "required"`))
			return strconv.Itoa(len(c.makeARQs(t, "new")))
		}),
		first: "1", changes: []change{{from: "9.0.0", value: "2"}},
	},
	{
		fields: []string{"CreateInConductor"},
		observe: observing(func(t *testing.T, c client) string {
			t.Helper()
			c.call(t, "POST", "/v2/device_profiles", profileBody(`"resources:FPGA": "1", "accel:x": null`))
			return hasTraceback(c.call(t, "POST", "/v2/accelerator_requests", `{"device_profile_name": "new"}`))
		}),
		first: "false", changes: []change{{from: "5.0.0", value: "true"}},
	},
	{
		fields: []string{"BindInConductor"},
		observe: observing(func(t *testing.T, c client) string {
			t.Helper()
			return hasTraceback(c.bind(t, binding{c.makeARQs(t, "one-fpga")[0].UUID, "rack1", instanceB, instanceA}))
		}),
		first: "false", changes: []change{{from: "6.0.0", value: "true"}},
	},
	{
		fields: []string{"DeleteInConductor"},
		observe: observing(func(t *testing.T, c client) string {
			t.Helper()
			return hasTraceback(c.call(t, "DELETE", "/v2/accelerator_requests?arqs="+instanceA, ""))
		}),
		first: "false", changes: []change{{from: "5.0.0", value: "true"}, {at: fixedVersions, value: "false"}},
	},
	{
		fields: []string{"Deletion"},
		observe: observing(func(t *testing.T, c client) string {
			t.Helper()
			made := c.makeARQs(t, "three-fpga")
			gone := c.call(t, "DELETE", "/v2/accelerator_requests?arqs="+made[0].UUID+","+instanceA+","+made[1].UUID, "")
			return fmt.Sprint(gone.status, " left ", len(c.call(t, "GET", "/v2/accelerator_requests", "").arqs(t)))
		}),
		first: "404 left 2", changes: []change{{from: "7.0.0", value: "404 left 1"}, {at: fixedVersions, value: "404 left 3"}},
	},
	{
		fields: []string{"Locked"},
		observe: observing(func(t *testing.T, c client) string {
			t.Helper()
			c.bindNew(t, "programmed")
			locked := c.call(t, "GET", "/v2/accelerator_requests?bind_state=resolved&instance="+instanceA, "")
			all := c.call(t, "GET", "/v2/accelerator_requests?bind_state=resolved", "").arqs(t)
			return fmt.Sprint(locked.status, " ", locked.body, " ", len(all))
		}),
		first: "200 null 1", changes: []change{{from: "4.0.0", value: `423 {"error_message": "null"} 0`}},
	},
	{
		fields: []string{"BindJobs"},
		observe: observing(func(t *testing.T, c client) string {
			t.Helper()
			made, _ := c.bindNew(t, "one-fpga")
			again := c.bind(t, binding{made.UUID, "rack1", fakeProvider, instanceB})
			second, third := c.bindNew(t, "one-fpga")
			require.NotEqual(t, made.UUID, second.UUID)
			return fmt.Sprint(again.status, " ", third.status)
		}),
		first: "202 202", changes: []change{{from: "4.0.0", value: "500 400"}},
	},
	{
		fields: []string{"UnbindFault"},
		observe: observing(func(t *testing.T, c client) string {
			t.Helper()
			made, _ := c.bindNew(t, "one-fpga")
			return strconv.Itoa(c.call(t, "PATCH", "/v2/accelerator_requests", unbindBody(made.UUID)).status)
		}),
		first: "202", changes: []change{{from: "4.0.0", value: "500"}, {from: "7.0.0", value: "202"}},
	},
	{
		fields: []string{"BindProject"},
		observe: func(t *testing.T, release fakecyborg.Release) string {
			t.Helper()
			c := releaseClient(t, release)
			_, without := c.bindNew(t, "one-fpga", "OpenStack-API-Version", latest(release))
			made := c.makeARQs(t, "one-fpga")[0]
			body := strings.Replace(bindBody(binding{made.UUID, "rack1", fakeProvider, instanceB}), "[{", `[{"path": "/project_id", "op": "add", "value": "`+instanceB+`"}, {`, 1)
			with := c.call(t, "PATCH", "/v2/accelerator_requests", body, "OpenStack-API-Version", latest(release))
			return fmt.Sprint("without ", without.status, " with ", with.status)
		},
		first: "without 202 with 400",
		changes: []change{
			{from: "5.0.0", value: "without 400 with 202"}, {at: fixedVersions, value: "without 202 with 202"},
		},
	},
	{
		fields: []string{"BadStateText"},
		observe: observing(func(t *testing.T, c client) string {
			t.Helper()
			return c.call(t, "GET", "/v2/accelerator_requests?bind_state=bound", "").faultString(t)
		}),
		first:   "Accelerator Requests cannot be requested with state bound.",
		changes: []change{{from: "6.0.0", value: "Bad state: bound for ARQ: None. Expected state(s): ['resolved']"}},
	},
	{
		fields: []string{"Events"},
		observe: func(t *testing.T, release fakecyborg.Release) string {
			t.Helper()
			events := make(chan fakecyborg.Event, 2)
			made, _ := releaseClient(t, release, fakecyborg.WithEvents(events)).bindNew(t, "one-fpga")
			event := <-events
			return strings.Replace(event.Name+" "+event.Tag+" "+event.Status, made.UUID, "uuid", 1)
		},
		first:   "accelerator-requests-bound one-fpga completed",
		changes: []change{{from: "4.0.0", value: "accelerator-request-bound uuid completed"}},
	},
	{
		fields: []string{"EventCodeFault"},
		observe: func(t *testing.T, release fakecyborg.Release) string {
			t.Helper()
			c := releaseClient(t, release, fakecyborg.WithNova("http://nova.invalid"), fakecyborg.WithNovaTransport(strangeInstances{}))
			_, bound := c.bindNew(t, "one-fpga")
			return strconv.Itoa(bound.status)
		},
		first: "202",
		changes: []change{
			{from: "4.0.0", value: "500"}, {at: []string{"5.0.1", "6.0.1"}, value: "400"}, {from: "7.0.0", value: "400"},
		},
	},
}
