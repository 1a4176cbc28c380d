package novastories_test

import (
	"net/http"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"

	"github.com/novacyborg/novacyborg/requestspec"
)

// What there is of a server, or of several, in the stories.
var (
	nothing  = state{}
	gone1    = state{Servers: "gone"}
	active1  = state{Servers: "ACTIVE", ARQs: "1 Bound", Devices: 1, Hosts: 1}
	active2  = state{Servers: "ACTIVE", ARQs: "2 Bound", Devices: 2, Hosts: 1}
	stopped1 = state{Servers: "SHUTOFF", ARQs: "1 Bound", Devices: 1, Hosts: 1}
	paused1  = state{Servers: "PAUSED", ARQs: "1 Bound", Devices: 1, Hosts: 1}
	shelved1 = state{Servers: "SHELVED", ARQs: "1 Bound", Devices: 1, Hosts: 1}
	offload1 = state{Servers: "SHELVED_OFFLOADED"}
	noHost   = state{Servers: "ERROR", Fault: "No valid host was found. "}
)

// notBound is what Nova leaves after a bind that Cyborg answered with that status: the ARQs are gone, and Placement has the
// allocations until the server is deleted.
func notBound(status string) state {
	return state{
		Servers: "ERROR", Devices: 1, Hosts: 1,
		Fault: "Failed to bind accelerator requests: Invalid response from Cyborg: <Response [" + status + "]> Binding failed for ARQ UUIDs: UUID",
	}
}

// timedOut is what Nova leaves when it waited in vain, or was told that it waits in vain, or failed itself.
var timedOut = state{
	Servers: "ERROR", Fault: "Build of instance UUID aborted: Failure getting accelerator requests.",
}

const notSupported = "Feature not supported with instances that have accelerators"

