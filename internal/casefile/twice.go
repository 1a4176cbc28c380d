package casefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// maxDepth is how deep objects and lists may lie in each other; those of a case lie less than ten deep.
const maxDepth = 100

// keysOnce returns the line with each key of each object once: the last value counts, at the place of the first. Go's
// decoder would merge the values instead. In strict mode a key that occurs twice is an error.
func keysOnce(line []byte, mode Mode) ([]byte, error) {
	r := rewriter{decoder: json.NewDecoder(bytes.NewReader(line)), mode: mode}
	r.decoder.UseNumber()
	value, err := r.value("", 0)
	if err != nil {
		return nil, plain(err)
	}
	if _, err := r.decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more after the JSON object; give one object per line")
	}
	return value, nil
}

// rewriter reads JSON and gives it back value by value.
type rewriter struct {
	decoder *json.Decoder
	mode    Mode
}

// member is one key of an object with the JSON of its value.
type member struct {
	key   string
	value []byte
}

// value returns the JSON of the next value; at is the path of it.
func (r rewriter) value(at string, depth int) ([]byte, error) {
	token, err := r.decoder.Token()
	if err != nil {
		return nil, err
	}
	if depth > maxDepth {
		return nil, errors.New("objects and lists lie too deep in each other")
	}
	switch token {
	case json.Delim('{'):
		return r.object(at, depth)
	case json.Delim('['):
		return r.list(at, depth)
	}
	return json.Marshal(token)
}

func (r rewriter) object(at string, depth int) ([]byte, error) {
	var members []member
	places := map[string]int{}
	for r.decoder.More() {
		token, err := r.decoder.Token()
		if err != nil {
			return nil, err
		}
		key, _ := token.(string) // the decoder gives nothing else where a key stands
		value, err := r.value(join(at, key), depth+1)
		if err != nil {
			return nil, err
		}
		place, twice := places[key]
		switch {
		case twice && r.mode == Strict:
			return nil, fmt.Errorf("%s: the key occurs twice", join(at, key))
		case twice:
			members[place].value = value
		default:
			places[key] = len(members)
			members = append(members, member{key, value})
		}
	}
	if _, err := r.decoder.Token(); err != nil {
		return nil, err
	}
	return writeObject(members)
}

func writeObject(members []member) ([]byte, error) {
	out := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		key, err := json.Marshal(m.key)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, key...), ':'), m.value...)
	}
	return append(out, '}'), nil
}

func (r rewriter) list(at string, depth int) ([]byte, error) {
	var values [][]byte
	for r.decoder.More() {
		value, err := r.value(at+"["+strconv.Itoa(len(values))+"]", depth+1)
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	if _, err := r.decoder.Token(); err != nil {
		return nil, err
	}
	return append(append([]byte{'['}, bytes.Join(values, []byte{','})...), ']'), nil
}

// join is the path of a key below another path.
func join(at, key string) string {
	if at == "" {
		return key
	}
	return at + "." + key
}
