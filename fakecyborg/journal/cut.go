package journal

import (
	"maps"
	"net/http"
	"slices"
	"unicode/utf8"
)

// Cut is the end of a path, a query or a value of a header that is not whole, and the
// name of a header field that stands for all that were left out.
const Cut = "(cut)"

// beginning is at most limit bytes of a text, and never half of a character.
func beginning[T string | []byte](text T, limit int) T {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

func cutText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return beginning(text, limit) + Cut
}

// cutHeader keeps at most limit bytes of a header, by the order of its names.
func cutHeader(header http.Header, limit int) http.Header {
	if headerSize(header) <= limit {
		return header
	}
	kept := make(http.Header)
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, value := range header[name] {
			if limit -= len(name); limit <= 0 {
				kept[Cut] = []string{Cut}
				return kept
			}
			kept[name] = append(kept[name], cutText(value, limit))
			limit -= len(value)
		}
	}
	return kept
}

func headerSize(header http.Header) (size int) {
	for name, values := range header {
		for _, value := range values {
			size += len(name) + len(value)
		}
	}
	return size
}

// size is how many bytes of an entry count for the limit.
func (e *Entry) size() int {
	return len(e.RequestBody.Text) + len(e.ResponseBody.Text) + len(e.Path) + len(e.Query) +
		headerSize(e.RequestHeader) + headerSize(e.ResponseHeader)
}
