package differential_test

import "strings"

const arqsPath = "/v2/accelerator_requests"

func (g *generator) createARQs() step {
	if g.made > maxMade {
		return g.deleteARQs()
	}
	body := `{"device_profile_name": ` + quoted(g.name()) + "}"
	if g.one(6) {
		body = pick(g, `{}`, `{"device_profile_name": null}`, `{"device_profile_name": ""}`, `{"device_profile_name": 5}`, `{"device_profile_name": "nothing"}`,
			`{"device_profile_name": `+quoted(g.name())+`, "image_uuid": "x"}`, `{"device_profile_name": `+quoted(g.name())+`, "device_profile_group_id": 0}`,
			`[{"device_profile_name": `+quoted(g.name())+`}]`, `{"device_profile_name": ["`+g.name()+`"]}`, `{"device_profile_name": {"a": 1}}`,
			`{"device_profile_name": `+quoted(g.name()+" ")+`}`, `{"device_profile_name": `+quoted(strings.ToUpper(g.name()))+`}`, `{"device_profile_name": true}`,
			`{"device_profile_name": `+quoted(g.of(g.profiles))+`}`, `null`, `"x"`, `5`, `{`, ``, `[]`, `{"Device_profile_name": "alpha"}`)
	}
	return g.send("POST", arqsPath, g.member(), body)
}

func (g *generator) listARQs() step {
	target := arqsPath
	if len(g.stuck) > 0 && g.one(3) {
		return g.ask("GET", target+"?bind_state=resolved&instance="+pick(g, g.stuck...), g.administrator())
	}
	switch g.IntN(6) {
	case 0, 1:
		target += "?instance=" + often(g, 85, g.instance(), "abc", "", "{{device.0}}", "11111111000040008000000000000000", strings.ToUpper(g.instance()))
	case 2:
		target += "?bind_state=" + often(g, 70, "resolved", "bound", "", "Resolved", "resolved%20", "%00")
	case 3:
		target += "?bind_state=" + often(g, 85, "resolved", "bound", "") + "&instance=" + often(g, 90, pick(g, append(g.busy, g.instance())...), "abc", "")
	}
	return g.ask("GET", target, g.member())
}

func (g *generator) showARQ() step { return g.ask("GET", arqsPath+"/"+g.of(g.arqs), g.member()) }

// patch sends a bind or unbind, with the service token of Nova mostly.
func (g *generator) patch(body string) step {
	st := g.send("PATCH", arqsPath+pick(g, "", "", "", "/"+g.of(g.arqs), "/x"), g.member(), body)
	st.service = often(g, 88, "nova", "", "bad", "other", "admin")
	return st
}

func operation(op, path, value string) string {
	text := `{"op": ` + quoted(op) + `, "path": ` + quoted(path)
	if value != "" {
		text += `, "value": ` + value
	}
	return text + "}"
}

func bindOf(arq, host, provider, instance string) string {
	return quoted(arq) + ": [" + operation("add", "/hostname", quoted(host)) + ", " + operation("add", "/device_rp_uuid", quoted(provider)) + ", " +
		operation("add", "/instance_uuid", quoted(instance)) + "]"
}

func (g *generator) host() string     { return often(g, 90, "realstack-cn1", "no-such-host") }
func (g *generator) provider() string { return often(g, 90, "{{rp.0}}", unknown, "{{device.0}}") }

func (g *generator) bind() step {
	instance, arqs := g.instance(), []string{g.of(g.arqs)}
	for g.one(3) {
		arqs = append(arqs, g.of(g.arqs))
	}
	g.busy = append(g.busy, instance)
	var patches []string
	for _, arq := range arqs {
		if g.one(20) {
			instance = g.instance()
		}
		provider := g.provider()
		if provider != "{{rp.0}}" || g.one(6) {
			g.stuck = append(g.stuck, instance)
		}
		patches = append(patches, bindOf(arq, g.host(), provider, instance))
	}
	return g.patch("{" + strings.Join(patches, ", ") + "}")
}

