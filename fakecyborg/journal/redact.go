package journal

import (
	"net/http"
	"strings"
)

// Redacted stands for a value that is secret.
const Redacted = "(redacted)"

// secrets are the header fields whose values are never kept, in lower case.
var secrets = map[string]bool{
	"x-auth-token": true, "x-service-token": true, "x-subject-token": true, "x-storage-token": true,
	"authorization": true, "proxy-authorization": true, "cookie": true, "set-cookie": true,
}

// withoutSecrets is a header without its secrets: itself when it has none, so it
// must not change any more.
func withoutSecrets(header http.Header) http.Header {
	for name, values := range header {
		if values == nil || secrets[strings.ToLower(name)] {
			return redact(header)
		}
	}
	return header
}

// redact copies a header without its secrets.
func redact(header http.Header) http.Header {
	if len(header) == 0 {
		return nil
	}
	clean := make(http.Header, len(header))
	for name, values := range header {
		switch {
		case values == nil:
			continue
		case secrets[strings.ToLower(name)]:
			clean[name] = []string{Redacted}
		default:
			clean[name] = values
		}
	}
	return clean
}
