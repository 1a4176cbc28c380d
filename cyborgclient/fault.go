package cyborgclient

import (
	"encoding/json"
	"net/http"
	"strings"
)

// faultText finds the message in an error body. Cyborg wraps a JSON document
// as a string into another (cyborg/api/middleware/parsable_error.py); Keystone's
// middleware and proxies in front answer in their own ways. The traceback that
// errors of the conductor carry is cut off.
func faultText(status int, body []byte) string {
	text := messageOf(body)
	text, _, _ = strings.Cut(text, "Traceback (most recent call last)")
	text = strings.TrimSpace(text)
	if text == "" {
		return http.StatusText(status)
	}
	return text
}

func messageOf(body []byte) string {
	var outer struct {
		ErrorMessage json.RawMessage `json:"error_message"`
		Error        struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(body, &outer); err != nil {
		return plain(string(body))
	}
	if outer.ErrorMessage == nil {
		return outer.Error.Message
	}
	var text string
	if err := json.Unmarshal(outer.ErrorMessage, &text); err != nil {
		return innerMessage(string(outer.ErrorMessage)) // not wrapped into a string
	}
	return innerMessage(text)
}

// innerMessage reads the wrapped document: WSME's, pecan's, or no JSON at all.
func innerMessage(text string) string {
	var inner *struct {
		Faultstring string `json:"faultstring"`
		Title       string `json:"title"`
		Description string `json:"description"`
	}
	if err := json.Unmarshal([]byte(text), &inner); err != nil {
		return plain(text)
	}
	switch {
	case inner == nil: // the text "null", with 423
		return ""
	case inner.Faultstring != "":
		return inner.Faultstring
	case inner.Description != "":
		return inner.Description
	}
	return inner.Title
}

// plain passes a text on, but no HTML page.
func plain(text string) string {
	if strings.HasPrefix(strings.TrimSpace(text), "<") {
		return ""
	}
	return text
}
