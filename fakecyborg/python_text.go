package fakecyborg

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// pythonType is the name of the value's type in Python's error texts.
func pythonType(v any) string {
	switch v := v.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case string:
		return "str"
	case json.Number:
		if isInteger(v) {
			return "int"
		}
		return "float"
	case []any:
		return "list"
	}
	return "dict"
}

// truth is Python's bool(v).
func truth(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case json.Number:
		f, err := v.Float64()
		return err != nil || f != 0
	case []any:
		return len(v) > 0
	case *object:
		return len(v.keys) > 0
	}
	return true
}

// pythonStr is Python's str(v).
func pythonStr(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return pythonRepr(v)
}

// pythonRepr is Python's repr(v).
func pythonRepr(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case string:
		return reprString(v)
	case json.Number:
		return reprNumber(v)
	case []any:
		parts := make([]string, len(v))
		for i, element := range v {
			parts[i] = pythonRepr(element)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *object:
		parts := make([]string, len(v.keys))
		for i, key := range v.keys {
			parts[i] = reprString(key) + ": " + pythonRepr(v.values[key])
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "None"
}

// reprString quotes as Python does: single quotes, unless only they occur inside.
func reprString(s string) string {
	quote := "'"
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = `"`
	}
	return quote + strings.NewReplacer(`\`, `\\`, quote, `\`+quote, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s) + quote
}

func isInteger(n json.Number) bool { return !strings.ContainsAny(string(n), ".eE") }

func reprNumber(n json.Number) string {
	if isInteger(n) {
		if n == "-0" {
			return "0"
		}
		return string(n)
	}
	f, err := n.Float64()
	switch {
	case err != nil && f < 0:
		return "-inf"
	case err != nil:
		return "inf"
	}
	if size := math.Abs(f); size != 0 && (size < 1e-4 || size >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}
