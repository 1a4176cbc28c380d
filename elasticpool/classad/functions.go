package classad

import "slices"

// function evaluates a call. It gets its arguments unevaluated, because some are evaluated elsewhere or not at all.
type function func(r *run, s *scope, arguments []node) Value

// functions are the functions that the package knows, by their names in lower case. HTCondor has more (see
// Expr.Unknown); those that depend on anything but their arguments, like time, are left out on purpose.
var functions = map[string]function{
	"isundefined": isKind(KindUndefined),
	"iserror":     isKind(KindError),
	"isboolean":   isKind(KindBoolean),
	"isinteger":   isKind(KindInteger),
	"isreal":      isKind(KindReal),
	"isstring":    isKind(KindString),
	"islist":      isKind(KindList),
	"isclassad":   isKind(KindAd),

	"int":    strict(1, 1, toInteger),
	"real":   strict(1, 1, toReal),
	"bool":   strict(1, 1, toBoolean),
	"string": strict(1, 1, toString),

	"floor":    rounding(floor),
	"ceil":     rounding(ceiling),
	"ceiling":  rounding(ceiling),
	"round":    rounding(nearest),
	"quantize": quantize,

	"size": strict(1, 1, size),
	"sum":  overList(sum),
	"min":  overList(bound(opLess)),
	"max":  overList(bound(opGreater)),

	"member":          membership(false),
	"identicalmember": membership(true),

	"strcat":            strict(0, anyNumber, concatenate),
	"tolower":           strict(1, 1, changeCase(fold)),
	"toupper":           strict(1, 1, changeCase(capitals)),
	"strcmp":            compareText(compareExact),
	"stricmp":           compareText(compareFolded),
	"regexp":            matchPattern,
	"stringlistmember":  stringListMember(func(x, y string) bool { return x == y }),
	"stringlistimember": stringListMember(equalFolded),

	"ifthenelse":   ifThenElse,
	"countmatches": countMatches,
}

const anyNumber = maxLength

// strict makes a function of one that wants values: the first undefined or error value among them is the result, and
// so is the error value when their number is wrong.
func strict(least, most int, f func(r *run, arguments []Value) Value) function {
	return func(r *run, s *scope, arguments []node) Value {
		if len(arguments) < least || len(arguments) > most {
			return Failed()
		}
		values := r.all(arguments, s)
		if i := slices.IndexFunc(values, Value.exceptional); i >= 0 {
			return values[i]
		}
		return f(r, values)
	}
}

func has(values []Value, kind Kind) bool {
	return slices.ContainsFunc(values, func(v Value) bool { return v.kind == kind })
}

func isKind(kind Kind) function {
	return func(r *run, s *scope, arguments []node) Value {
		if len(arguments) != 1 {
			return Failed()
		}
		return Bool(r.eval(arguments[0], s).kind == kind)
	}
}

func ifThenElse(r *run, s *scope, arguments []node) Value {
	if len(arguments) != 3 {
		return Failed()
	}
	return r.choose(r.eval(arguments[0], s), arguments[1], arguments[2], s)
}
