package placementtest

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// amount is how much of one class a group asks for.
type amount struct {
	class string
	n     int64
}

// traitRule is what a group says about traits: one of each set must be there, none of the forbidden.
type traitRule struct {
	required  [][]string
	forbidden []string
}

// aggregateRule is what a group says about aggregates, in the same form.
type aggregateRule struct {
	required  [][]string
	forbidden []string
}

// group is one request group of GET /allocation_candidates. Mirrors placement/lib.py RequestGroup.
type group struct {
	suffix     string
	resources  []amount
	traits     traitRule
	aggregates aggregateRule
	// inTree is the uuid of any provider of the tree that the group must come from; empty for none.
	inTree string
}

// parseGroups reads the groups, in the order in which their first parameter stands in the query. Mirrors _parse_request_items.
func parseGroups(q query, minor int) ([]*group, *fault) {
	var groups []*group
	bySuffix := make(map[string]*group)
	values := q.values()
	for _, p := range q {
		word, suffix, ok := groupKey(p.key, minor)
		if !ok {
			continue
		}
		g := bySuffix[suffix]
		if g == nil {
			g = &group{suffix: suffix}
			bySuffix[suffix] = g
			groups = append(groups, g)
		}
		if f := g.read(word, p.value, values[p.key], minor); f != nil {
			return nil, f
		}
		delete(values, p.key)
	}
	return groups, nil
}

// read takes one parameter into a group. Words that may be repeated are read whole where they first stand: all is empty after that.
func (g *group) read(word, value string, all []string, minor int) *fault {
	var f *fault
	switch {
	case word == "resources":
		g.resources, f = parseResources(value)
	case word == "in_tree":
		g.inTree, f = parseInTree(value)
	case len(all) == 0:
	case word == "required":
		g.traits, f = parseTraitRule(all, minor)
	case word == "member_of":
		g.aggregates, f = parseAggregateRule(all, g.suffix, minor)
	}
	return f
}

// parseResources reads CLASS:N,CLASS:N. A class given twice counts once, with its last amount. Mirrors
// normalize_resources_qs_param of placement/util.py.
func parseResources(value string) ([]amount, *fault) {
	const form = "Badly formed resources parameter. Expected resources query string parameter in form: " +
		"?resources=VCPU:2,MEMORY_MB:1024. Got: %s."
	if strings.TrimSpace(value) == "" {
		return nil, badRequest(form, "empty string")
	}
	var out []amount
	places := make(map[string]int)
	for part := range strings.SplitSeq(value, ",") {
		class, number, ok := strings.Cut(part, ":")
		if !ok || strings.Contains(number, ":") {
			return nil, badRequest(form, part)
		}
		n, ok := parseAmount(number)
		if !ok {
			return nil, badRequest("Requested resource %s expected positive integer amount. Got: %s.", class, number)
		}
		if n < 1 {
			return nil, badRequest("Requested resource %s requires amount >= 1. Got: %s.", class, number)
		}
		if i, ok := places[class]; ok {
			out[i].n = n
			continue
		}
		places[class] = len(out)
		out = append(out, amount{class: class, n: n})
	}
	return out, nil
}

// parseAmount reads an integer as Python does: with blanks around it, a sign, and single underscores between digits. What does
// not fit an int64 becomes the nearest that does: nothing has that much room anyway.
func parseAmount(s string) (int64, bool) {
	s = strings.TrimSpace(s)
	digits := strings.TrimLeft(s, "+-")
	if len(s)-len(digits) > 1 || digits == "" || strings.HasPrefix(digits, "_") || strings.HasSuffix(digits, "_") ||
		strings.Contains(digits, "__") {
		return 0, false
	}
	digits = strings.ReplaceAll(digits, "_", "")
	if strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		n = math.MaxInt64
	}
	if strings.HasPrefix(s, "-") {
		n = -n
	}
	return n, true
}

// parseTraitRule reads the values of a required parameter. Below 1.39 only the last counts. Mirrors normalize_traits_qs_params.
func parseTraitRule(values []string, minor int) (traitRule, *fault) {
	if minor < 39 {
		values = values[len(values)-1:]
	}
	var rule traitRule
	for _, value := range values {
		next, f := parseTraits(value, minor >= 22, minor >= 39)
		if f != nil {
			return traitRule{}, f
		}
		rule.required = append(rule.required, next.required...)
		rule.forbidden = append(rule.forbidden, next.forbidden...)
	}
	return rule, nil
}

