package differential_test

import "strings"

func (g *generator) filters() string {
	return "filters.field=" + pick(g, "name", "type", "limit", "sort_key", "sort_dir", "board", "marker", "x", "") + "&filters.value=" +
		pick(g, "FPGA", "realstack-cn1_FakeDevice", "nothing", "1", "id", "asc", "desc", "created_at", "")
}

func (g *generator) devices() step {
	target := "/v2/devices"
	switch g.IntN(6) {
	case 0:
		target += "?" + pick(g, "type", "vendor", "hostname") + "=" + pick(g, "FPGA", "GPU", "0xABCD", "0xabcd", "realstack-cn1", "nothing", "", "fpga")
	case 1:
		target += "?" + g.filters()
	case 2:
		target += "?type=FPGA&vendor=0xABCD&hostname=realstack-cn1"
	case 3, 4:
		target += "/" + g.inventoryID("{{device.0}}")
	}
	return g.ask("GET", target, g.administrator())
}

func (g *generator) inventoryID(reference string) string {
	return often(g, 75, reference, unknown, "abc", "1", strings.TrimSuffix(reference, "}}")+"|upper}}", strings.TrimSuffix(reference, "}}")+"|hex}}",
		reference+"%20", "{{attribute.0}}", "{{rp.0}}")
}

func (g *generator) switchDevice() step {
	st := g.ask(often(g, 90, "POST", "GET", "PUT"), "/v2/devices/"+g.inventoryID("{{device.0}}")+pick(g, "/disable", "/enable", "/enable", "/enabled"), g.administrator())
	if st.method == "POST" && g.one(3) {
		st.body, st.bodied = pick(g, "{}", "null", `{"a": 1}`, "[]"), true
		st.header["Content-Type"] = "application/json"
	}
	return st
}

func (g *generator) deployables() step {
	target := "/v2/deployables"
	switch g.IntN(5) {
	case 0:
		target += "?" + g.filters()
	case 1:
		target += "?" + pick(g, "name=x", "filters=x", "filters.field=name", "filters.value=x", "limit=1")
	case 2, 3:
		target += "/" + g.inventoryID("{{deployable.0}}")
	}
	return g.ask("GET", target, g.administrator())
}

// program is never right: what follows then is the agent's and the image service's.
func (g *generator) program() step {
	body := pick(g, `[{"path": "/bitstream_id", "op": "replace", "value": [{"image_uuid": "abc"}]}]`, `[]`, `{}`, `null`, `"x"`,
		`[{"path": "/bitstream_id", "op": "replace"}]`, `[{"path": "/bitstream_id", "op": "replace", "value": []}]`, `[{"path": "/name", "op": "replace", "value": [{"image_uuid": "abc"}]}]`,
		`[{"path": "bitstream_id", "op": "replace", "value": [{"image_uuid": "abc"}]}]`, `[{"path": "/bitstream_id", "op": "swap", "value": [{"image_uuid": "abc"}]}]`,
		`[{"path": "/bitstream_id", "op": "replace", "value": "x"}]`, `[{"path": "/bitstream_id", "op": "replace", "value": [{}]}]`, `[{"path": "/uuid", "op": "remove"}]`,
		`[{"path": "/a", "op": "add", "value": [{"image_uuid": "abc"}], "more": 1}]`, `[{"op": "add", "value": 1}]`, `[{"path": "/a", "op": "add", "value": {"image_uuid": "abc"}}]`,
		`["x"]`, `[null]`, `[{"path": "/a/b", "op": "add", "value": [{"image_uuid": null}]}]`)
	return g.send("PATCH", "/v2/deployables/"+g.inventoryID("{{deployable.0}}")+often(g, 92, "/program", "", "/program/x"), g.administrator(), body)
}

