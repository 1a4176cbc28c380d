package functional_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// next makes one random step: mostly questions about candidates, otherwise a write or another question.
func (d *differ) next() {
	steps := []struct {
		weight int
		run    func()
	}{
		{3, d.createProvider},
		{3, d.updateProvider},
		{1, d.deleteProvider},
		{4, d.putInventories},
		{2, d.oneInventory},
		{3, d.putTraits},
		{3, d.putAggregates},
		{5, d.putAllocations},
		{3, d.postAllocations},
		{2, d.deleteAllocations},
		{2, d.reshape},
		{2, d.nameStep},
		{4, d.listProviders},
		{2, d.getUsages},
		{4, d.readProvider},
		{1, d.readConsumer},
		{40, d.candidates},
	}
	total := 0
	for _, s := range steps {
		total += s.weight
	}
	at := d.rand.IntN(total)
	for _, s := range steps {
		if at -= s.weight; at < 0 {
			s.run()
			return
		}
	}
}

// pick gives one of a list.
func pick[T any](d *differ, from []T) T { return from[d.rand.IntN(len(from))] }

// some gives up to n different ones of a list, at least the given number.
func (d *differ) some(from []string, least, most int) []string {
	out := slices.Clone(from)
	d.rand.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:min(least+d.rand.IntN(most-least+1), len(out))]
}

// chance is true once in n times.
func (d *differ) chance(n int) bool { return d.rand.IntN(n) == 0 }

// version is mostly the newest.
func (d *differ) version(least int) string {
	if !d.chance(3) {
		return "1.39"
	}
	return fmt.Sprintf("1.%d", least+d.rand.IntN(40-least))
}

// generation is the present one of a provider, sometimes a wrong one.
func (d *differ) generation(provider string) int {
	body, _ := d.ask(d.fake, http.MethodGet, "/resource_providers/"+provider, "1.39", nil).Body.(map[string]any)
	n, _ := body["generation"].(float64)
	if d.chance(12) {
		n++
	}
	return int(n)
}

// populate starts a new world: a forest over all provider names, most of it with something to give.
func (d *differ) populate() {
	for i, p := range d.world.providers {
		body := map[string]any{"uuid": p, "name": d.world.prefix + p}
		if i > 0 && !d.chance(4) {
			body["parent_provider_uuid"] = d.world.providers[d.rand.IntN(i)]
		}
		d.both(http.MethodPost, "/resource_providers", "1.39", body)
		inventories := make(map[string]any)
		for _, class := range d.some(d.world.classes, 1, 3) {
			inventories[class] = d.inventory()
		}
		path := "/resource_providers/" + p
		d.both(http.MethodPut, path+"/inventories", "1.39", map[string]any{
			"resource_provider_generation": 0, "inventories": inventories,
		})
		d.setTraits(p)
		d.setAggregates(p)
	}
}

func (d *differ) createProvider() {
	p := pick(d, d.world.providers)
	body := map[string]any{"uuid": p, "name": d.world.prefix + p}
	if !d.chance(3) {
		body["parent_provider_uuid"] = pick(d, d.world.providers)
	}
	d.both(http.MethodPost, "/resource_providers", d.version(0), body)
}

func (d *differ) updateProvider() {
	p := pick(d, d.world.providers)
	body := map[string]any{"name": d.world.prefix + p}
	switch d.rand.IntN(4) {
	case 0:
		body["parent_provider_uuid"] = nil
	case 1:
		body["name"] = d.world.prefix + pick(d, d.world.providers)
	default:
		body["parent_provider_uuid"] = pick(d, d.world.providers)
	}
	d.both(http.MethodPut, "/resource_providers/"+p, d.version(14), body)
}

func (d *differ) deleteProvider() {
	d.both(http.MethodDelete, "/resource_providers/"+pick(d, d.world.providers), "1.39", nil)
}

