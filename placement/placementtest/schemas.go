package placementtest

import (
	"maps"
	"regexp"
)

// Limits of placement/db/constants.py.
const (
	maxInt   = 2147483647
	maxFloat = 3.40282e+38
)

// Names and keys of placement/schemas/common.py.
var (
	namePattern       = regexp.MustCompile(`^[A-Z0-9_]+$`)
	customPattern     = regexp.MustCompile(`^CUSTOM_[A-Z0-9_]+$`)
	uuidKey           = regexp.MustCompile(`^[0-9a-fA-F-]{36}$`)
	mappingKey        = regexp.MustCompile(`[a-zA-Z0-9_-]{1,64}`)
	limitPattern      = regexp.MustCompile(`^[1-9][0-9]*$`)
	consumerTypeQuery = regexp.MustCompile(`^[A-Z0-9_]+$|^all|^unknown$`)
)

// Schemas without structure.
var (
	anyString     = &schema{types: []string{"string"}}
	uuidString    = &schema{types: []string{"string"}, uuid: true}
	anyInteger    = &schema{types: []string{"integer"}}
	longString    = &schema{types: []string{"string"}, minLength: 1, maxLength: 255}
	customName    = &schema{types: []string{"string"}, minLength: 1, maxLength: 255, pattern: customPattern}
	maybeInteger  = &schema{types: []string{"integer", "null"}}
	maybeUUID     = &schema{types: []string{"string", "null"}, uuid: true}
	aggregateList = &schema{types: []string{"array"}, items: uuidString, unique: true}
)

// atLeast is an integer of the database's size with a lower bound.
func atLeast(low float64) *schema {
	high := float64(maxInt)
	return &schema{types: []string{"integer"}, minimum: &low, maximum: &high}
}

func closedObject(properties map[string]*schema, required ...string) *schema {
	return &schema{types: []string{"object"}, properties: properties, required: required, closed: true}
}

// keyed is an object whose property names match a pattern.
func keyed(name *regexp.Regexp, value *schema, least int) *schema {
	return &schema{
		types: []string{"object"}, closed: true, minProperties: least,
		patterns: []patternSchema{{name: name, schema: value}},
	}
}

// Providers (schemas/resource_provider.py).
func providerSchema(minor int, create bool) *schema {
	p := map[string]*schema{"name": {types: []string{"string"}, maxLength: 200}}
	if create {
		p["uuid"] = uuidString
	}
	if minor >= 14 {
		p["parent_provider_uuid"] = maybeUUID
	}
	return closedObject(p, "name")
}

func providerListSchema(minor int) *schema {
	p := map[string]*schema{"name": anyString, "uuid": uuidString}
	since := []struct {
		minor int
		key   string
		s     *schema
	}{{3, "member_of", anyString}, {4, "resources", anyString}, {14, "in_tree", uuidString}, {18, "required", anyString}}
	for _, row := range since {
		if minor >= row.minor {
			p[row.key] = row.s
		}
	}
	return closedObject(p)
}

// Inventories (schemas/inventory.py).
func inventoryFields() map[string]*schema {
	ratioMax := maxFloat
	return map[string]*schema{
		"resource_provider_generation": anyInteger,
		"total":                        atLeast(1),
		"reserved":                     atLeast(0),
		"min_unit":                     atLeast(1),
		"max_unit":                     atLeast(1),
		"step_size":                    atLeast(1),
		"allocation_ratio":             {types: []string{"number"}, maximum: &ratioMax},
	}
}

var (
	putInventorySchema  = closedObject(inventoryFields(), "total", "resource_provider_generation")
	postInventorySchema = func() *schema {
		p := inventoryFields()
		p["resource_class"] = &schema{types: []string{"string"}, pattern: namePattern}
		return closedObject(p, "total", "resource_class")
	}()
	// The map of inventories is not closed: a name that is no class name fails later, as an unknown class.
	putInventoriesSchema = closedObject(map[string]*schema{
		"resource_provider_generation": anyInteger,
		"inventories": {types: []string{"object"}, patterns: []patternSchema{
			{name: namePattern, schema: closedObject(inventoryFields(), "total")},
		}},
	}, "resource_provider_generation", "inventories")
)

// Traits, classes, aggregates (schemas/trait.py, resource_class.py, aggregate.py).
var (
	providerTraitsSchema = closedObject(map[string]*schema{
		"traits":                       {types: []string{"array"}, items: longString},
		"resource_provider_generation": anyInteger,
	}, "traits", "resource_provider_generation")
	traitListSchema  = closedObject(map[string]*schema{"name": anyString, "associated": anyString})
	classSchema      = closedObject(map[string]*schema{"name": customName}, "name")
	aggregatesSchema = closedObject(map[string]*schema{
		"aggregates": aggregateList, "resource_provider_generation": anyInteger,
	}, "aggregates", "resource_provider_generation")
)

// Usages (schemas/usage.py).
func usagesSchema(minor int) *schema {
	p := map[string]*schema{"project_id": longString, "user_id": longString}
	if minor >= 38 {
		p["consumer_type"] = &schema{types: []string{"string"}, minLength: 1, maxLength: 255, pattern: consumerTypeQuery}
	}
	return closedObject(p, "project_id")
}

