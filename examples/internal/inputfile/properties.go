package inputfile

import "strings"

// parseProperties reads key='value', key='value', as the command-line clients print properties. It escapes nothing, so
// that a quote, comma and space in a value cannot be told from the end of it; what then is no key='value' is not ok.
func parseProperties(text string) (properties map[string]string, ok bool) {
	properties = map[string]string{}
	if strings.TrimSpace(text) == "" {
		return properties, true
	}
	rest, closed := strings.CutSuffix(strings.TrimSpace(text), "'")
	if !closed {
		return nil, false
	}
	for pair := range strings.SplitSeq(rest, "', ") {
		key, value, found := strings.Cut(pair, "='")
		_, twice := properties[key]
		if !found || key == "" || twice {
			return nil, false
		}
		properties[key] = value
	}
	return properties, true
}