// inventory is one with odd units now and then.
func (d *differ) inventory() map[string]any {
	inv := map[string]any{"total": 2 + d.rand.IntN(9)}
	if d.chance(4) {
		inv["reserved"] = d.rand.IntN(4)
	}
	if d.chance(4) {
		inv["max_unit"] = 1 + d.rand.IntN(4)
	}
	if d.chance(9) {
		inv["min_unit"] = 1 + d.rand.IntN(3)
	}
	if d.chance(9) {
		inv["step_size"] = 1 + d.rand.IntN(3)
	}
	if d.chance(4) {
		inv["allocation_ratio"] = pick(d, []float64{0.5, 1.5, 2, 0, 16})
	}
	return inv
}

// inventories are some of the classes; rarely one that does not exist.
func (d *differ) inventories() map[string]any {
	out := make(map[string]any)
	for _, class := range d.some(d.world.classes, 0, 3) {
		out[class] = d.inventory()
	}
	if d.chance(25) {
		out[d.world.prefix+"NOT"] = d.inventory()
	}
	return out
}

func (d *differ) putInventories() {
	p := pick(d, d.world.providers)
	d.both(http.MethodPut, "/resource_providers/"+p+"/inventories", d.version(0), map[string]any{
		"resource_provider_generation": d.generation(p), "inventories": d.inventories(),
	})
}

func (d *differ) oneInventory() {
	p, class := pick(d, d.world.providers), pick(d, append(d.world.classes, d.world.prefix+"NOT"))
	path, inv := "/resource_providers/"+p+"/inventories", d.inventory()
	switch d.rand.IntN(4) {
	case 0:
		inv["resource_class"] = class
		d.both(http.MethodPost, path, d.version(0), inv)
	case 1:
		inv["resource_provider_generation"] = d.generation(p)
		d.both(http.MethodPut, path+"/"+class, d.version(0), inv)
	case 2:
		d.both(http.MethodDelete, path+"/"+class, d.version(0), nil)
	default:
		d.both(http.MethodDelete, path, d.version(0), nil)
	}
}

func (d *differ) putTraits() { d.setTraits(pick(d, d.world.providers)) }

func (d *differ) setTraits(p string) {
	traits := d.some(d.world.traits, 0, 2)
	if d.chance(7) {
		traits = append(traits, sharingTrait)
	}
	if d.chance(25) {
		traits = append(traits, d.world.prefix+"NOT")
	}
	d.both(http.MethodPut, "/resource_providers/"+p+"/traits", d.version(6), map[string]any{
		"resource_provider_generation": d.generation(p), "traits": traits,
	})
}

func (d *differ) putAggregates() { d.setAggregates(pick(d, d.world.providers)) }

func (d *differ) setAggregates(p string) {
	path, aggregates := "/resource_providers/"+p+"/aggregates", d.some(d.world.aggregates, 0, 2)
	if d.chance(5) {
		d.both(http.MethodPut, path, "1.18", aggregates)
		return
	}
	d.both(http.MethodPut, path, "1.39", map[string]any{
		"resource_provider_generation": d.generation(p), "aggregates": aggregates,
	})
}

// claim is what a consumer is to have, with the right consumer generation most of the time.
func (d *differ) claim(consumer string) map[string]any {
	allocations := make(map[string]any)
	for _, p := range d.some(d.world.providers, 0, 2) {
		resources := make(map[string]any)
		for _, class := range d.some(d.world.classes, 1, 2) {
			resources[class] = 1 + d.rand.IntN(3)
		}
		if d.chance(40) {
			resources[d.world.prefix+"NOT"] = 1
		}
		allocations[p] = map[string]any{"resources": resources}
	}
	body := map[string]any{
		"allocations": allocations, "project_id": d.world.prefix + "P", "user_id": d.world.prefix + pick(d, []string{"U1", "U2"}),
		"consumer_type": pick(d, []string{"INSTANCE", "MIGRATION"}), "consumer_generation": nil,
	}
	present, _ := d.ask(d.fake, http.MethodGet, "/allocations/"+consumer, "1.39", nil).Body.(map[string]any)
	if n, ok := present["consumer_generation"]; ok {
		body["consumer_generation"] = n
	} else if d.chance(4) {
		body["consumer_generation"] = 0
	}
	if d.chance(15) {
		body["consumer_generation"] = 7
	}
	return body
}