// amounts is the map from class to amount of an allocation.
func amounts() *schema {
	one := 1.0
	return keyed(namePattern, &schema{types: []string{"integer"}, minimum: &one}, 1)
}

// Allocations (schemas/allocation.py).
func putAllocationsSchema(minor int) *schema {
	if minor >= 12 {
		least := 0
		if minor < 28 {
			least = 1
		}
		return allocationSchema(minor, least)
	}
	p := map[string]*schema{"allocations": {types: []string{"array"}, minItems: 1, items: closedObject(map[string]*schema{
		"resource_provider": closedObject(map[string]*schema{"uuid": uuidString}, "uuid"),
		"resources":         amounts(),
	}, "resource_provider", "resources")}}
	if minor < 8 {
		return closedObject(p, "allocations")
	}
	p["project_id"], p["user_id"] = longString, longString
	return closedObject(p, "allocations", "project_id", "user_id")
}

// allocationSchema is what one consumer gets, from 1.12 on. least is how many providers it must name.
func allocationSchema(minor, least int) *schema {
	perProvider := closedObject(map[string]*schema{"generation": anyInteger, "resources": amounts()}, "resources")
	p := map[string]*schema{
		"allocations": keyed(uuidKey, perProvider, least), "project_id": longString, "user_id": longString,
	}
	required := []string{"allocations", "project_id", "user_id"}
	if minor >= 28 {
		p["consumer_generation"] = maybeInteger
		required = append(required, "consumer_generation")
	}
	if minor >= 34 {
		uuids := &schema{types: []string{"array"}, minItems: 1, items: uuidString}
		p["mappings"] = &schema{
			types: []string{"object"}, minProperties: 1,
			patterns: []patternSchema{{name: mappingKey, schema: uuids}},
		}
	}
	if minor >= 38 {
		p["consumer_type"] = &schema{types: []string{"string"}, minLength: 1, maxLength: 255, pattern: namePattern}
		required = append(required, "consumer_type")
	}
	return closedObject(p, required...)
}

func postAllocationsSchema(minor int) *schema { return keyed(uuidKey, allocationSchema(minor, 0), 1) }

// Reshaper (schemas/reshaper.py).
func reshaperSchema(minor int) *schema {
	return closedObject(map[string]*schema{
		"inventories": keyed(uuidKey, putInventoriesSchema, 1),
		"allocations": keyed(uuidKey, allocationSchema(minor, 0), 0),
	}, "inventories", "allocations")
}

// Candidates (schemas/allocation_candidate.py).
func candidatesSchema(minor int) *schema {
	p := make(map[string]*schema)
	if minor >= 16 {
		p["limit"] = &schema{types: []string{"string"}, minLength: 1, pattern: limitPattern}
	}
	if minor < 25 {
		plain := map[string]*schema{"resources": anyString}
		if minor >= 17 {
			plain["required"] = anyString
		}
		if minor >= 21 {
			plain["member_of"] = anyString
		}
		maps.Copy(p, plain)
		return closedObject(p, "resources")
	}
	p["group_policy"] = &schema{types: []string{"string"}, enum: []string{"none", "isolate"}}
	if minor >= 35 {
		p["root_required"] = anyString
	}
	if minor >= 36 {
		p["same_subtree"] = anyString
	}
	s := closedObject(p)
	for _, key := range groupKeys(minor) {
		s.patterns = append(s.patterns, patternSchema{name: key, schema: anyString})
	}
	return s
}

// Group parameters: the word, and the suffix that may follow it. Mirrors GROUP_PAT of schemas/common.py.
var (
	groupKeysNumbers     = groupKeyPatterns("([1-9][0-9]*)?", "resources", "required", "member_of")
	groupKeysTree        = groupKeyPatterns("([1-9][0-9]*)?", "resources", "required", "member_of", "in_tree")
	groupKeysAnySuffixes = groupKeyPatterns("([a-zA-Z0-9_-]{1,64})?", "resources", "required", "member_of", "in_tree")
)

// groupKeyPatterns makes one pattern per word.
func groupKeyPatterns(suffix string, words ...string) []*regexp.Regexp {
	patterns := make([]*regexp.Regexp, 0, len(words))
	for _, word := range words {
		patterns = append(patterns, regexp.MustCompile("^"+word+suffix+"$"))
	}
	return patterns
}

// groupKeys are the patterns of the group parameters that a microversion has.
func groupKeys(minor int) []*regexp.Regexp {
	switch {
	case minor >= 33:
		return groupKeysAnySuffixes
	case minor >= 31:
		return groupKeysTree
	}
	return groupKeysNumbers
}

// groupKey takes a parameter of a group apart; false for any other parameter.
func groupKey(key string, minor int) (word, suffix string, ok bool) {
	for _, pattern := range groupKeys(minor) {
		if match := pattern.FindStringSubmatch(key); match != nil {
			return key[:len(key)-len(match[1])], match[1], true
		}
	}
	return "", "", false
}
