package requestspec

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Finding is one thing that is wrong, or probably not meant, in the input.
type Finding struct {
	// Where is the place: "flavor", "device profile gpu, group 0", "port 7970…", "image", "request".
	Where string
	// Key and Value are the key and its value, "" when the finding is about more than one key.
	Key, Value string
	// Message says what is wrong and what to do.
	Message string
	// Reason is the sentinel of the kind of fault.
	Reason error
	// Advice marks a finding that never makes [Build] refuse the input.
	Advice bool
}

// Error returns place, key, value and message in one line.
func (f Finding) Error() string {
	var b strings.Builder
	b.WriteString(f.Where)
	if f.Key != "" {
		fmt.Fprintf(&b, ": %q", f.Key)
		if f.Value != "" {
			fmt.Fprintf(&b, " = %q", f.Value)
		}
	}
	b.WriteString(": ")
	b.WriteString(f.Message)
	return b.String()
}

// Unwrap returns the sentinel.
func (f Finding) Unwrap() error { return f.Reason }

func newFinding(where string, p Property, reason error, message string) Finding {
	return Finding{Where: where, Key: p.Key, Value: valueText(p.Value), Reason: reason, Message: message}
}

// valueText prints a property's value as it stands in JSON, but a text without quotes.
func valueText(value any) string {
	switch value.(type) {
	case nil, []any, map[string]any:
		text, err := json.Marshal(value)
		if err == nil {
			return string(text)
		}
	}
	return fmt.Sprint(value)
}
