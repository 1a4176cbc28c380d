package placementtest

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"
)

// handler answers one request while the store is locked, unless its route says otherwise: for reading when the method is GET, for
// writing otherwise.
type handler func(*Server, *request) (*reply, *fault)

// route is one method of one path.
type route struct {
	path, method string
	// since is N of the microversion 1.N that brought it, and early the status before: 0 means 404.
	since, early int
	// json asks for a body of type application/json; gives says that the answer is JSON.
	json, gives bool
	// bodyUntil is N of the microversion from which on no body is wanted any more; 0 for none.
	bodyUntil int
	// service is for callers with the service role only.
	service bool
	// locks says that the handler locks the store itself.
	locks  bool
	handle handler
}

// routeTable is the whole API. Mirrors ROUTE_DECLARATIONS of placement/handler.py and the decorators of the handlers.
var routeTable = []route{
	{path: "/", method: "GET", handle: getRoot},
	{path: "/resource_classes", method: "GET", since: 2, gives: true, handle: listClasses},
	{path: "/resource_classes", method: "POST", since: 2, json: true, handle: postClass},
	{path: "/resource_classes/{name}", method: "GET", since: 2, gives: true, handle: getClass},
	{path: "/resource_classes/{name}", method: "PUT", since: 2, json: true, bodyUntil: 7, handle: putClass},
	{path: "/resource_classes/{name}", method: "DELETE", since: 2, handle: deleteClass},
	{path: "/resource_providers", method: "GET", gives: true, handle: listProviders},
	{path: "/resource_providers", method: "POST", json: true, handle: postProvider},
	{path: "/resource_providers/{uuid}", method: "GET", gives: true, handle: getProvider},
	{path: "/resource_providers/{uuid}", method: "PUT", json: true, handle: putProvider},
	{path: "/resource_providers/{uuid}", method: "DELETE", handle: deleteProvider},
	{path: "/resource_providers/{uuid}/inventories", method: "GET", gives: true, handle: getInventories},
	{path: "/resource_providers/{uuid}/inventories", method: "POST", json: true, handle: postInventory},
	{path: "/resource_providers/{uuid}/inventories", method: "PUT", json: true, handle: putInventories},
	{path: "/resource_providers/{uuid}/inventories", method: "DELETE", since: 5, early: 405, handle: deleteInventories},
	{path: "/resource_providers/{uuid}/inventories/{class}", method: "GET", gives: true, handle: getInventory},
	{path: "/resource_providers/{uuid}/inventories/{class}", method: "PUT", json: true, handle: putInventory},
	{path: "/resource_providers/{uuid}/inventories/{class}", method: "DELETE", handle: deleteInventory},
	{path: "/resource_providers/{uuid}/usages", method: "GET", gives: true, handle: getProviderUsages},
	{path: "/resource_providers/{uuid}/aggregates", method: "GET", since: 1, gives: true, handle: getAggregates},
	{path: "/resource_providers/{uuid}/aggregates", method: "PUT", since: 1, json: true, handle: putAggregates},
	{path: "/resource_providers/{uuid}/allocations", method: "GET", gives: true, handle: getProviderAllocations},
	{path: "/resource_providers/{uuid}/traits", method: "GET", since: 6, gives: true, handle: getProviderTraits},
	{path: "/resource_providers/{uuid}/traits", method: "PUT", since: 6, json: true, handle: putProviderTraits},
	{path: "/resource_providers/{uuid}/traits", method: "DELETE", since: 6, handle: deleteProviderTraits},
	{path: "/allocations", method: "POST", since: 13, json: true, handle: postAllocations},
	{path: "/allocations/{consumer}", method: "GET", gives: true, handle: getAllocations},
	{path: "/allocations/{consumer}", method: "PUT", json: true, handle: putAllocations},
	{path: "/allocations/{consumer}", method: "DELETE", handle: deleteAllocations},
	{path: "/allocation_candidates", method: "GET", since: 10, gives: true, locks: true, handle: getCandidates},
	{path: "/traits", method: "GET", since: 6, gives: true, handle: listTraits},
	{path: "/traits/{name}", method: "GET", since: 6, handle: getTrait},
	{path: "/traits/{name}", method: "PUT", since: 6, handle: putTrait},
	{path: "/traits/{name}", method: "DELETE", since: 6, handle: deleteTrait},
	{path: "/usages", method: "GET", since: 9, gives: true, handle: getUsages},
	{path: "/reshaper", method: "POST", since: 30, json: true, service: true, handle: postReshaper},
}

// routes builds the handler of the whole API.
func (s *Server) routes() http.Handler {
	methods := make(map[string][]route)
	for _, rt := range routeTable {
		methods[rt.path] = append(methods[rt.path], rt)
	}
	api := chi.NewRouter()
	for path, routes := range methods {
		api.HandleFunc(path, s.endpoint(routes))
	}
	api.NotFound(s.endpoint(nil))
	if s.cfg.prefix == "" {
		return api
	}
	top := chi.NewRouter()
	top.Mount(s.cfg.prefix, api)
	top.NotFound(s.endpoint(nil))
	return top
}

