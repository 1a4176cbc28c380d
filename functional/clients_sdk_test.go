package functional_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

// acceleratorProxy is openstacksdk's proxy at one fake; called are the methods that were used.
type acceleratorProxy struct {
	process *peerProcess
	url     string
	called  map[string]bool
}

type proxyAnswer struct {
	Value  any
	Error  string
	Status int
}

func (p acceleratorProxy) try(t *testing.T, method string, named map[string]any, arguments ...any) proxyAnswer {
	t.Helper()
	if named == nil {
		named = map[string]any{}
	}
	if arguments == nil {
		arguments = []any{}
	}
	var answer proxyAnswer
	p.process.ask(t, []any{p.url, method, arguments, named}, &answer)
	p.called[method] = true
	return answer
}

// methods are the names of all methods of the proxy.
func (p acceleratorProxy) methods(t *testing.T) (names []string) {
	t.Helper()
	values, ok := p.try(t, "methods", nil).Value.([]any)
	require.True(t, ok)
	for _, value := range values {
		name, ok := value.(string)
		require.True(t, ok)
		names = append(names, name)
	}
	return names
}

// one calls a method that answers with one resource.
func (p acceleratorProxy) one(t *testing.T, method string, named map[string]any, arguments ...any) map[string]any {
	t.Helper()
	answer := p.try(t, method, named, arguments...)
	require.Empty(t, answer.Error, method)
	object, ok := answer.Value.(map[string]any)
	require.True(t, ok, "%s: %v", method, answer.Value)
	return object
}

// all calls a method that lists.
func (p acceleratorProxy) all(t *testing.T, method string, named map[string]any) []map[string]any {
	t.Helper()
	answer := p.try(t, method, named)
	require.Empty(t, answer.Error, method)
	values, ok := answer.Value.([]any)
	require.True(t, ok, "%s: %v", method, answer.Value)
	list := make([]map[string]any, 0, len(values))
	for _, value := range values {
		object, ok := value.(map[string]any)
		require.True(t, ok, "%s: %v", method, value)
		list = append(list, object)
	}
	return list
}

func (p acceleratorProxy) refused(t *testing.T, status int, method string, arguments ...any) {
	t.Helper()
	answer := p.try(t, method, nil, arguments...)
	assert.NotEmpty(t, answer.Error, method)
	assert.Equal(t, status, answer.Status, "%s: %s", method, answer.Error)
}

// Every method of the proxy against every release.
//
//nolint:paralleltest // the releases share one process, and the coverage comes last
func TestAcceleratorProxy(t *testing.T) {
	t.Parallel()
	python := openstackPython(t, "openstack")
	process := startPeer(t, "testdata/accelerator.py", python)
	driven, called := newDriven("sdk"), make(map[string]bool)
	var methods []any
	for _, release := range fakecyborg.Releases() {
		t.Run(release.Version, func(t *testing.T) {
			p := acceleratorProxy{process: process, url: startForPeer(t, driven, release).URL(), called: called}
			if release.Inventory {
				p.walkDevices(t, release)
			}
			if release.Attributes {
				p.walkAttributes(t)
			}
			p.walkARQs(t, release)
			if methods == nil {
				methods, _ = p.try(t, "methods", nil).Value.([]any)
			}
		})
	}
	require.NotEmpty(t, methods)
	for _, method := range methods {
		assert.True(t, called[method.(string)], "nobody called %v", method) //nolint:errcheck // the program sends texts
	}
	t.Run("coverage", func(t *testing.T) { driven.check(t) })
}

func (p acceleratorProxy) walkDevices(t *testing.T, release fakecyborg.Release) {
	t.Helper()
	devices := p.all(t, "devices", nil)
	require.Len(t, devices, 3)
	assert.Equal(t, devices[0]["uuid"], p.one(t, "get_device", nil, devices[0]["uuid"])["uuid"])
	p.refused(t, 404, "get_device", unknown())
	places := p.all(t, "deployables", nil)
	require.Len(t, places, 3)
	var card any
	for _, place := range places {
		if place["name"] == tempestHost+"_0000:3b:00.0" {
			card = place["id"]
		}
	}
	assert.Equal(t, tempestHost+"_0000:3b:00.0", p.one(t, "get_deployable", nil, card)["name"])
	p.refused(t, 404, "get_deployable", unknown())
	patch := []map[string]any{{"path": "/program", "op": "replace", "value": []map[string]any{{"image_uuid": plainImage}}}}
	switch {
	case slices.Contains(p.methods(t), "patch_deployable"): // of newer SDKs
		assert.Contains(t, p.try(t, "update_deployable", nil, card, patch).Error, "RecursionError", "it calls itself")
		p.refused(t, 405, "patch_deployable", card, patch) // it sends the id twice
	case release.Programming:
		assert.Equal(t, card, p.one(t, "update_deployable", nil, card, patch)["id"])
	default:
		p.refused(t, 405, "update_deployable", card, patch)
	}
}

