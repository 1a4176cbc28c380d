package fakecyborg

import (
	"bytes"
	"encoding/json"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// compactBuffers hold Go's JSON until respace has made Python's of it.
var compactBuffers sync.Pool

// encode writes v as Python's json.dumps does: members in order, ", " and ": "
// between them, and everything outside printable ASCII as \u escapes.
func encode(v any) ([]byte, error) {
	plain, ok := compactBuffers.Get().(*bytes.Buffer)
	if !ok {
		plain = new(bytes.Buffer)
	}
	plain.Reset()
	defer compactBuffers.Put(plain)
	encoder := json.NewEncoder(plain)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return respace(bytes.TrimSuffix(plain.Bytes(), []byte("\n"))), nil
}

// respace turns Go's compact JSON into Python's.
func respace(compact []byte) []byte {
	blanks := bytes.Count(compact, []byte{','}) + bytes.Count(compact, []byte{':'}) // at most
	out := make([]byte, 0, len(compact)+blanks)
	inString := false
	for i := 0; i < len(compact); {
		c := compact[i]
		switch {
		case inString && c == '\\':
			out = append(out, c, compact[i+1])
			i += 2
			continue
		case inString && c >= 0x7f:
			r, size := utf8.DecodeRune(compact[i:])
			out = appendEscape(out, r)
			i += size
			continue
		case c == '"':
			inString = !inString
		}
		out = append(out, c)
		if !inString && (c == ',' || c == ':') {
			out = append(out, ' ')
		}
		i++
	}
	return out
}

// appendEscape adds \uXXXX, or two of them for a rune beyond 16 bits.
func appendEscape(out []byte, r rune) []byte {
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		return appendEscape(appendEscape(out, high), low)
	}
	const digits = "0123456789abcdef"
	return append(out, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}