func (d *differ) putAllocations() {
	c := pick(d, d.world.consumers)
	body := d.claim(c)
	version := "1.39"
	if d.chance(4) {
		version = "1.27"
		delete(body, "consumer_type")
		delete(body, "consumer_generation")
	}
	d.both(http.MethodPut, "/allocations/"+c, version, body)
	d.both(http.MethodGet, "/allocations/"+c, d.version(0), nil)
}

func (d *differ) postAllocations() {
	body := make(map[string]any)
	for _, c := range d.some(d.world.consumers, 1, 3) {
		body[c] = d.claim(c)
	}
	d.both(http.MethodPost, "/allocations", "1.39", body)
}

func (d *differ) deleteAllocations() {
	d.both(http.MethodDelete, "/allocations/"+pick(d, d.world.consumers), "1.39", nil)
}

func (d *differ) reshape() {
	inventories, allocations := make(map[string]any), make(map[string]any)
	for _, p := range d.some(d.world.providers, 1, 2) {
		inventories[p] = map[string]any{"resource_provider_generation": d.generation(p), "inventories": d.inventories()}
	}
	for _, c := range d.some(d.world.consumers, 0, 2) {
		allocations[c] = d.claim(c)
	}
	d.both(http.MethodPost, "/reshaper", "1.39", map[string]any{"inventories": inventories, "allocations": allocations})
	for p := range inventories {
		d.both(http.MethodGet, "/resource_providers/"+p, "1.39", nil)
	}
}

// nameStep touches classes and traits.
func (d *differ) nameStep() {
	kind := pick(d, []string{"/resource_classes/", "/traits/"})
	name := pick(d, []string{d.world.prefix + "X", d.world.prefix + "C0", d.world.prefix + "T0", "VCPU", "HW_CPU_X86_VMX", "lower"})
	method := pick(d, []string{http.MethodGet, http.MethodPut, http.MethodDelete})
	if method == http.MethodDelete && !strings.HasSuffix(name, "X") && strings.HasPrefix(name, "CUSTOM") {
		method = http.MethodGet
	}
	d.both(method, kind+name, "1.39", nil)
	filter := pick(d, []string{"&associated=true", "&associated=false", ""})
	d.both(http.MethodGet, "/traits?name=startswith:"+d.world.prefix+filter, d.version(6), nil)
}

func (d *differ) readProvider() {
	path := "/resource_providers/" + pick(d, d.world.providers)
	part := pick(d, []string{"", "/inventories", "/traits", "/aggregates", "/usages", "/allocations", "/inventories/" + d.world.classes[0]})
	d.both(http.MethodGet, path+part, d.version(0), nil)
}

func (d *differ) readConsumer() {
	d.both(http.MethodGet, "/allocations/"+pick(d, d.world.consumers), d.version(0), nil)
}

func (d *differ) getUsages() {
	q := url.Values{"project_id": {d.world.prefix + "P"}}
	version := d.version(9)
	if d.chance(2) {
		q.Set("user_id", d.world.prefix+"U1")
	}
	if d.chance(2) {
		q.Set("consumer_type", pick(d, []string{"INSTANCE", "all", "unknown", "OTHER"}))
	}
	d.both(http.MethodGet, "/usages?"+q.Encode(), version, nil)
}

// listProviders keeps to the own providers by asking for an own trait, class, aggregate or tree.
func (d *differ) listProviders() {
	q := url.Values{}
	for _, key := range d.some([]string{"required", "resources", "member_of", "in_tree"}, 1, 3) {
		switch key {
		case "required":
			q[key] = d.required()
		case "resources":
			q.Set(key, d.resources())
		case "member_of":
			q[key] = d.memberOf()
		case "in_tree":
			q.Set(key, pick(d, d.world.providers))
		}
	}
	q.Add("in_tree", pick(d, d.world.providers))
	d.both(http.MethodGet, "/resource_providers?"+q.Encode(), d.version(0), nil)
}