var stories = []story{
	{
		name: "a life", groups: []requestspec.ProfileGroup{fpga("1")}, most: 1,
		steps: []step{
			{name: "create", act: create(1), want: active1},
			{name: "soft reboot", act: reboot(servers.SoftReboot), want: active1},
			{name: "hard reboot", act: reboot(servers.HardReboot), want: active1},
			{name: "stop", act: each(stop), want: stopped1},
			{name: "start", act: each(start), want: active1},
			{name: "pause", act: each(pause), want: paused1},
			{name: "unpause", act: each(unpause), want: active1},
			{name: "suspend", act: each(suspend), refused: http.StatusBadRequest, reason: notSupported, want: active1},
			{name: "resize", act: resize, refused: http.StatusBadRequest, reason: notSupported, want: active1},
			{name: "delete", act: each(remove), want: gone1},
		},
	},
	{
		name: "rebuild and shelve", groups: []requestspec.ProfileGroup{fpga("1")}, most: 1,
		steps: []step{
			{name: "create", act: create(1), want: active1},
			{name: "rebuild", act: rebuild, want: active1},
			{name: "shelve", act: each(shelve), want: shelved1},
			{name: "unshelve", act: each(unshelve), want: active1},
			{name: "shelve again", act: each(shelve), want: shelved1},
			{name: "offload", act: offload, want: offload1},
			{name: "unshelve elsewhere", act: each(unshelve), want: active1},
			{name: "delete", act: each(remove), want: gone1},
		},
	},
	{
		name: "two of a group", groups: []requestspec.ProfileGroup{fpga("2")}, most: 2,
		steps: []step{
			{name: "create", act: create(1), want: active2},
			{name: "delete", act: each(remove), want: gone1},
		},
	},
	{
		name: "two groups", groups: []requestspec.ProfileGroup{fpga("1"), fpga("1")}, most: 2,
		steps: []step{
			{name: "create", act: create(1), want: active2},
			{name: "hard reboot", act: reboot(servers.HardReboot), want: active2},
			{name: "delete", act: each(remove), want: gone1},
		},
	},
	{
		name: "several at once", groups: []requestspec.ProfileGroup{fpga("1")}, most: 3, servers: 3,
		steps: []step{
			{name: "create", act: create(3), want: state{Servers: "ACTIVE ACTIVE ACTIVE", ARQs: "3 Bound", Devices: 3, Hosts: 3}},
			{name: "delete", act: each(remove), want: state{Servers: "gone gone gone"}},
		},
	},
	{
		name: "isolated from each other", groups: []requestspec.ProfileGroup{fpga("1"), fpga("1")}, specs: map[string]string{"group_policy": "isolate"},
		steps: []step{ // there is one device
			{name: "create", act: create(1), want: noHost},
			{name: "delete", act: each(remove), want: gone1},
		},
	},
	{
		name: "more than there are", groups: []requestspec.ProfileGroup{fpga("17")},
		steps: []step{
			{name: "create", act: create(1), want: noHost},
			{name: "delete", act: each(remove), want: gone1},
		},
	},
	{
		name:   "a trait that no device has",
		groups: []requestspec.ProfileGroup{requestspec.GroupOf(map[string]string{"resources:FPGA": "1", "trait:CUSTOM_NOT_THERE": "required"})},
		steps: []step{
			{name: "create", act: create(1), want: noHost},
			{name: "delete", act: each(remove), want: gone1},
		},
	},
	{
		name: "a trait that every device has and must not",
		groups: []requestspec.ProfileGroup{requestspec.GroupOf(map[string]string{
			"resources:FPGA": "1", "trait:CUSTOM_FAKE_DEVICE": "forbidden", "trait:CUSTOM_FPGA_INTEL": "forbidden",
		})},
		steps: []step{
			{name: "create", act: create(1), want: noHost},
			{name: "delete", act: each(remove), want: gone1},
		},
	},
	{
		name: "no such profile",
		steps: []step{
			{
				name: "create", act: create(1), refused: http.StatusBadRequest,
				reason: "Expected 1 device profile but got nothing", want: nothing,
			},
		},
	},
	{ // which may be left out before version 2.37 of the API; Nova then fails over a list that is none
		name: "nothing is said of networks", groups: []requestspec.ProfileGroup{fpga("1")}, most: 1,
		steps: []step{
			{name: "create", act: createWithoutNetworks, want: timedOut},
			{name: "delete", act: each(remove), want: gone1},
		},
	},
	{
		name: "the event is lost", groups: []requestspec.ProfileGroup{fpga("1")}, most: 1, events: eventsLost,
		steps: []step{
			{name: "create", act: create(1), want: active1},
			{name: "delete", act: each(remove), want: gone1},
		},
	},
	{
		name: "the event is for nobody", groups: []requestspec.ProfileGroup{fpga("1")}, most: 1, events: eventsUnknown,
		steps: []step{
			{name: "create", act: create(1), want: notBound("400")},
			{name: "delete", act: each(remove), want: gone1},
		},
	},
	{
		name: "the event breaks Nova", groups: []requestspec.ProfileGroup{fpga("1")}, most: 1, events: eventsBroken,
		steps: []step{
			{name: "create", act: create(1), want: notBound("400")},
			{name: "delete", act: each(remove), want: gone1},
		},
	},
	{
		name: "Cyborg fails to make the requests", groups: []requestspec.ProfileGroup{fpga("1")}, most: 1,
		cuts: []cut{{method: http.MethodPost, status: http.StatusServiceUnavailable}},
		steps: []step{
			{name: "create", act: create(1), want: state{
				Servers: "ERROR", Devices: 1, Hosts: 1,
				Fault: "Failed to create accelerator requests: Invalid response from Cyborg: <Response [503]>",
			}},
			{name: "delete", act: each(remove), want: gone1},
		},
	},
	{
		name: "the answer to the bind is lost", groups: []requestspec.ProfileGroup{fpga("1")}, most: 1,
		cuts: []cut{{method: http.MethodPatch, status: http.StatusGatewayTimeout, late: true}},
		steps: []step{
			{name: "create", act: create(1), want: notBound("504")},
			{name: "delete", act: each(remove), want: gone1},
		},
	},
	{
		name: "Cyborg is away at the delete", groups: []requestspec.ProfileGroup{fpga("1")}, most: 1,
		cuts: []cut{{method: http.MethodDelete, status: http.StatusServiceUnavailable}},
		steps: []step{
			{name: "create", act: create(1), want: active1},
			{name: "delete", act: each(remove), want: state{Servers: "gone", ARQs: "1 Bound"}},
		},
	},
	{ // the real Cyborg cannot program the device, and says so to nobody
		name:   "never bound",
		groups: []requestspec.ProfileGroup{withImage(fpga("1"))}, most: 1,
		steps: []step{
			{name: "create", act: create(1), want: timedOut},
			{name: "delete", act: each(remove), want: gone1},
		},
	},
	{ // Placement has devices to give, Cyborg has none
		name: "no handle left", groups: []requestspec.ProfileGroup{fpga("1")}, most: 1, last: true, before: takeAll,
		steps: []step{
			{name: "create", act: create(1), want: notBound("404")},
			{name: "delete", act: each(remove), want: gone1},
		},
	},
	{ // and Nova waits for the event
		name: "bound late", groups: []requestspec.ProfileGroup{fpga("1")}, most: 1, alone: true,
		faults: []string{"operation: bind, fault: {kind: late, after: 45s}"}, events: eventsAwaited, after: novaTookEvents,
		steps: []step{
			{name: "create", act: create(1), want: active1},
			{name: "delete", act: each(remove), want: gone1},
		},
	},
	{
		name: "bound late and the event is lost", groups: []requestspec.ProfileGroup{fpga("1")}, most: 1, alone: true,
		faults: []string{"operation: bind, fault: {kind: late, after: 45s}", "operation: event, fault: {kind: event_drop}"},
		steps: []step{
			{name: "create", act: create(1), want: timedOut},
			{name: "delete", act: each(remove), want: gone1},
		},
	},
	{
		name: "the bind fails late", groups: []requestspec.ProfileGroup{fpga("1")}, most: 1, alone: true,
		faults: []string{"operation: bind, fault: {kind: fails, after: 45s}"}, events: eventsAwaited, after: novaTookEvents,
		steps: []step{
			{name: "create", act: create(1), want: timedOut},
			{name: "delete", act: each(remove), want: gone1},
		},
	},
	{ // before nova-compute looks: the server runs, without its accelerator
		name: "the bind fails soon", groups: []requestspec.ProfileGroup{fpga("1")}, most: 1, alone: true,
		faults: []string{"operation: bind, fault: {kind: fails, after: 10ms}"},
		steps: []step{
			{name: "create", act: create(1), want: state{Servers: "ACTIVE", ARQs: "1 BindFailed", Devices: 1, Hosts: 1}},
			{name: "delete", act: each(remove), want: gone1},
		},
	},
	{ // two devices that the fake alone has
		name: "isolated on two cards", alone: true, specs: map[string]string{"group_policy": "isolate"},
		groups: []requestspec.ProfileGroup{card("1"), card("1")},
		steps: []step{
			{name: "create", act: create(1), want: active2},
			{name: "delete", act: each(remove), want: gone1},
		},
	},
}
