package cyborgclient

import (
	"bytes"
	"encoding/json"
)

// decodeARQs is decodeList for what waiting for ARQs reads again and again: it
// decodes all in one pass and cuts the raw objects out of the body, which they
// share. A body that is anything but one list is left to decodeList.
func decodeARQs(body []byte) ([]ARQ, error) {
	var answer struct {
		ARQs []arqWire `json:"arqs"`
	}
	raw := elements(body, "arqs")
	if raw == nil || json.Unmarshal(body, &answer) != nil || len(raw) != len(answer.ARQs) {
		return decodeList[ARQ](body, "arqs")
	}
	arqs := make([]ARQ, len(raw))
	for i := range arqs {
		arqs[i] = answer.ARQs[i].arq(raw[i])
	}
	return arqs, checkIDs(arqs, "arqs")
}

// blanks are those of JSON.
const blanks = " \t\r\n"

// elements finds the objects and lists in the list that a JSON object has under
// that one key. It is nil when the body has another form. It takes the body for
// valid JSON.
func elements(body []byte, key string) []json.RawMessage {
	rest, isObject := bytes.CutPrefix(bytes.TrimLeft(body, blanks), []byte("{"))
	rest, hasKey := bytes.CutPrefix(bytes.TrimLeft(rest, blanks), []byte(`"`+key+`"`))
	rest = bytes.TrimLeft(rest, blanks+":")
	if !isObject || !hasKey || !bytes.HasPrefix(rest, []byte("[")) {
		return nil
	}
	found := []json.RawMessage{}
	depth, start := 0, 0
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '"':
			i = stringEnd(rest, i)
		case '{', '[':
			if depth++; depth == 2 {
				start = i
			}
		case '}', ']':
			if depth--; depth == 1 {
				found = append(found, json.RawMessage(rest[start:i+1:i+1]))
			}
			if depth == 0 {
				return onlyAtTheEnd(found, rest[i+1:])
			}
		}
	}
	return nil
}

// onlyAtTheEnd drops what was found when more than the end of the object follows.
func onlyAtTheEnd(found []json.RawMessage, rest []byte) []json.RawMessage {
	if string(bytes.Trim(rest, blanks)) != "}" {
		return nil
	}
	return found
}

// stringEnd is the index of the quote that ends the string which begins at i.
func stringEnd(text []byte, i int) int {
	for i++; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}
