package placementtest

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// param is one key with its value, as it stands in a query string.
type param struct{ key, value string }

// query is a query string, in order. Order and repetition matter to this API.
type query []param

// parseQuery splits a query string. A broken percent escape is kept as it is; bytes that are no UTF-8 are refused.
func parseQuery(raw string) (query, *fault) {
	var q query
	for part := range strings.SplitSeq(raw, "&") {
		if part == "" {
			continue
		}
		key, value, _ := strings.Cut(part, "=")
		p := param{key: unescape(key), value: unescape(value)}
		if !utf8.ValidString(p.key) || !utf8.ValidString(p.value) {
			return nil, badRequest("Invalid query string parameters: %q is not UTF-8", part)
		}
		q = append(q, p)
	}
	return q, nil
}

// unescape decodes %XX and +.
func unescape(s string) string {
	if !strings.ContainsAny(s, "%+") {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '+':
			out = append(out, ' ')
		case s[i] == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			out = append(out, hexValue[s[i+1]]<<4|hexValue[s[i+2]])
			i += 2
		default:
			out = append(out, s[i])
		}
	}
	return string(out)
}

// hexValue is the value of each hexadecimal digit.
var hexValue = func() (values [256]byte) {
	for i := range byte(16) {
		values["0123456789abcdef"[i]], values["0123456789ABCDEF"[i]] = i, i
	}
	return values
}()

// isHex tells whether a byte is a hexadecimal digit.
func isHex(c byte) bool { return c == '0' || hexValue[c] > 0 }

// all gives every value of a key, in order.
func (q query) all(key string) []string {
	var values []string
	for _, p := range q {
		if p.key == key {
			values = append(values, p.value)
		}
	}
	return values
}

// values gives every value of every key, in order.
func (q query) values() map[string][]string {
	values := make(map[string][]string, len(q))
	for _, p := range q {
		values[p.key] = append(values[p.key], p.value)
	}
	return values
}

// last gives the last value of a key, which is the one that counts where a parameter may stand only once.
func (q query) last(key string) (string, bool) {
	for _, p := range slices.Backward(q) {
		if p.key == key {
			return p.value, true
		}
	}
	return "", false
}

// object is the query as a JSON-like object, last values only, for a schema to check.
func (q query) object() map[string]any {
	o := make(map[string]any, len(q))
	for _, p := range q {
		o[p.key] = p.value
	}
	return o
}

// check validates the query against a schema.
func (q query) check(s *schema) *fault {
	if err := s.check(q.object()); err != nil {
		return badRequest("Invalid query string parameters: %v", err)
	}
	return nil
}
