package fakecyborg

import (
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// query holds the query parameters; of a repeated one the last counts.
type query map[string]string

// maxBody bounds what a request may send, 16 MiB.
const maxBody = 16 << 20

// readArguments checks query and body against the route.
// It mirrors wsme/rest/args.py:get_args.
func (x *exchange) readArguments() *fault {
	parameters, refusal := parseQuery(x.URL.RawQuery)
	if refusal != nil {
		return refusal
	}
	for name := range parameters {
		if !slices.Contains(x.route.query, name) {
			return badRequest("Unknown argument: \"%s\"", name)
		}
	}
	x.query = parameters
	if x.ContentLength > maxBody {
		return routing(http.StatusRequestEntityTooLarge, "")
	}
	data, err := io.ReadAll(io.LimitReader(x.Body, maxBody+1))
	switch {
	case err != nil:
		return badRequest("read body: %v", err)
	case len(data) > maxBody:
		return routing(http.StatusRequestEntityTooLarge, "")
	case len(data) > 0:
		return x.readBody(data)
	case x.route.argument != "":
		return badRequest("Missing argument: %q", x.route.argument)
	}
	return nil
}

// parseQuery reads the query as Python does: '+' is a blank, a broken escape
// stays as it is, and bytes that are no UTF-8 are refused.
func parseQuery(raw string) (query, *fault) {
	parameters := make(query)
	for part := range strings.SplitSeq(raw, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		name, value = unescape(name), unescape(value)
		if !utf8.ValidString(name) || !utf8.ValidString(value) {
			return nil, routing(http.StatusBadRequest, "")
		}
		parameters[name] = value
	}
	return parameters, nil
}

func unescape(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}

// readBody decodes a body by its content type.
func (x *exchange) readBody(data []byte) *fault {
	mediaType, _, err := mime.ParseMediaType(x.Header.Get("Content-Type"))
	if err != nil {
		mediaType, _, _ = strings.Cut(x.Header.Get("Content-Type"), ";")
	}
	switch mediaType {
	case "", "application/x-www-form-urlencoded":
		name, _, _ := strings.Cut(string(data), "=")
		return badRequest("Unknown argument: \"%s\"", name)
	case "application/json", "text/javascript", "application/javascript":
	default:
		return faultf(http.StatusUnsupportedMediaType, "Unknown mimetype: %s", mediaType)
	}
	body, err := decode(data)
	if err != nil {
		return badRequest("Request is not in valid JSON format")
	}
	if x.route.argument == "" {
		return unexpectedBody(body)
	}
	x.body = body
	return nil
}

// unexpectedBody refuses the body of an operation that takes none, as WSME does
// when it looks for arguments in it.
func unexpectedBody(body any) *fault {
	members, ok := body.(*object)
	switch {
	case !ok:
		return badRequest("Request must be a JSON dict")
	case len(members.keys) == 0:
		return nil
	}
	return badRequest("Unknown argument: \"%s\"", strings.Join(members.keys, ", "))
}
