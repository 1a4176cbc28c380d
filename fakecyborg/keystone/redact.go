package keystone

import (
	"encoding/json"
	"net/url"
	"strings"
)

// redacted is an error whose text has a secret in it, which it does not show.
type redacted struct {
	error

	text string
}

// Error returns the text without the secrets.
func (r redacted) Error() string { return r.text }

// Unwrap returns the error itself.
func (r redacted) Unwrap() error { return r.error }

// withoutTokens takes tokens out of the text of an error, in the forms that an answer
// may repeat them in.
func withoutTokens(err error, tokens ...string) error {
	text := err.Error()
	for _, token := range tokens {
		for _, form := range []string{token, url.QueryEscape(token), escaped(token)} {
			if form != "" {
				text = strings.ReplaceAll(text, form, "(redacted)")
			}
		}
	}
	if text == err.Error() {
		return err
	}
	return redacted{err, text}
}

// escaped is a token as JSON shows it.
func escaped(token string) string {
	text, err := json.Marshal(token)
	if err != nil {
		return ""
	}
	return strings.Trim(string(text), `"`)
}
