package classad

import (
	"regexp"
	"slices"
	"strings"
)

// matchPattern is regexp(pattern, text, options). Of HTCondor's options i, m and s are known and others are ignored,
// but x (blanks in the pattern mean nothing) is an error. Patterns are those of Go, which are searched in linear time:
// those of HTCondor with look-around or back references are errors.
func matchPattern(r *run, s *scope, arguments []node) Value {
	if len(arguments) < 2 || len(arguments) > 3 {
		return Failed()
	}
	values := r.all(arguments, s)
	switch {
	case has(values, KindError): // whatever else there is
		return Failed()
	case has(values, KindUndefined):
		return Undefined()
	case slices.ContainsFunc(values, func(v Value) bool { return v.kind != KindString }):
		return Failed()
	}
	return r.search(values[0].text, values[1].text, append(values, Text(""))[2].text)
}

func (r *run) search(pattern, text, options string) Value {
	if strings.Contains(options, "x") {
		return Failed()
	}
	const longest = 1024 // of a pattern, because a pattern takes memory in proportion
	if len(pattern) > longest || !r.spend(searchCost(pattern, text)) {
		return Failed()
	}
	if flags := known(options, "ims"); flags != "" {
		pattern = "(?" + flags + ")" + pattern
	}
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return Failed()
	}
	return Bool(compiled.MatchString(text))
}

// known returns the options that are in a set.
func known(options, set string) string {
	var flags strings.Builder
	for i := range len(set) {
		if strings.IndexByte(options, set[i]) >= 0 {
			flags.WriteByte(set[i])
		}
	}
	return flags.String()
}

// searchCost is what a search takes of the budget of steps: the pattern is compiled, and then every byte of the text
// may be held against every part of it.
func searchCost(pattern, text string) int {
	return 20 + 10*len(pattern) + len(pattern)*len(text)/20
}