// wrongBind is a bind or unbind that was changed somewhere.
func (g *generator) wrongBind() step {
	arq := g.of(g.arqs)
	instance, provider, project := g.instance(), g.provider(), ""
	if g.one(12) {
		instance = pick(g, "abc", "", "11111111000040008000000000000000", strings.ToUpper(unknown))
		g.spoiled = append(g.spoiled, arq)
	}
	operations := []string{
		operation("add", pick(g, "/hostname", "hostname", "//hostname"), quoted(g.host())),
		operation("add", "/device_rp_uuid", quoted(provider)),
		operation("add", "/instance_uuid", quoted(instance)),
	}
	if g.one(3) {
		project = pick(g, `"{{project.0}}"`, `"{{project.1}}"`, `null`, `""`)
		operations = append(operations, operation("add", "/project_id", project))
	}
	switch g.IntN(12) {
	case 0:
		operations = operations[:g.IntN(len(operations))]
	case 1:
		operations = append(operations, operation("add", pick(g, "/state", "/uuid", "", "/", "/hostname/x", "/attach_handle_uuid"), `"x"`))
	case 2:
		i := g.IntN(len(operations))
		operations[i] = strings.Replace(operations[i], `"add"`, pick(g, `"replace"`, `"remove"`, `"Add"`, `null`, `5`, `["add"]`), 1)
	case 3:
		for i := range operations {
			operations[i] = strings.Replace(operations[i], `"add"`, `"replace"`, 1)
		}
	case 4:
		operations[g.IntN(len(operations))] = pick(g, `{}`, `null`, `"x"`, `5`, `[]`, `{"op": "add"}`, `{"path": "/hostname"}`, `{"op": "add", "path": "/hostname"}`, `{"op": "add", "path": null, "value": "x"}`, `{"op": "add", "path": 5, "value": "x"}`)
	case 5:
		operations[0] = operation("add", "/hostname", pick(g, "null", `""`, "5", "true", "[]", "{}", `"é"`))
	case 6:
		return g.patch(pick(g, `{}`, `[]`, `null`, `"x"`, `5`, `{`, ``, `[`+operations[0]+`]`, `{"`+arq+`": []}`, `{"`+arq+`": {}}`, `{"`+arq+`": null}`, `{"`+arq+`": "x"}`, `{"`+arq+`": 5}`))
	case 7:
		g.Shuffle(len(operations), func(i, j int) { operations[i], operations[j] = operations[j], operations[i] })
		operations = append(operations, operations[0])
	case 8:
		return g.patch("{" + quoted(arq) + ": [" + strings.Join(operations, ", ") + "], " + removeOf(g.of(g.arqs), "/hostname") + "}")
	}
	return g.patch("{" + quoted(arq) + ": [" + strings.Join(operations, ", ") + "]}")
}

func removeOf(arq string, paths ...string) string {
	operations := make([]string, len(paths))
	for i, path := range paths {
		operations[i] = operation("remove", path, "")
	}
	return quoted(arq) + ": [" + strings.Join(operations, ", ") + "]"
}

func (g *generator) unbindOf(arq string) step {
	return g.patch("{" + removeOf(arq, "/hostname", "/device_rp_uuid", "/instance_uuid") + "}")
}

func (g *generator) unbind() step {
	if g.one(4) {
		return g.patch("{" + removeOf(g.of(g.arqs), pick(g, "/hostname", "hostname", "/state", "/project_id", "/instance_uuid")) + ", " + removeOf(g.of(g.arqs), "/hostname") + "}")
	}
	return g.unbindOf(g.of(g.arqs))
}

func (g *generator) deleteARQs() step {
	var target string
	switch g.IntN(8) {
	case 0:
		target = arqsPath + pick(g, "", "?arqs=", "?instance=", "?instance=abc", "?arqs=,", "?arqs=&instance=", "?arqs="+g.of(g.arqs)+"&instance="+g.instance(),
			"/"+g.of(g.arqs)+"?instance="+g.instance(), "/"+g.of(g.arqs)+"?arqs="+g.of(g.arqs))
	case 1, 2:
		target = arqsPath + "?instance=" + g.instance()
	case 3:
		target = arqsPath + "/" + g.of(g.arqs) + pick(g, "", ","+g.of(g.arqs))
	case 4:
		target = arqsPath + "?arqs=" + g.of(g.arqs) + "," + g.of(g.arqs)
	default:
		target = arqsPath + "?arqs=" + g.of(g.arqs)
	}
	st := g.ask("DELETE", target, g.member())
	st.service = often(g, 60, "nova", "", "", "bad", "other")
	return st
}
