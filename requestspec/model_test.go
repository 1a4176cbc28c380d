package requestspec_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/novacyborg/novacyborg/requestspec"
)

// model is Nova's request for what drawInput draws, written down a second time, as plainly as can be and sharing nothing
// with the package: sets of "class:amount" and of traits by suffix.
type model struct {
	amounts   map[string]map[string]string
	required  map[string]map[string]bool
	forbidden map[string]map[string]bool
}

var (
	modelKey    = regexp.MustCompile(`^(resources|trait)([a-zA-Z0-9_-]{0,64}):(.*)$`)
	modelNumber = regexp.MustCompile(`^[0-9]+$`)
	modelKnown  = regexp.MustCompile(`^(FPGA|PGPU|VCPU|MEMORY_MB|CUSTOM_.*)$`)
)

func (m model) read(suffix *string, keys []string, value func(string) string) {
	for _, key := range keys {
		match := modelKey.FindStringSubmatch(key)
		if match == nil {
			continue
		}
		group := match[2]
		if suffix != nil {
			group = *suffix
		}
		if m.amounts[group] == nil {
			m.amounts[group], m.required[group], m.forbidden[group] = map[string]string{}, map[string]bool{}, map[string]bool{}
		}
		name, text := match[3], strings.TrimSpace(value(key))
		switch {
		case match[1] == "trait" && text == "required":
			m.required[group][name] = true
		case match[1] == "trait" && text == "forbidden":
			m.forbidden[group][name] = true
		case match[1] == "resources" && modelKnown.MatchString(name) && modelNumber.MatchString(text):
			m.amounts[group][name] = text
		}
	}
}

// modelQuery returns the query, or "" where Nova refuses a group of the profile that asks for nothing.
func modelQuery(in requestspec.Input) string {
	m := model{map[string]map[string]string{}, map[string]map[string]bool{}, map[string]map[string]bool{}}
	specs := in.Flavor.ExtraSpecs
	m.read(nil, slices.Collect(maps.Keys(specs)), func(key string) string { return specs[key] })
	fromFlavor := len(m.amounts)
	if m.amounts[""] != nil {
		fromFlavor--
	}
	_, profile := specs["accel:device_profile"]
	for i, group := range in.Profile {
		suffix := "device_profile_" + strconv.Itoa(i)
		values := map[string]string{}
		var keys []string
		for _, p := range group {
			keys = append(keys, p.Key)
			values[p.Key] = fmt.Sprint(p.Value)
		}
		m.read(&suffix, keys, func(key string) string { return values[key] })
		if len(m.amounts[suffix])+len(m.required[suffix])+len(m.forbidden[suffix]) == 0 {
			return ""
		}
	}
	m.addSizes(in.Flavor)
	return m.query(fromFlavor, profile)
}

func (m model) addSizes(flavor requestspec.Flavor) {
	asked := map[string]bool{}
	for _, amounts := range m.amounts {
		for class := range amounts {
			asked[class] = true
		}
	}
	if m.amounts[""] == nil {
		m.amounts[""] = map[string]string{}
	}
	if !asked["VCPU"] {
		m.amounts[""]["VCPU"] = strconv.Itoa(flavor.VCPUs)
	}
	if !asked["MEMORY_MB"] {
		m.amounts[""]["MEMORY_MB"] = strconv.Itoa(flavor.MemoryMB)
	}
	m.amounts[""]["DISK_GB"] = strconv.Itoa((flavor.SwapMB + 1023) / 1024)
}

func (m model) query(fromFlavor int, profile bool) string {
	var params []string
	suffixed := 0
	for suffix, amounts := range m.amounts {
		maps.DeleteFunc(amounts, func(_, n string) bool { return strings.Trim(n, "0") == "" })
		traits := slices.Sorted(maps.Keys(m.required[suffix]))
		for _, trait := range slices.Sorted(maps.Keys(m.forbidden[suffix])) {
			traits = append(traits, "!"+trait)
		}
		if len(amounts)+len(traits) == 0 {
			continue
		}
		if suffix != "" {
			suffixed++
		}
		var pairs []string
		for class, n := range amounts {
			pairs = append(pairs, class+":"+n)
		}
		slices.Sort(pairs)
		params = append(params, "resources"+suffix+"="+strings.Join(pairs, ","))
		// A list of traits that is one empty name is no parameter.
		if list := strings.Join(traits, ","); list != "" {
			params = append(params, "required"+suffix+"="+list)
		}
	}
	if suffixed > 1 && fromFlavor < 2 {
		params = append(params, "group_policy=none")
	}
	root := "root_required="
	if profile {
		root += "COMPUTE_ACCELERATORS,"
	}
	params = append(params, "limit=1000", root+"!COMPUTE_STATUS_DISABLED")
	slices.SortFunc(params, func(a, b string) int {
		keyA, _, _ := strings.Cut(a, "=")
		keyB, _, _ := strings.Cut(b, "=")
		return strings.Compare(keyA, keyB)
	})
	return strings.Join(params, "&")
}