// parseTraits reads one value: T1,!T2 or in:T1,T2. Mirrors normalize_traits_qs_param.
func parseTraits(value string, allowForbidden, allowAny bool) (traitRule, *fault) {
	if strings.HasPrefix(value, "in:") {
		return parseAnyTraits(value, allowAny)
	}
	const form = "Invalid query string parameters: Expected 'required' parameter value of the form: %s. Got%s: %s"
	example := "HW_CPU_X86_VMX,CUSTOM_MAGIC"
	if allowForbidden {
		example = "HW_CPU_X86_VMX,!CUSTOM_MAGIC"
	}
	var rule traitRule
	for part := range strings.SplitSeq(value, ",") {
		trait := strings.TrimSpace(part)
		name := strings.TrimLeft(trait, "!")
		switch name {
		case "":
			return traitRule{}, badRequest(form, example, " an empty trait in", value)
		case trait:
			rule.required = append(rule.required, []string{trait})
		default:
			rule.forbidden = append(rule.forbidden, name)
		}
	}
	if len(rule.forbidden) > 0 && !allowForbidden {
		return traitRule{}, badRequest(form, example, "", value)
	}
	return rule, nil
}

// parseAnyTraits reads in:T1,T2.
func parseAnyTraits(value string, allowed bool) (traitRule, *fault) {
	const prefix = "Invalid query string parameters: "
	if !allowed {
		return traitRule{}, badRequest(prefix+"The format 'in:HW_CPU_X86_VMX,CUSTOM_MAGIC' only supported since microversion "+
			"1.39. Got: %s", value)
	}
	var any []string
	for part := range strings.SplitSeq(value[len("in:"):], ",") {
		any = append(any, strings.TrimSpace(part))
	}
	if slices.Contains(any, "") {
		return traitRule{}, badRequest(prefix+"Expected 'required' parameter value of the form: "+
			"in:HW_CPU_X86_VMX,CUSTOM_MAGIC. Got an empty trait in: %s", value)
	}
	if slices.ContainsFunc(any, func(t string) bool { return strings.HasPrefix(t, "!") }) {
		return traitRule{}, badRequest(prefix+"The format 'in:HW_CPU_X86_VMX,CUSTOM_MAGIC' does not support forbidden traits. "+
			"Got: %s", value)
	}
	return traitRule{required: [][]string{any}}, nil
}

// parseAggregateRule reads the values of a member_of parameter. Mirrors normalize_member_of_qs_params.
func parseAggregateRule(values []string, suffix string, minor int) (aggregateRule, *fault) {
	if minor < 24 && len(values) > 1 {
		return aggregateRule{}, badRequest("Multiple member_of%s parameters are not supported", suffix)
	}
	var rule aggregateRule
	for _, value := range values {
		uuids, forbidden, f := parseAggregates(value)
		switch {
		case f != nil:
			return aggregateRule{}, f
		case !forbidden:
			rule.required = append(rule.required, uuids)
		case minor < 32:
			return aggregateRule{}, badRequest("Forbidden member_of%s parameters are not supported in the specified microversion",
				suffix)
		default:
			rule.forbidden = append(rule.forbidden, uuids...)
		}
	}
	return rule, nil
}

// parseAggregates reads one value: A, !A, in:A,B or !in:A,B. Mirrors normalize_member_of_qs_param.
func parseAggregates(value string) (uuids []string, forbidden bool, f *fault) {
	rest, forbidden := strings.CutPrefix(value, "!")
	rest, several := strings.CutPrefix(rest, "in:")
	if strings.Contains(value, ",") && !several {
		return nil, false, badRequest("Multiple values for 'member_of' must be prefixed with the 'in:' or '!in:' keyword using the "+
			"valid microversion. Got: %s", value)
	}
	uuids = []string{rest}
	if several {
		uuids = strings.Split(rest, ",")
	}
	for _, uuid := range uuids {
		if _, ok := normalUUID(uuid); !ok {
			return nil, false, badRequest("Invalid query string parameters: Expected 'member_of' parameter to contain valid "+
				"UUID(s). Got: %s", uuid)
		}
	}
	return uuids, forbidden, nil
}

// parseInTree reads a provider's uuid.
func parseInTree(value string) (string, *fault) {
	uuid := strings.TrimSpace(value)
	if _, ok := normalUUID(uuid); !ok {
		return "", badRequest("Invalid query string parameters: Expected 'in_tree' parameter to be a format of uuid. Got: %s", value)
	}
	return uuid, nil
}

// conflicts tells whether the rule asks for a trait and forbids it too: no trait of a set is left.
func (r traitRule) conflicts() bool {
	forbidden := setOf(r.forbidden...)
	return slices.ContainsFunc(r.required, func(any []string) bool {
		return !slices.ContainsFunc(any, func(t string) bool { return !forbidden.has(t) })
	})
}
