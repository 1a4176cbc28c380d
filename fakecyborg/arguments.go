package fakecyborg

import (
	"io"
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
	x.query = parameters
	if refusal := x.checkArguments(); refusal != nil {
		return refusal
	}
	if x.ContentLength > maxBody {
		return routing(http.StatusRequestEntityTooLarge, "")
	}
	var data []byte
	var err error
	if x.Body != http.NoBody { // reading nothing would take a buffer
		data, err = io.ReadAll(io.LimitReader(x.Body, maxBody+1))
	}
	switch {
	case err != nil:
		return badRequest("read body: %v", err)
	case len(data) > maxBody:
		return routing(http.StatusRequestEntityTooLarge, "")
	case len(data) > 0:
		if refusal := x.readBody(data); refusal != nil {
			return refusal
		}
	}
	return x.checkMissing(len(data) > 0)
}

// checkMissing refuses an operation without the arguments that it must have.
func (x *exchange) checkMissing(hasBody bool) *fault {
	if _, given := x.argument("uuid"); x.route.action && !given {
		return missingArgument("uuid")
	}
	switch {
	case hasBody || x.route.argument == "":
	case x.parameters[ignored] != "": // taken for the body
		x.body = x.parameters[ignored]
	default:
		return missingArgument(x.route.argument)
	}
	return nil
}

func missingArgument(name string) *fault { return badRequest("Missing argument: %q", name) }

// checkArguments looks at the arguments in path and query, those of the path first.
func (x *exchange) checkArguments() *fault {
	for _, name := range x.route.typed {
		value, given := x.parameters[name]
		if !given {
			value, given = x.query[name]
		}
		if refusal := x.server.release.checkType(name, value); given && refusal != nil {
			return refusal
		}
	}
	if slices.Contains(x.route.query, "filters") {
		if refusal := x.query.checkFilter(); refusal != nil {
			return refusal
		}
	}
	return x.takeQuery()
}

// takeQuery puts values of the query in the place of the path's, and refuses what
// the operation does not know.
func (x *exchange) takeQuery() *fault {
	var unknown []string
	for name, value := range x.query {
		switch _, inPath := x.parameters[name]; {
		case inPath && name != ignored:
			if slices.Contains(x.route.typed, name) && !looksLikeUUID(value) {
				return notUUID(value)
			}
			x.parameters[name] = value
		case !slices.Contains(x.route.query, name):
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return badRequest("Unknown argument: \"%s\"", strings.Join(unknown, ", "))
	}
	return nil
}

// checkType refuses a value that is not of its argument's type: deployable_id is
// a number, all others are uuids.
func (r Release) checkType(name, value string) *fault {
	if name != "deployable_id" {
		if !r.StrictUUIDs || looksLikeUUID(value) {
			return nil
		}
		return badUUIDArgument(name, value)
	}
	if _, err := pythonInt(value); err != nil {
		return badRequest("Invalid input for field/attribute %s. Value: '%s'. unable to convert to integer. Error: %s", name, value, asFault(err).text)
	}
	return nil
}

// argument is an argument that may stand in the path or in the query.
func (x *exchange) argument(name string) (string, bool) {
	if value, inPath := x.parameters[name]; inPath {
		return value, true
	}
	value, inQuery := x.query[name]
	return value, inQuery
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
	mediaType, _, _ := strings.Cut(x.Header.Get("Content-Type"), ";")
	mediaType = strings.TrimSpace(mediaType)
	isForm := mediaType == "application/x-www-form-urlencoded"
	switch mediaType {
	case "", "application/x-www-form-urlencoded":
		if isForm || x.Method == http.MethodPost { // whose bodies are forms if nothing else is said
			name, _, _ := strings.Cut(string(data), "=")
			return badRequest("Unknown argument: \"%s\"", name)
		}
		return faultf(http.StatusUnsupportedMediaType, "Unknown mimetype: ")
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
