package placement

import (
	"net/url"
	"strings"
)

// segment makes one part of a path out of any text, so that a name with a slash or a question mark does not lead to
// another object.
func segment(text string) string {
	if text == "." || text == ".." {
		return strings.ReplaceAll(text, ".", "%2E")
	}
	return url.PathEscape(text)
}
