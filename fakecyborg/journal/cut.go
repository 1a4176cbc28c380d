package journal

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// Cut is the end of a text that is not whole, such as a path or a value of a header, and
// the name of a header field that stands for all that were left out.
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

// cutText leaves alone what was cut before.
func cutText(text string, limit int) string {
	if len(text) <= limit || (strings.HasSuffix(text, Cut) && len(text) <= limit+len(Cut)) {
		return text
	}
	return beginning(text, limit) + Cut
}

// scopeBytes is how many bytes of a scope are kept: there are many of them.
func (l Limits) scopeBytes() int { return min(l.BodyBytes, 1<<10) }

// inScope tells whether a scope, which may have been cut, is the one that is wanted; ""
// wants all.
func inScope(want, scope string) bool {
	kept, cut := strings.CutSuffix(scope, Cut)
	return want == "" || want == scope || (cut && strings.HasPrefix(want, kept))
}

// texts are the members of an entry that are plain text, but for the scope.
func (e *Entry) texts() []*string {
	texts := []*string{&e.Operation, &e.Method, &e.Path, &e.Query, &e.RequestID, &e.Caller, &e.Fault, &e.Error}
	if e.Event != nil {
		texts = append(texts, &e.Event.Name, &e.Event.ServerUUID, &e.Event.Tag, &e.Event.Status)
	}
	return texts
}

// cut keeps of each text what the limits allow.
func (e *Entry) cut(limits Limits) {
	e.Scope = cutText(e.Scope, limits.scopeBytes())
	if e.Event != nil {
		e.Event = new(*e.Event) // the caller keeps its own
	}
	for _, text := range e.texts() {
		*text = cutText(*text, limits.BodyBytes)
	}
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
	size := len(e.Scope) + len(e.RequestBody.Text) + len(e.ResponseBody.Text) + headerSize(e.RequestHeader) + headerSize(e.ResponseHeader)
	for _, text := range e.texts() {
		size += len(*text)
	}
	return size
}