// walkAttributes does nothing with a proxy that has no such methods, as that of 0.101.0.
func (p acceleratorProxy) walkAttributes(t *testing.T) {
	t.Helper()
	methods, ok := p.try(t, "methods", nil).Value.([]any)
	require.True(t, ok)
	for _, method := range methods {
		if method != "attributes" {
			continue
		}
		attributes := p.all(t, "attributes", nil)
		require.NotEmpty(t, attributes)
		p.one(t, "get_attribute", nil, attributes[0]["uuid"])
		answer := p.try(t, "create_attribute", map[string]any{"deployable_id": 1, "key": "k", "value": "v"})
		assert.Equal(t, 500, answer.Status, "it is sent with another object around it: %s", answer.Error)
		p.try(t, "delete_attribute", nil, attributes[0]["uuid"])
	}
}

// unbindMethod is the other name that newer SDKs have for the method that binds, so that both are called.
func (p acceleratorProxy) unbindMethod(t *testing.T) string {
	t.Helper()
	if slices.Contains(p.methods(t), "patch_accelerator_request") {
		return "patch_accelerator_request"
	}
	return "update_accelerator_request"
}

func (p acceleratorProxy) walkARQs(t *testing.T, release fakecyborg.Release) {
	t.Helper()
	profile := p.one(t, "create_device_profile", map[string]any{"name": "walk", "groups": []any{map[string]any{"resources:PGPU": "1"}}})
	require.Len(t, p.all(t, "device_profiles", nil), 1)
	assert.Equal(t, "walk", p.one(t, "get_device_profile", nil, profile["uuid"])["name"])
	p.refused(t, 404, "get_device_profile", unknown())

	id := p.one(t, "create_accelerator_request", map[string]any{"device_profile_name": "walk"})["uuid"]
	require.Len(t, p.all(t, "accelerator_requests", nil), 1)
	assert.Equal(t, "Initial", p.one(t, "get_accelerator_request", nil, id)["state"])
	instance := uuid.NewString()
	p.one(t, "update_accelerator_request", nil, id, []map[string]any{
		{"path": "/hostname", "op": "add", "value": tempestHost},
		{"path": "/device_rp_uuid", "op": "add", "value": tempestProvider},
		{"path": "/instance_uuid", "op": "add", "value": instance},
	})
	bound := p.one(t, "get_accelerator_request", nil, id)
	assert.Equal(t, []any{"Bound", instance}, []any{bound["state"], bound["instance_uuid"]})
	unbind := []map[string]any{{"path": "/hostname", "op": "remove"}, {"path": "/device_rp_uuid", "op": "remove"}, {"path": "/instance_uuid", "op": "remove"}}
	if release.UnbindFault {
		p.refused(t, 500, p.unbindMethod(t), id, unbind)
	} else {
		p.one(t, p.unbindMethod(t), nil, id, unbind)
		assert.Equal(t, "Unbound", p.one(t, "get_accelerator_request", nil, id)["state"])
	}
	require.Empty(t, p.try(t, "delete_accelerator_request", nil, id).Error)
	p.refused(t, 404, "get_accelerator_request", id)
	require.Empty(t, p.try(t, "delete_device_profile", nil, profile["uuid"]).Error)
	assert.Empty(t, p.all(t, "device_profiles", nil))
	assert.Empty(t, p.all(t, "accelerator_requests", nil))
}

// What the present openstacksdk sends, which Debian does not have, in its own bytes, and what becomes of its faults.
func TestAcceleratorProxyOfToday(t *testing.T) {
	t.Parallel()
	for _, release := range fakecyborg.Releases() {
		if !release.Attributes {
			continue
		}
		t.Run(release.Version, func(t *testing.T) {
			t.Parallel()
			server := startForPeer(t, newDriven("none"), release)
			c := rawClient{server: server}
			place := text(t, c.call(t, "GET", deployablesPath, "").want(t, 200).list(t, "deployables")[0], "uuid")
			for _, test := range []struct {
				name, method, path, body string
				want                     int
			}{
				{"create_attribute wraps its attribute", "POST", attributesPath, `{"attribute": {"deployable_id": 1, "key": "k", "value": "v"}}`, 500},
				{"patch_deployable has the id twice", "PATCH", deployablesPath + "/" + place + "/program/" + place, `[{"path": "/program", "op": "replace", "value": [{"image_uuid": "` + plainImage + `"}]}]`, 405},
				{"the group of an ARQ is null", "POST", arqsPath, `{"device_profile_name": "no-such", "device_profile_group_id": null}`, 404},
			} {
				assert.Equal(t, test.want, c.call(t, test.method, test.path, test.body).status, test.name)
			}
		})
	}
}
