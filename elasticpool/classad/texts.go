package classad

import (
	"cmp"
	"slices"
	"strings"
)

// blanks are what C's isspace knows.
const blanks = " \t\n\v\f\r"

// separators are what separates the items of HTCondor's string lists unless a call says something else.
const separators = " ,"

func concatenate(_ *run, arguments []Value) Value {
	var b strings.Builder
	for _, v := range arguments {
		b.WriteString(v.characters())
	}
	return Text(b.String())
}

func changeCase(change func(string) string) func(*run, []Value) Value {
	return func(_ *run, arguments []Value) Value { return Text(change(arguments[0].characters())) }
}

func compareText(order func(x, y string) int) function {
	return func(r *run, s *scope, arguments []node) Value {
		if len(arguments) != 2 {
			return Failed()
		}
		values := r.all(arguments, s)
		switch {
		case has(values, KindUndefined): // whatever else there is
			return Undefined()
		case has(values, KindError):
			return Failed()
		}
		return Int(int64(cmp.Compare(order(values[0].characters(), values[1].characters()), 0)))
	}
}

func compareExact(x, y string) int { return strings.Compare(x, y) }

// items returns the items of a string list, without blanks around them; empty ones are no items.
func items(text, separated string) []string {
	var found []string
	for item := range strings.FieldsFuncSeq(text, func(c rune) bool { return strings.ContainsRune(separated, c) }) {
		if item = strings.Trim(item, blanks); item != "" {
			found = append(found, item)
		}
	}
	return found
}

// stringListMember says whether a string list has an item. An undefined argument is an empty string to it, unless both
// the item and the list are undefined.
func stringListMember(equal func(x, y string) bool) function {
	return func(r *run, s *scope, arguments []node) Value {
		if len(arguments) < 2 || len(arguments) > 3 {
			return Failed()
		}
		values := r.all(arguments, s)
		switch {
		case slices.ContainsFunc(values, func(v Value) bool { return v.kind != KindUndefined && v.kind != KindString }):
			return Failed()
		case values[0].kind == KindUndefined && values[1].kind == KindUndefined:
			return Undefined()
		}
		separated := append(values, Undefined())[2].text
		if separated == "" {
			separated = separators
		}
		return Bool(slices.ContainsFunc(items(values[1].text, separated), func(item string) bool {
			return equal(item, values[0].text)
		}))
	}
}