// endpoint serves the methods of one path; none is a path that does not exist.
func (s *Server) endpoint(routes []route) http.HandlerFunc {
	return func(w http.ResponseWriter, hr *http.Request) {
		r := newRequest(hr)
		w.Header().Set("X-Openstack-Request-Id", r.id)
		p, f := s.answer(w.Header(), r, routes)
		if f != nil {
			writeFault(w, r, f, s.cfg.maxMinor)
			return
		}
		w.Header().Add("Vary", strings.ToLower(versionHeader)) // not with errors
		p.write(w, r, s.cfg.prefix)
	}
}

// answer goes through the checks in the real service's order and then to the handler.
func (s *Server) answer(h http.Header, r *request, routes []route) (*reply, *fault) {
	isRoot := len(routes) > 0 && routes[0].path == "/"
	if f := s.authenticate(r); f != nil && !isRoot {
		return nil, f
	}
	v, f := requestVersion(r.Header, s.cfg.maxMinor)
	if f != nil {
		return nil, f
	}
	r.version = v
	h.Set(versionHeader, serviceType+" "+v.String())
	if f := r.readQuery(); f != nil {
		return nil, f
	}
	rt, f := pick(r, routes)
	if f != nil {
		return nil, f
	}
	if f := rt.check(r); f != nil {
		return nil, f
	}
	if !isRoot && !s.permits(rt, r) {
		return nil, newFault(http.StatusForbidden, "Policy does not allow %s %s to be performed.", rt.method, rt.path)
	}
	if rt.wantsBody(r) {
		if f := r.readBody(); f != nil {
			return nil, f
		}
	}
	return s.run(rt, r)
}

// permits tells whether the caller's roles are enough. Mirrors the default rules of placement/policies/.
func (s *Server) permits(rt *route, r *request) bool {
	return r.service || r.admin && (!rt.service || s.cfg.oldPolicy)
}

// pick finds the route of the request's method.
func pick(r *request, routes []route) (*route, *fault) {
	if len(routes) == 0 {
		return nil, notFound("")
	}
	var allowed []string
	for i := range routes {
		if routes[i].method == r.Method {
			return &routes[i], nil
		}
		allowed = append(allowed, routes[i].method)
	}
	f := newFault(http.StatusMethodNotAllowed, "The method %s is not allowed for this resource.", r.Method)
	f.allow = strings.Join(allowed, ", ")
	return nil, f
}

// check looks at the microversion and at the media types.
func (rt *route) check(r *request) *fault {
	if !r.atLeast(rt.since) {
		status := rt.early
		if status == 0 {
			status = http.StatusNotFound
		}
		return newFault(status, "")
	}
	if rt.wantsBody(r) {
		media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
		if media = strings.TrimSpace(media); media != "application/json" {
			return newFault(http.StatusUnsupportedMediaType, "The media type %s is not supported, use application/json",
				cmp.Or(media, "None"))
		}
	}
	if rt.gives && !acceptable(r.Header.Values("Accept"), "application/json") {
		return newFault(http.StatusNotAcceptable, "Only application/json is provided")
	}
	return nil
}

// wantsBody tells whether the route takes a body in the request's microversion.
func (rt *route) wantsBody(r *request) bool {
	return rt.json && (rt.bodyUntil == 0 || !r.atLeast(rt.bodyUntil))
}

// run calls the handler with the store locked as its method needs it.
func (s *Server) run(rt *route, r *request) (*reply, *fault) {
	switch {
	case rt.locks:
	case rt.method == http.MethodGet:
		s.store.RLock()
		defer s.store.RUnlock()
	default:
		s.store.Lock()
		defer s.store.Unlock()
	}
	return rt.handle(s, r)
}

// authenticate finds out who calls. As with the real service's noauth2, any token names a caller but only the caller admin has the
// role of that name, unless an X-Roles header lists roles.
func (s *Server) authenticate(r *request) *fault {
	if s.cfg.noAuth {
		r.admin, r.service = true, true
		return nil
	}
	token := r.Header.Get("X-Auth-Token")
	if token == "" && len(r.Header.Values("X-Auth-Token")) == 0 {
		return newFault(http.StatusUnauthorized, "")
	}
	user, _, _ := strings.Cut(token, ":")
	roles := r.Header.Values("X-Roles")
	if len(roles) == 0 {
		r.admin = user == "admin"
		return nil
	}
	listed := strings.Split(strings.Join(roles, ","), ",")
	r.admin, r.service = slices.Contains(listed, "admin"), slices.Contains(listed, "service")
	return nil
}
