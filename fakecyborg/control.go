package fakecyborg

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// controlPrefix is below which the fake answers for itself, not for Cyborg.
const controlPrefix = "/_fake/"

// controlRoute is one route of the control API; docs/fake-control.md describes
// them all.
type controlRoute struct {
	method, path string
	// query are the known query parameters.
	query []string
	run   func(*controlCall) controlAnswer
}

// controlRoutes is the whole control API. A path that ends with a slash takes one
// more segment.
var controlRoutes = []controlRoute{
	{method: "GET", path: "health", run: (*controlCall).health},
	{method: "GET", path: "ready", run: (*controlCall).health},
	{method: "GET", path: "state", query: []string{"scope"}, run: (*controlCall).state},
	{method: "GET", path: "seed", run: (*controlCall).exportSeed},
	{method: "PUT", path: "seed", run: (*controlCall).replaceSeed},
	{method: "POST", path: "reset", query: []string{"to"}, run: (*controlCall).reset},
	{method: "GET", path: "faults", query: []string{"scope"}, run: (*controlCall).listFaults},
	{method: "POST", path: "faults", run: (*controlCall).addFaults},
	{method: "DELETE", path: "faults", query: []string{"scope"}, run: (*controlCall).clearFaults},
	{method: "DELETE", path: "faults/", run: (*controlCall).removeFault},
	{method: "GET", path: "journal", query: journalParameters, run: (*controlCall).readJournal},
	{method: "DELETE", path: "journal", query: []string{"scope"}, run: (*controlCall).clearJournal},
	{method: "GET", path: "devices", run: (*controlCall).listDevices},
	{method: "POST", path: "devices", query: reportParameters, run: (*controlCall).insertDevice},
	{method: "DELETE", path: "devices", query: cardParameters, run: (*controlCall).removeDevice},
	{method: "POST", path: "devices/break", query: cardParameters, run: (*controlCall).breakDevice},
	{method: "POST", path: "devices/repair", query: cardParameters, run: (*controlCall).repairDevice},
	{method: "POST", path: "devices/report", query: []string{"host"}, run: (*controlCall).reportDevices},
	{method: "GET", path: "", run: (*controlCall).page},
	{method: "GET", path: "page.css", run: (*controlCall).pageStyle},
	{method: "GET", path: "page.js", run: (*controlCall).pageScript},
	{method: "GET", path: "arqs", query: []string{"scope", "last"}, run: (*controlCall).listAllARQs},
	{method: "GET", path: "clock", run: (*controlCall).showClock},
	{method: "PUT", path: "clock", run: (*controlCall).setClock},
	{method: "DELETE", path: "clock", run: (*controlCall).resetClock},
	{method: "GET", path: "events", query: journalParameters, run: (*controlCall).listEvents},
	{method: "POST", path: "events", run: (*controlCall).postEvent},
}

// controlCall is one request to the control API.
type controlCall struct {
	*http.Request
	server *Server
	query  url.Values
	// name is the last segment of paths that take one.
	name string
}

// serveControl answers requests about the fake itself; false leaves the request
// to the API.
func (s *Server) serveControl(w http.ResponseWriter, request *http.Request) bool {
	path, below := strings.CutPrefix(request.URL.Path, controlPrefix)
	if !below {
		return false
	}
	answer := s.control(path, request)
	if request.Method != http.MethodGet && request.Method != http.MethodHead {
		if err := s.keeper.keepAll(); err != nil && answer.status < http.StatusBadRequest {
			answer = refuseControl(http.StatusInternalServerError, "", err)
		}
	}
	header := w.Header()
	header.Set("Content-Type", answer.contentType)
	if answer.allow != "" {
		header.Set("Allow", answer.allow)
	}
	w.WriteHeader(answer.status)
	if request.Method == http.MethodHead {
		return true
	}
	if _, err := w.Write(answer.body); err != nil {
		s.logger.WarnContext(request.Context(), "control", "path", path, "error", err)
	}
	return true
}

func (s *Server) control(path string, request *http.Request) controlAnswer {
	method := request.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if path == "" && method == http.MethodGet && !isBrowser(request) {
		return noSuchRoute(path)
	}
	var allowed []string
	for _, route := range controlRoutes {
		name, ok := route.match(path)
		if !ok {
			continue
		}
		if route.method != method {
			allowed = append(allowed, route.method)
			continue
		}
		call := &controlCall{Request: request, server: s, name: name}
		if refusal := call.readQuery(route.query); refusal != nil {
			return *refusal
		}
		return route.run(call)
	}
	if len(allowed) > 0 {
		answer := refuseControl(http.StatusMethodNotAllowed, "", fmt.Errorf("%s %s%s: the methods are %s", request.Method, controlPrefix, path, strings.Join(allowed, ", ")))
		answer.allow = strings.Join(allowed, ", ")
		return answer
	}
	return noSuchRoute(path)
}

// match compares a path with the route and returns its last segment.
func (r controlRoute) match(path string) (name string, ok bool) {
	if !strings.HasSuffix(r.path, "/") {
		return "", path == r.path
	}
	name, ok = strings.CutPrefix(path, r.path)
	return name, ok && name != "" && !strings.Contains(name, "/")
}

// noSuchRoute lists the routes that there are.
func noSuchRoute(path string) controlAnswer {
	routes := make([]string, 0, len(controlRoutes))
	for _, r := range controlRoutes {
		place := r.path
		if strings.HasSuffix(place, "/") {
			place += "{name}"
		}
		routes = append(routes, r.method+" "+controlPrefix+place)
	}
	return jsonAnswer(http.StatusNotFound, struct {
		Error  string   `json:"error"`
		Routes []string `json:"routes"`
	}{fmt.Sprintf("%s%s: there is no such route", controlPrefix, path), routes})
}

// knownParameters lists them, or says that there are none.
func knownParameters(known []string) string {
	if len(known) == 0 {
		return "there are none here"
	}
	return "known are " + strings.Join(known, ", ")
}

// readQuery refuses unknown parameters: a misspelled filter must not match all.
func (c *controlCall) readQuery(known []string) *controlAnswer {
	query, err := url.ParseQuery(c.URL.RawQuery)
	if err != nil {
		return new(refuseControl(http.StatusBadRequest, "query", err))
	}
	for name, values := range query {
		switch {
		case !slices.Contains(known, name):
			return new(refuseControl(http.StatusBadRequest, "query: "+name, fmt.Errorf("unknown parameter, %s", knownParameters(known))))
		case len(values) > 1:
			return new(refuseControl(http.StatusBadRequest, "query: "+name, fmt.Errorf("the parameter is there %d times", len(values))))
		}
	}
	c.query = query
	return nil
}