// required is one to two values of a required parameter, about own traits only: whether any provider at all has a trait decides how
// far the real service looks, and providers of others may have the sharing trait.
func (d *differ) required() []string {
	var out []string
	for range 1 + d.rand.IntN(4)/3 {
		traits := d.some(d.world.traits, 1, 2)
		switch d.rand.IntN(4) {
		case 0:
			out = append(out, "in:"+strings.Join(traits, ","))
		case 1:
			out = append(out, "!"+traits[0])
		case 2:
			out = append(out, traits[0])
		default:
			out = append(out, strings.Join(traits, ",!"))
		}
	}
	if d.chance(30) {
		out = append(out, d.world.prefix+"NOT")
	}
	return out
}

// memberOf is one to two values of a member_of parameter.
func (d *differ) memberOf() []string {
	var out []string
	for range 1 + d.rand.IntN(4)/3 {
		aggregates := d.some(d.world.aggregates, 1, 2)
		prefix := pick(d, []string{"in:", "in:", "in:", "!in:"})
		out = append(out, prefix+strings.Join(aggregates, ","))
	}
	if d.chance(30) {
		out = append(out, d.world.consumers[0])
	}
	return out
}

// resources is one to three classes with amounts.
func (d *differ) resources() string {
	var parts []string
	for _, class := range d.some(d.world.classes, 1, 2) {
		parts = append(parts, fmt.Sprintf("%s:%d", class, 1+d.rand.IntN(5)/4))
	}
	if d.chance(40) {
		parts = append(parts, d.world.prefix+"NOT:1")
	}
	return strings.Join(parts, ",")
}

// candidates asks a random question. A class that the plain group shares with another one is asked for under group_policy=none
// only: otherwise the real service adds up amounts in objects that several answers share (placement 8 to 16).
func (d *differ) candidates() {
	suffixes := d.some([]string{"", "1", "2", "_A", "_B"}, 1, 3)
	var q []string
	add := func(key string, values ...string) {
		for _, v := range values {
			q = append(q, key+"="+url.QueryEscape(v))
		}
	}
	seen, policy := make(map[string]bool), pick(d, []string{"none", "isolate"})
	shares := false
	for _, suffix := range suffixes {
		if suffix == "" || !d.chance(8) {
			resources := d.resources()
			for part := range strings.SplitSeq(resources, ",") {
				class, _, _ := strings.Cut(part, ":")
				if seen[class] && slices.Contains(suffixes, "") {
					policy, shares = "none", true
				}
				seen[class] = true
			}
			add("resources"+suffix, resources)
		}
		if d.chance(6) {
			add("required"+suffix, d.required()...)
		}
		if d.chance(8) {
			add("member_of"+suffix, d.memberOf()...)
		}
		if d.chance(14) {
			add("in_tree"+suffix, pick(d, d.world.providers))
		}
	}
	if d.chance(8) {
		add("root_required", strings.Join(d.some(d.world.traits, 1, 2), ",!"))
	}
	if named := slices.DeleteFunc(slices.Clone(suffixes), func(s string) bool { return s == "" }); len(named) > 0 && d.chance(3) {
		add("same_subtree", strings.Join(d.some(named, 1, len(named)), ","))
	}
	d.rand.Shuffle(len(q), func(i, j int) { q[i], q[j] = q[j], q[i] })
	if shares || !d.chance(30) {
		add("group_policy", policy)
	}
	got := d.both(http.MethodGet, "/allocation_candidates?"+strings.Join(q, "&"), d.version(10), nil)
	body, _ := got.Body.(map[string]any)
	if requests, _ := body["allocation_requests"].([]any); len(requests) > 0 {
		d.withCandidates++
	}
}