func (g *generator) attributeSteps() step {
	const path = "/v2/attributes"
	id := g.of(append([]string{"{{attribute.0}}", "{{attribute.1}}"}, g.attributes...))
	switch g.IntN(8) {
	case 0, 1:
		return g.ask("GET", path, g.administrator())
	case 2:
		return g.ask("GET", path+"?"+pick(g, "deployable_id=1", "deployable_id=0", "deployable_id=x", "deployable_id=", "key=rc", "key=nothing", "key=", "deployable_id=1&key=rc", "deployable_id=-1",
			"deployable_id=1.0", "deployable_id=%201", "color=red"), g.administrator())
	case 3:
		return g.ask("GET", path+"/"+id, g.administrator())
	case 4, 5:
		return g.send("POST", path, g.administrator(), g.attribute())
	default:
		return g.ask("DELETE", path+pick(g, "/"+id, "/"+id, "", "?uuid="+id), g.administrator())
	}
}

func (g *generator) attribute() string {
	body := `{"deployable_id": ` + often(g, 85, "1", `"1"`, "77", "null", `"x"`, "true", "1.5") + `, "key": ` + often(g, 85, `"color"`, `"rc"`, `"traits2"`, `""`, "5", "null") +
		`, "value": ` + often(g, 85, `"red"`, `"FPGA"`, `""`, "5", "null", "true", "[]") + "}"
	if g.one(5) {
		body = g.mutated(body)
	}
	return body
}

func (g *generator) versions() step {
	st := g.ask("GET", pick(g, "/", "/v2", "/v2/", "/v2.json", "/v1", "/v3", "/v2.0"), often(g, 60, "", "admin", "demo", "bad"))
	if g.one(2) {
		st.header[versionHeader] = g.version()
	}
	return st
}

// version is any header of a microversion.
func (g *generator) version() string {
	return pick(g, "2.0", "2.1", "2.2", "2.3", "latest", "LATEST", "2.4", "1.9", "3.0", "2", "2.3.1", "x.y", "-2.1", "2.-1", "", "2.10", "2.03", "02.3", " 2.3", "2.3 ", "2. 3", "+2.3", "2_0.1", "2.x",
		"accelerator 2.0", "accelerator 2.1", "accelerator 2.2", "accelerator 2.3", "accelerator latest", "accelerator 2.4", "accelerator 1.0", "accelerator 3.0", "accelerator two", "accelerator",
		"Accelerator 2.3", "ACCELERATOR  2.2", "compute 2.1", "compute 2.90, accelerator 2.2", "accelerator 2.2, compute 2.90", "accelerator 2.1, accelerator 2.3", "compute 2.3", "accelerator 2.3 x", ".", "2.", ".3", "é")
}

// lost is a request that has no route, or hardly one.
func (g *generator) lost() step {
	method := pick(g, "GET", "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "FOO")
	target := pick(g, "/v2/nothing", "/devices", "/device_profiles", "/nothing", "/v2/devices/a/b/c", "/v2/devices/{{device.0}}/x",
		"/v2/accelerator_requests/a/b", "/v2/device_profiles/a/b", "/v2/attributes/a/b", "/v2/deployables/{{deployable.0}}/program/x", "/v2/devices/", "/v2//devices", "/v2/devices.json", "/v2/devices/{{device.0}}.json",
		"/v2/accelerator_requests.json", "/v2/devices.xml", "/v2/DEVICES", "/v2/device_profile", "/v2/devices%2F", "/v2/devices/%7B%7D", "/v2/devices/%C3%A9", "/v2/devices/%FF", "/v2/attributes",
		"/v2/devices", "/v2/accelerator_requests", "/v2/device_profiles", "/v2/deployables", "/v2?x=1", "/?x=1", "/v2/post", "/v2/devices/get_all", "/v2/devices/enable", "/v2/devices/{{device.0}}/enable", "/v2/_route", "/v2/device_profiles/get_one")
	if method == "POST" || method == "PATCH" || method == "PUT" {
		return g.send(method, target, g.administrator(), pick(g, "{}", "[]", "", "x"))
	}
	return g.ask(method, target, g.administrator())
}
