package fakecyborg

import (
	"net/http"
	"slices"
)

// routes is the whole API. Names are those of Cyborg's policy rules; the two
// version documents have none there.
var routes = []route{
	{name: "version:list", method: "GET", pattern: "/", status: http.StatusOK, run: (*exchange).showRoot},
	{name: "version:get", method: "GET", pattern: "/v1", status: http.StatusOK, has: hasVersionOne, run: (*exchange).showVersionOne},
	{name: "version:get", method: "GET", pattern: "/v2", status: http.StatusOK, run: (*exchange).showVersion},

	{name: "device_profile:get_all", method: "GET", pattern: "/v2/device_profiles", query: []string{"name"}, status: http.StatusOK, run: (*exchange).listProfiles},
	{name: "device_profile:get_one", method: "GET", pattern: "/v2/device_profiles/{dp_uuid_or_name}", status: http.StatusOK, run: (*exchange).showProfile},
	{name: "device_profile:create", method: "POST", pattern: "/v2/device_profiles", argument: "req_devprof_list", status: http.StatusCreated, run: (*exchange).createProfile},
	{name: "device_profile:create", method: "POST", pattern: "/v2/device_profiles/{ignored}", argument: "req_devprof_list", status: http.StatusCreated, run: (*exchange).createProfile},
	{name: "device_profile:delete", method: "DELETE", pattern: "/v2/device_profiles", query: []string{"value"}, status: http.StatusNoContent, run: (*exchange).deleteProfiles},
	{name: "device_profile:delete", method: "DELETE", pattern: "/v2/device_profiles/{value}", status: http.StatusNoContent, run: (*exchange).deleteProfiles},

	{name: "arq:get_all", method: "GET", pattern: "/v2/accelerator_requests", query: []string{"bind_state", "instance"}, typed: []string{"instance"}, status: http.StatusOK, run: (*exchange).listARQs},
	{name: "arq:get_one", method: "GET", pattern: "/v2/accelerator_requests/{uuid}", typed: []string{"uuid"}, status: http.StatusOK, run: (*exchange).showARQ},
	{name: "arq:create", method: "POST", pattern: "/v2/accelerator_requests", argument: "req", status: http.StatusCreated, run: (*exchange).createARQs},
	{name: "arq:create", method: "POST", pattern: "/v2/accelerator_requests/{ignored}", argument: "req", status: http.StatusCreated, run: (*exchange).createARQs},
	{name: "arq:update", method: "PATCH", pattern: "/v2/accelerator_requests", argument: "patch_list", status: http.StatusAccepted, run: (*exchange).patchARQs},
	{name: "arq:update", method: "PATCH", pattern: "/v2/accelerator_requests/{ignored}", argument: "patch_list", status: http.StatusAccepted, run: (*exchange).patchARQs},
	{name: "arq:delete", method: "DELETE", pattern: "/v2/accelerator_requests", query: []string{"arqs", "instance"}, typed: []string{"instance"}, status: http.StatusNoContent, run: (*exchange).deleteARQs},
	{name: "arq:delete", method: "DELETE", pattern: "/v2/accelerator_requests/{arqs}", query: []string{"instance"}, typed: []string{"instance"}, status: http.StatusNoContent, run: (*exchange).deleteARQs},
	{name: "arq:delete", method: "DELETE", pattern: "/v2/accelerator_requests/{arqs}/{instance}", typed: []string{"instance"}, status: http.StatusNoContent, run: (*exchange).deleteARQs},

	{name: "device:get_all", method: "GET", pattern: "/v2/devices", query: append([]string{"type", "vendor", "hostname"}, filterParameters...), status: http.StatusOK, has: hasInventory, run: (*exchange).listDevices},
	{name: "device:get_one", method: "GET", pattern: "/v2/devices/{uuid}", status: http.StatusOK, has: hasInventory, run: (*exchange).showDevice},
	{name: "device:enable", method: "POST", pattern: "/v2/devices/{uuid}/enable", action: true, status: http.StatusNoContent, has: hasSwitch, run: (*exchange).enableDevice},
	{name: "device:enable", method: "POST", pattern: "/v2/devices/enable", action: true, query: []string{"uuid"}, status: http.StatusNoContent, has: hasSwitch, run: (*exchange).enableDevice},
	{name: "device:disable", method: "POST", pattern: "/v2/devices/{uuid}/disable", action: true, status: http.StatusNoContent, has: hasSwitch, run: (*exchange).disableDevice},
	{name: "device:disable", method: "POST", pattern: "/v2/devices/disable", action: true, query: []string{"uuid"}, status: http.StatusNoContent, has: hasSwitch, run: (*exchange).disableDevice},

	{name: "deployable:get_all", method: "GET", pattern: "/v2/deployables", query: filterParameters, status: http.StatusOK, has: hasInventory, run: (*exchange).listDeployables},
	{name: "deployable:get_one", method: "GET", pattern: "/v2/deployables/{uuid}", typed: []string{"uuid"}, status: http.StatusOK, has: hasInventory, run: (*exchange).showDeployable},
	{name: "deployable:program", method: "PATCH", pattern: "/v2/deployables/{uuid}/program", action: true, typed: []string{"uuid"}, argument: "program_info", status: http.StatusOK, has: hasProgramming, run: (*exchange).programDeployable},
	{name: "deployable:program", method: "PATCH", pattern: "/v2/deployables/program", action: true, query: []string{"uuid"}, typed: []string{"uuid"}, argument: "program_info", status: http.StatusOK, has: hasProgramming, run: (*exchange).programDeployable},

	{name: "attribute:get_all", method: "GET", pattern: "/v2/attributes", query: []string{"deployable_id", "key"}, typed: []string{"deployable_id"}, status: http.StatusOK, has: hasAttributes, run: (*exchange).listAttributes},
	{name: "attribute:get_one", method: "GET", pattern: "/v2/attributes/{uuid}", typed: []string{"uuid"}, status: http.StatusOK, has: hasAttributes, run: (*exchange).showAttribute},
	{name: "attribute:create", method: "POST", pattern: "/v2/attributes", argument: "req_attr", status: http.StatusCreated, has: hasAttributes, run: (*exchange).createAttribute},
	{name: "attribute:create", method: "POST", pattern: "/v2/attributes/{ignored}", argument: "req_attr", status: http.StatusCreated, has: hasAttributes, run: (*exchange).createAttribute},
	{name: "attribute:delete", method: "DELETE", pattern: "/v2/attributes", query: []string{"uuid"}, status: http.StatusNoContent, has: hasAttributes, run: (*exchange).deleteAttribute},
	{name: "attribute:delete", method: "DELETE", pattern: "/v2/attributes/{uuid}", status: http.StatusNoContent, has: hasAttributes, run: (*exchange).deleteAttribute},
}

func hasVersionOne(r Release) bool  { return r.VersionOne }
func hasInventory(r Release) bool   { return r.Inventory }
func hasProgramming(r Release) bool { return r.Programming }
func hasAttributes(r Release) bool  { return r.Attributes }
func hasSwitch(r Release) bool      { return r.DeviceSwitch }

// routesOf are the routes that a release has.
func routesOf(release Release) []route {
	return slices.DeleteFunc(slices.Clone(routes), func(r route) bool { return r.has != nil && !r.has(release) })
}
