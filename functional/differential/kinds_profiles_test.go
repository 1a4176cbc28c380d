package differential_test

import (
	"strings"
)

const profilesPath = "/v2/device_profiles"

func (g *generator) createProfile() step {
	body := "[" + g.profile() + "]"
	if g.one(6) {
		body = g.mutated(body)
	}
	return g.send("POST", profilesPath, g.administrator(), body)
}

func (g *generator) profile() string {
	fields := []string{`"name": ` + quoted(g.name())}
	if g.one(15) {
		fields[0] = `"name": ` + pick(g, `""`, `"a b"`, `5`, `null`, `"a\n"`, `"é"`, `"ends "`, quoted(strings.Repeat("n", 255)), quoted(strings.Repeat("n", 256)),
			`"00000000-0000-4000-8000-000000000abc"`, `["alpha"]`, `{}`, `true`, `"a,b"`, `"none\u0000"`)
	}
	groups := []string{g.group()}
	for g.one(4) {
		groups = append(groups, g.group())
	}
	fields = append(fields, `"groups": [`+strings.Join(groups, ", ")+"]")
	if g.one(4) {
		fields = append(fields, `"description": `+often(g, 60, `"what it is"`, `""`, `null`, `5`, `true`, `{}`, `["x"]`, `1.5`, `"é"`))
	}
	if g.one(12) {
		fields = append(fields, `"uuid": `+pick(g, `"aaaaaaaa-0000-4000-8000-000000000001"`, `"aaaaaaaa-0000-4000-8000-000000000002"`,
			`"AAAAAAAA-0000-4000-8000-000000000003"`, `"aaaaaaaa000040008000000000000004"`, quoted(g.of(g.profiles[:min(len(g.profiles), 3)]))))
		if strings.Contains(fields[len(fields)-1], `"abc"`) || strings.Contains(fields[len(fields)-1], `"1"`) || strings.Contains(fields[len(fields)-1], "|cut") {
			fields = fields[:len(fields)-1]
		}
	}
	if g.one(12) {
		fields = append(fields, pick(g, `"color": "red"`, `"id": 7`, `"created_at": "2020-01-02T03:04:05"`, `"updated_at": null`, `"links": []`, `"profile_json": "{}"`))
	}
	g.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	return "{" + strings.Join(fields, ", ") + "}"
}

func (g *generator) group() string {
	var properties []string
	add := func(key, value string) { properties = append(properties, quoted(key)+": "+value) }
	if !g.one(12) {
		add(often(g, 92, "resources:FPGA", "resources:GPU", "resources:CUSTOM_X", "resources: FPGA", "resources:VGPU ", "resources:VCPU", "resources1:FPGA", "resources:", "resources:CUSTOM_", "resources:a:b"), g.number())
	}
	if g.one(8) {
		add(pick(g, "resources:PGPU", "resources:CUSTOM_Y", "resources:QAT"), g.number())
	}
	if g.one(2) {
		add(often(g, 92, "trait:CUSTOM_FAKE_DEVICE", "trait:CUSTOM_FPGA_XILINX", "trait: CUSTOM_FAKE_DEVICE ", "trait:HW_GPU", "trait:custom_x", "trait:CUSTOM_a:b", "trait:", "trait:CUSTOM_é"),
			often(g, 92, `"required"`, `"forbidden"`, `"maybe"`, `""`, `null`, `1`, `"Required"`, `["required"]`))
	}
	if g.one(10) {
		add(pick(g, "accel:bitstream_id", "accel:function_id", "accel:x", "accel:", "accel:function_name"),
			pick(g, `"00000000-0000-0000-0000-000000000009"`, `"x"`, `5`, `""`, `true`, `1.5`))
	}
	if g.one(25) {
		add(pick(g, "foo:FPGA", "foo", "", "Resources:FPGA", " resources:FPGA"), `"1"`)
	}
	g.Shuffle(len(properties), func(i, j int) { properties[i], properties[j] = properties[j], properties[i] })
	return "{" + strings.Join(properties, ", ") + "}"
}

func (g *generator) listProfiles() step {
	target := profilesPath
	if g.one(2) {
		target += "?name=" + pick(g, g.name(), g.name()+","+g.name(), "", ",", "nothing", g.name()+"%20", "a%0A", g.of(g.profiles))
	}
	return g.ask("GET", target, g.member())
}

func (g *generator) profileID() string {
	return pick(g, g.of(g.profiles), g.of(g.profiles), g.name(), g.name(), "nothing", g.name()+"%20", strings.ToUpper(g.name()))
}

func (g *generator) showProfile() step {
	return g.ask("GET", profilesPath+"/"+g.profileID(), g.administrator())
}

func (g *generator) deleteProfile() step {
	switch g.IntN(4) {
	case 0:
		return g.ask("DELETE", profilesPath+"?value="+g.profileID()+","+g.profileID(), g.administrator())
	case 1:
		return g.ask("DELETE", profilesPath+"?value="+pick(g, g.profileID(), "", ",", g.profileID()+","), g.administrator())
	case 2:
		return g.ask("DELETE", profilesPath+"/"+g.profileID()+pick(g, "", ","+g.name()), g.administrator())
	default:
		return g.ask("DELETE", profilesPath+"/"+g.profileID(), g.administrator())
	}
}
