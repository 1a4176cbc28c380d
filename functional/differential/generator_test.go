package differential_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// generator makes random steps. It knows no rules of the service, only its alphabet and what answers told, so that many steps are about
// things that are there.
type generator struct {
	*rand.Rand
	next int
	// arqs, profiles and attributes are references to what was made.
	arqs, profiles, attributes []string
	// spoiled are requests that may hold something which is no uuid: lists are refused until they are unbound.
	spoiled []string
	stuck   []string // those of binds that may not have come to an end
	busy    []string // instances that binds named
	made    int      // how many ARQs were made
}

func newGenerator(seed, sequence uint64) *generator {
	return &generator{Rand: rand.New(rand.NewPCG(seed, sequence)), next: 1}
}

// maxMade bounds how many ARQs a sequence makes: the real service reads all of them for each list.
const maxMade = 60

// kind is a way to make a step, as often as its weight says.
type kind struct {
	weight int
	make   func(*generator) step
	about  string // what there should be before
}

var kinds = []kind{
	{9, (*generator).createProfile, ""},
	{4, (*generator).listProfiles, ""},
	{5, (*generator).showProfile, ""},
	{4, (*generator).deleteProfile, ""},
	{11, (*generator).createARQs, ""},
	{10, (*generator).listARQs, ""},
	{7, (*generator).showARQ, "arqs"},
	{8, (*generator).bind, "arqs"},
	{5, (*generator).wrongBind, "arqs"},
	{4, (*generator).unbind, "arqs"},
	{7, (*generator).deleteARQs, "arqs"},
	{5, (*generator).devices, ""},
	{2, (*generator).switchDevice, ""},
	{5, (*generator).deployables, ""},
	{2, (*generator).program, ""},
	{6, (*generator).attributeSteps, ""},
	{5, (*generator).versions, ""},
	{4, (*generator).lost, ""},
}

// step makes the next step.
func (g *generator) step() step {
	var st step
	if len(g.spoiled) > 0 && g.one(3) {
		st = g.unbindOf(g.spoiled[0])
		g.spoiled = g.spoiled[1:]
	} else {
		st = g.ofKind()
	}
	if g.one(6) {
		g.twist(&st)
	}
	st.id = g.next
	g.next++
	return st
}

func (g *generator) ofKind() step {
	total := 0
	for _, k := range kinds {
		total += k.weight
	}
	n := g.IntN(total)
	for _, k := range kinds {
		if n -= k.weight; n >= 0 {
			continue
		}
		switch { // mostly first things first
		case len(g.profiles) == 0 && !g.one(3):
			return g.createProfile()
		case k.about == "arqs" && len(g.arqs) == 0 && !g.one(4):
			return g.createARQs()
		}
		return k.make(g)
	}
	return step{}
}

// learn keeps references to what the answer to a step told.
func (g *generator) learn(st step, told int) {
	for i := range told {
		reference := fmt.Sprintf("{{%d.%d}}", st.id, i)
		switch {
		case strings.Contains(st.target, "accelerator_requests"):
			g.arqs = append(g.arqs, reference)
			g.made++
		case strings.Contains(st.target, "device_profiles"):
			g.profiles = append(g.profiles, reference)
		case strings.Contains(st.target, "attributes"):
			g.attributes = append(g.attributes, reference)
		}
	}
}

// one is true once in n times.
func (g *generator) one(n int) bool { return g.IntN(n) == 0 }

// pick is one of the values.
func pick[T any](g *generator, values ...T) T { return values[g.IntN(len(values))] }

// often is the first value, or else one of the others.
func often[T any](g *generator, percent int, first T, others ...T) T {
	if g.IntN(100) < percent {
		return first
	}
	return pick(g, others...)
}

// ask is a step of a user at some microversion.
func (g *generator) ask(method, target, user string) step {
	st := step{method: method, target: target, user: user, header: map[string]string{"Accept": "application/json"}}
	if g.one(2) {
		st.header[versionHeader] = pick(g, "2.0", "2.1", "2.2", "2.3", "2.3", "latest", "accelerator 2.3", "accelerator 2.1")
	}
	return st
}

const versionHeader = "OpenStack-API-Version"

// send is a step with a body.
func (g *generator) send(method, target, user, body string) step {
	st := g.ask(method, target, user)
	st.body, st.bodied = body, true
	st.header["Content-Type"] = "application/json"
	return st
}

// member is a user who may do what users do, mostly.
func (g *generator) member() string {
	return often(g, 60, "demo", "admin", "admin", "admin", "admin", "other", "other", "demo-reader", "nova")
}

// administrator is a user who may do everything, mostly.
func (g *generator) administrator() string {
	return often(g, 85, "admin", "demo", "demo-reader", "other", "nova")
}

// of is a reference to something that was made, mostly to one of the last.
func (g *generator) of(made []string) string {
	if len(made) == 0 || g.one(15) {
		return pick(g, unknown, "abc", "1", "{{device.0}}", "{{deployable.0}}", "{{attribute.0}}")
	}
	from := 0
	if len(made) > 5 && !g.one(4) {
		from = len(made) - 5
	}
	reference := made[from+g.IntN(len(made)-from)]
	if g.one(20) {
		return strings.TrimSuffix(reference, "}}") + "|" + pick(g, "upper", "hex") + "}}"
	}
	return reference
}

// name is a name of a profile.
func (g *generator) name() string {
	return often(g, 70, pick(g, "alpha", "beta"), "gamma", "delta", "epsilon", "Alpha", "zeta-7", "_")
}

// instance is the uuid of an instance. A compute service may know instances by how they begin, see functional/realstack/stub.py.
func (g *generator) instance() string {
	return pick(g, "11111111", "22222222", "33333333", "44444444", "55555555", "66666666", "77777777", "88888888", "40400000", "42200000") +
		"-0000-4000-8000-000000000000"
}

// number is a small number, or what Python might take for one.
func (g *generator) number() string {
	return often(g, 90, pick(g, `"1"`, `"1"`, `"1"`, `"2"`, `"3"`), `1`, `2`, `"0"`, `"-1"`, `" 1 "`, `"+1"`, `"1_0"`, `"1.5"`, `1.5`, `true`, `false`,
		`"many"`, `""`, `"٣"`, `"0x1"`, `1e0`, `"1e0"`, `null`, `[]`, `{}`, `-1`, `"１"`)
}

// scalar is any small JSON value.
func (g *generator) scalar() string {
	return pick(g, "null", "true", "false", "0", "1", "-1", "5", "1.5", "1e2", `""`, `"x"`, `"a b"`, `"é"`, `"\u0000"`, `"1"`, "[]", "{}", `["x"]`, `{"a":"b"}`, "[null]", `"'"`, `"\""`,
		`"a\nb"`, `"{0}"`, `"%s"`, quoted(strings.Repeat("n", 256)))
}

func number(n int) string { return strconv.Itoa(n) }
