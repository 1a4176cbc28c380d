package cyborgclient

import (
	"encoding/json"
	"fmt"
	"time"
)

// Timestamp is a time as Cyborg writes it. It reads "2026-01-02T03:04:05+00:00",
// the same with a fraction, and Python's form with a space that a single device
// profile has; without an offset it is UTC. null, "" and the string "None" are
// the zero time.
type Timestamp struct{ time.Time }

// timestampLayouts read a fraction after the seconds too.
var timestampLayouts = []string{
	"2006-01-02T15:04:05Z07:00",
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02T15:04:05",
	"2006-01-02 15:04:05",
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *Timestamp) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case `null`, `""`, `"None"`:
		*t = Timestamp{}
		return nil
	}
	text, isString := unquote(data)
	if !isString {
		return fmt.Errorf("timestamp %s is no string", data)
	}
	for _, layout := range timestampLayouts {
		if parsed, err := time.Parse(layout, text); err == nil {
			*t = Timestamp{parsed.UTC()}
			return nil
		}
	}
	return fmt.Errorf("timestamp %q is in none of Cyborg's forms", text)
}

// unquote takes the quotes off a JSON string. Escapes stay: no form of a time
// has any.
func unquote(data []byte) (text string, isString bool) {
	if len(data) < 2 || data[0] != '"' {
		return "", false
	}
	return string(data[1 : len(data)-1]), true
}

// MarshalJSON writes the form with T and, as Python does, either no fraction or
// six digits of it. The zero time is null.
func (t Timestamp) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	layout := "2006-01-02T15:04:05-07:00"
	if t.Truncate(time.Microsecond).Nanosecond() != 0 {
		layout = "2006-01-02T15:04:05.000000-07:00"
	}
	return json.Marshal(t.Format(layout))
}
