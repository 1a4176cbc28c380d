package functional_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

const (
	devicesPath     = "/v2/devices"
	deployablesPath = "/v2/deployables"
	attributesPath  = "/v2/attributes"
)

func hasInventory(r fakecyborg.Release) bool  { return r.Inventory }
func hasAttributes(r fakecyborg.Release) bool { return r.Attributes }

// tempestDevices are tests/api/test_device.py, test_deployable.py, test_attributes.py and their negative ones.
var tempestDevices = []tempestCase{
	{name: "device list and get", has: hasInventory, run: listAndShow(devicesPath, "devices")},
	{name: "device filter by type", has: hasInventory, run: deviceFilter("type")},
	{name: "device filter by vendor", has: hasInventory, run: deviceFilter("vendor")},
	{name: "device filter by hostname", has: hasInventory, run: deviceFilter("hostname")},
	{name: "device filter by all three", has: hasInventory, run: deviceFilter("type", "vendor", "hostname")},
	{name: "device negative show unknown", has: hasInventory, run: showUnknown(devicesPath)},
	{name: "deployable list and show", has: hasInventory, run: listAndShow(deployablesPath, "deployables")},
	{name: "deployable negative show unknown", has: hasInventory, run: showUnknown(deployablesPath)},
	{name: "attribute list and show", has: hasAttributes, run: listAndShow(attributesPath, "attributes")},
	{name: "attribute negative show unknown", has: hasAttributes, run: showUnknown(attributesPath)},
}

func listAndShow(path, key string) func(*testing.T, tempest) {
	return func(t *testing.T, c tempest) {
		t.Helper()
		list := c.call(t, "GET", path, "").want(t, http.StatusOK).list(t, key)
		require.NotEmpty(t, list)
		id := text(t, list[0], "uuid")
		assert.Equal(t, id, c.call(t, "GET", path+"/"+id, "").want(t, http.StatusOK).object(t)["uuid"])
	}
}

func showUnknown(path string) func(*testing.T, tempest) {
	return func(t *testing.T, c tempest) {
		t.Helper()
		c.call(t, "GET", path+"/"+unknown(), "").want(t, http.StatusNotFound)
	}
}

// deviceFilter takes the values of a device that there is, and ones that no device has.
func deviceFilter(keys ...string) func(*testing.T, tempest) {
	return func(t *testing.T, c tempest) {
		t.Helper()
		all := c.call(t, "GET", devicesPath, "").want(t, http.StatusOK).list(t, "devices")
		require.NotEmpty(t, all)
		query, strange := url.Values{}, url.Values{}
		for _, key := range keys {
			query.Set(key, text(t, all[0], key))
			strange.Set(key, fmt.Sprintf("no-such-%s", key))
		}
		found := c.call(t, "GET", devicesPath+"?"+query.Encode(), "").want(t, http.StatusOK).list(t, "devices")
		require.NotEmpty(t, found)
		for _, device := range found {
			for _, key := range keys {
				assert.Equal(t, query.Get(key), device[key])
			}
		}
		assert.Empty(t, c.call(t, "GET", devicesPath+"?"+strange.Encode(), "").want(t, http.StatusOK).list(t, "devices"))
	}
}
