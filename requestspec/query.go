package requestspec

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

type parameter struct{ key, value string }

// Query returns the query string of GET /allocation_candidates, sorted and escaped as Nova writes it
// (nova/scheduler/utils.py:ResourceRequest.to_querystring).
func (r *Request) Query() string {
	params := r.parameters()
	slices.SortFunc(params, func(a, b parameter) int {
		return cmp.Or(strings.Compare(a.key, b.key), strings.Compare(a.value, b.value))
	})
	text := make([]byte, 0, 64*len(params))
	for i, p := range params {
		if i > 0 {
			text = append(text, '&')
		}
		text = append(appendEscaped(text, p.key), '=')
		text = appendEscaped(text, p.value)
	}
	return string(text)
}

// appendEscaped is url.QueryEscape, but into a text that is there.
func appendEscaped(text []byte, s string) []byte {
	const hex = "0123456789ABCDEF"
	for i := range len(s) {
		switch c := s[i]; {
		case isAlphanumeric(c) || c == '-' || c == '_' || c == '.' || c == '~':
			text = append(text, c)
		case c == ' ':
			text = append(text, '+')
		default:
			text = append(text, '%', hex[c>>4], hex[c&15])
		}
	}
	return text
}

func (r *Request) parameters() []parameter {
	params := make([]parameter, 0, 4+3*len(r.Groups))
	if r.Limit > 0 {
		params = append(params, parameter{"limit", strconv.Itoa(r.Limit)})
	}
	if r.GroupPolicy != "" {
		params = append(params, parameter{"group_policy", r.GroupPolicy})
	}
	if len(r.RootRequired)+len(r.RootForbidden) > 0 {
		params = append(params, parameter{"root_required", traitList(r.RootRequired, r.RootForbidden)})
	}
	for _, suffixes := range r.SameSubtree {
		params = append(params, parameter{"same_subtree", sortedList(suffixes)})
	}
	for _, group := range r.Groups {
		params = r.appendGroup(params, group)
	}
	return params
}

// appendGroup mirrors nova/objects/request_spec.py:RequestGroup.to_queryparams.
func (r *Request) appendGroup(params []parameter, group Group) []parameter {
	if len(group.Resources) > 0 || r.nova {
		params = append(params, parameter{"resources" + group.Suffix, r.resourceList(group)})
	}
	if traits := traitList(group.Required, group.Forbidden); traits != "" {
		params = append(params, parameter{"required" + group.Suffix, traits})
	}
	for _, set := range group.Aggregates {
		params = append(params, parameter{"member_of" + group.Suffix, "in:" + sortedList(set)})
	}
	if group.InTree != "" {
		params = append(params, parameter{"in_tree" + group.Suffix, group.InTree})
	}
	if len(group.ForbiddenAggregates) > 0 {
		params = append(params, parameter{"member_of" + group.Suffix, "!in:" + sortedList(group.ForbiddenAggregates)})
	}
	return params
}

// resourceList joins class:amount pairs, sorted as whole texts.
func (r *Request) resourceList(group Group) string {
	pairs := make([]string, 0, len(group.Resources))
	for class := range group.Resources {
		pairs = append(pairs, class+":"+r.digits(group, class))
	}
	slices.Sort(pairs)
	return strings.Join(pairs, ",")
}

// Digits returns the whole amount of a class in the group of a suffix as decimal digits, also above the int64 range;
// "" when the group does not ask for the class.
func (r *Request) Digits(suffix, class string) string {
	group, _ := r.Group(suffix)
	if _, asked := group.Resources[class]; !asked {
		return ""
	}
	return r.digits(group, class)
}

func (r *Request) digits(group Group, class string) string {
	if digits, exact := r.exact[group.Suffix][class]; exact {
		return digits
	}
	return strconv.FormatInt(group.Resources[class], 10)
}

// traitList joins the sorted required traits and then the sorted forbidden ones, each with a "!".
func traitList(required, forbidden []string) string {
	if len(forbidden) == 0 {
		return sortedList(required)
	}
	excluded := "!" + strings.Join(inOrder(forbidden), ",!")
	if len(required) == 0 {
		return excluded
	}
	return sortedList(required) + "," + excluded
}

func sortedList(values []string) string {
	return strings.Join(inOrder(values), ",")
}
