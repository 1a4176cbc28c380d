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
func pythonRepr(v any) string { return string(appendRepr(nil, v)) }

// appendRepr adds repr(v) to out. All levels write into the same slice, so that
// a deeply nested value costs as much as a flat one of its size.
func appendRepr(out []byte, v any) []byte {
	switch v := v.(type) {
	case bool:
		if v {
			return append(out, "True"...)
		}
		return append(out, "False"...)
	case string:
		return appendQuoted(out, v)
	case json.Number:
		return append(out, reprNumber(v)...)
	case []any:
		out = append(out, '[')
		for i, element := range v {
			out = appendRepr(appendComma(out, i), element)
		}
		return append(out, ']')
	case *object:
		out = append(out, '{')
		for i, key := range v.keys {
			out = append(appendQuoted(appendComma(out, i), key), ": "...)
			out = appendRepr(out, v.values[key])
		}
		return append(out, '}')
	}
	return append(out, "None"...)
}

// appendComma separates element i from the one before.
func appendComma(out []byte, i int) []byte {
	if i == 0 {
		return out
	}
	return append(out, ", "...)
}

// appendQuoted quotes as Python does: single quotes, unless only they occur inside.
func appendQuoted(out []byte, s string) []byte {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	out = append(out, quote)
	for i := range len(s) {
		switch c := s[i]; c {
		case quote, '\\':
			out = append(out, '\\', c)
		case '\n':
			out = append(out, `\n`...)
		case '\r':
			out = append(out, `\r`...)
		case '\t':
			out = append(out, `\t`...)
		default:
			out = append(out, c)
		}
	}
	return append(out, quote)
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
