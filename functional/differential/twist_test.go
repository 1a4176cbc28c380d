package differential_test

import (
	"encoding/json"
	"regexp"
	"strings"
)

// twist changes something about a step that has little to do with what it asks for.
func (g *generator) twist(st *step) {
	switch g.IntN(12) {
	case 0:
		st.user = pick(g, "", "bad", "demo-reader", "other", "nova", "demo", "admin")
	case 1:
		st.service = pick(g, "nova", "bad", "other", "admin", "")
	case 2, 3:
		st.header[versionHeader] = g.version()
	case 4, 5:
		st.header["Accept"] = pick(g, "*/*", "text/html", "application/xml", "text/plain", "application/*", "text/html;q=0.5, application/json;q=0.2", "application/json;q=0", "x", "",
			"application/json, text/html", "text/html,*/*;q=0.1", "text/*")
	case 6:
		delete(st.header, "Accept")
	case 7:
		if st.bodied {
			st.header["Content-Type"] = pick(g, "text/plain", "application/json; charset=utf-8", "application/json;charset=latin-1", "text/javascript", "application/x-www-form-urlencoded", "application/json-patch+json", "Application/JSON", "x", "application/xml", "application/javascript")
		}
	case 8:
		if st.bodied {
			delete(st.header, "Content-Type")
		}
	case 9:
		separator := "?"
		if strings.Contains(st.target, "?") {
			separator = "&"
		}
		st.target += separator + pick(g, "color=red", "limit=1", "marker=x", "name=alpha", "value=alpha", "x", "uuid=abc", "=", "a%20b=1")
	case 10:
		path, query, _ := strings.Cut(st.target, "?")
		path += pick(g, "/", ".json", "/x", "%20", ".xml")
		if query != "" {
			path += "?" + query
		}
		st.target = path
	case 11:
		if st.bodied {
			st.body = g.mutated(st.body)
			return
		}
		st.header["Host"] = pick(g, "cyborg.example:1234", "cyborg.example")
	}
}

// mutated changes a JSON text somewhere.
func (g *generator) mutated(text string) string {
	var value any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return text
	}
	tokens := tokensOf(text)
	i := g.IntN(len(tokens))
	switch g.IntN(5) {
	case 0: // a token of another kind, or a broken text
		tokens[i] = g.scalar()
	case 1:
		return strings.Join(tokens[:i], "")
	case 2:
		for range 20 { // a value of another kind
			i = g.IntN(len(tokens))
			if c := tokens[i][0]; c != '{' && c != '}' && c != '[' && c != ']' && c != ',' && c != ':' && c != ' ' {
				tokens[i] = g.scalar()
				break
			}
		}
	case 3:
		return pick(g, "[", "[[", `{"a": `) + text + pick(g, "]", "]]", "}")
	case 4:
		return text + pick(g, "x", ",", " ", "\n", text)
	}
	return harmless(strings.Join(tokens, ""))
}

// tokenForm is a token of a JSON text: a string, a mark, blanks, or what is between them.
var tokenForm = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[{}\[\]:,]|\s+|[^\s{}\[\]:,"]+|"`)

// tokensOf cuts a JSON text into tokens, blanks among them.
func tokensOf(text string) []string { return tokenForm.FindAllString(text, -1) }

var (
	// emptyAccel is what the real service cannot be cured of, see testdata/differences.yaml.
	emptyAccel = regexp.MustCompile(`("accel:[^"]*"\s*:\s*)null`)
	ownUUID    = regexp.MustCompile(`"uuid"\s*:\s*(?:"([^"]*)")?`)
)

// harmless takes out of a body what would spoil the real service for good.
func harmless(text string) string {
	text = emptyAccel.ReplaceAllString(text, `$1"x"`)
	return ownUUID.ReplaceAllStringFunc(text, func(field string) string {
		value := ownUUID.FindStringSubmatch(field)[1]
		if referenceForm.MatchString(value) && !strings.Contains(value, "|cut") || idForm.FindString(value) == value && value != "" {
			return field
		}
		return strings.Replace(field, `"uuid"`, `"uuid_"`, 1)
	})
}
