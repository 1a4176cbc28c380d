package fakecyborg

import (
	"net/http"
	"slices"
	"strings"
)

// route is one row of the API: how an operation is asked for.
type route struct {
	// name is the operation: the name of Cyborg's policy rule without "cyborg:".
	name string
	// method and pattern say when it runs. Segments in braces are parameters;
	// the parameter "ignored" may hold anything.
	method, pattern string
	// argument is the Python name of the argument that the body fills, "" when
	// the operation takes no body.
	argument string
	// query are the known query parameters, beside those of the path.
	query []string
	// typed are the parameters of path and query that must be of a type, see
	// [Release.checkType].
	typed []string
	// status of success.
	status int
	// has says whether a release has the route; nil is all of them.
	has func(Release) bool
	// action says that the last segment is the operation's name, which shows in no
	// list of methods.
	action bool
	// run answers; a nil result is an empty body.
	run func(*exchange) (any, error)
}

// resource is what one collection path answers to.
type resource struct {
	routes []compiledRoute
	// methods are those with a handler of their own, not those of actions.
	methods []string
}

// compiledRoute is a route with its pattern in segments.
type compiledRoute struct {
	*route
	segments []string
}

// router finds routes by the first two segments of a path.
type router map[string]*resource

// ignored is the parameter that may hold anything.
const ignored = "ignored"

func newRouter(table []route) router {
	r := make(router)
	for i := range table {
		segments := splitPath(table[i].pattern)
		key := resourceKey(segments)
		if r[key] == nil {
			r[key] = &resource{}
		}
		known := r[key]
		known.routes = append(known.routes, compiledRoute{&table[i], segments})
		if !table[i].action && !slices.Contains(known.methods, table[i].method) {
			known.methods = append(known.methods, table[i].method)
			slices.Sort(known.methods)
		}
	}
	return r
}

// find returns the route and its parameters. Without a route the fault is 404
// or 405, as pecan's REST routing chooses; most of the 404 are of paths that are
// longer than an operation's arguments, which shows late.
func (r router) find(method string, segments []string) (*route, map[string]string, *fault) {
	known := r[resourceKey(segments)]
	switch {
	case known == nil && method == http.MethodGet:
		return nil, nil, tooLong()
	case known == nil: // it falls to the version document, which can only be got
		return nil, nil, notAllowed(http.MethodGet)
	}
	for _, candidate := range known.routes {
		if candidate.method != method {
			continue
		}
		if parameters, ok := match(candidate.segments, segments); ok {
			return candidate.route, parameters, nil
		}
	}
	collection := len(segments) == 2
	switch {
	case slices.Contains(known.methods, method) || known.acts(method, segments):
		return nil, nil, tooLong()
	case method == http.MethodPatch && collection:
		return nil, nil, routing(http.StatusNotFound, "")
	}
	return nil, nil, notAllowed(known.methods...)
}

// acts says whether a path ends in the name of an action.
func (r *resource) acts(method string, segments []string) bool {
	return slices.ContainsFunc(r.routes, func(candidate compiledRoute) bool {
		return candidate.action && candidate.method == method && candidate.segments[len(candidate.segments)-1] == segments[len(segments)-1]
	})
}

func tooLong() *fault {
	refusal := routing(http.StatusNotFound, "")
	refusal.late = true
	return refusal
}

func notAllowed(methods ...string) *fault {
	refusal := routing(http.StatusMethodNotAllowed, "")
	refusal.allow = strings.Join(methods, ", ")
	return refusal
}

func match(parts, segments []string) (map[string]string, bool) {
	if len(parts) != len(segments) {
		return nil, false
	}
	for i, part := range parts {
		if !strings.HasPrefix(part, "{") && part != segments[i] {
			return nil, false
		}
	}
	parameters := make(map[string]string)
	for i, part := range parts {
		if name, isParameter := strings.CutPrefix(part, "{"); isParameter {
			parameters[strings.TrimSuffix(name, "}")] = segments[i]
		}
	}
	return parameters, true
}

func resourceKey(segments []string) string {
	return strings.Join(segments[:min(len(segments), 2)], "/")
}

// splitPath drops empty segments, so that a trailing slash is the same as none.
func splitPath(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

// forms are the file extensions that pecan takes for the form of an answer; what
// has another is part of the path.
var forms = []string{".json", ".xml", ".html", ".txt"}

// otherForm says whether a path asks for a form that no operation has.
func otherForm(path string) bool {
	path = strings.TrimRight(path, "/")
	return slices.ContainsFunc(forms[1:], func(form string) bool { return strings.HasSuffix(path, form) })
}

// locate takes the mount point and a ".json" suffix off a path and gives a path
// without version the version 2.
func (s *Server) locate(path string) []string {
	segments := splitPath(path)
	if s.mount == MountDevstack && len(segments) > 0 && segments[0] == "accelerator" {
		segments = segments[1:]
	}
	if len(segments) == 0 {
		return nil
	}
	last := len(segments) - 1
	for _, form := range forms {
		segments[last] = strings.TrimSuffix(segments[last], form)
	}
	if segments[0] != "v2" && (segments[0] != "v1" || !s.release.VersionOne) {
		segments = append([]string{"v2"}, segments...)
	}
	return segments
}
