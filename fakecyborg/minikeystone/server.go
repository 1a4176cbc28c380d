package minikeystone

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

// prefix is the path below which all of it is.
const prefix = "/identity"

// Server is a Keystone in memory. It is safe for concurrent use. Make one with
// [New] or [ForTest].
type Server struct {
	directory *directory
	tokens    tokenStore
	services  []service
	url       string
	life      time.Duration
	routes    http.Handler

	mu  sync.RWMutex
	now func() time.Time
}

var _ fakecyborg.IdentityService = (*Server)(nil)

// New makes a server that listens nowhere: give it to
// [fakecyborg.WithAuthenticator]. Errors come from options, or name the place in
// the file of users.
func New(opts ...Option) (*Server, error) {
	c, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	people, err := newDirectory(c.users)
	if err != nil {
		return nil, err
	}
	s := &Server{
		directory: people, services: c.services, url: c.url, life: c.life, now: c.now,
		tokens: tokenStore{byID: make(map[string]*token), limit: maxTokens},
	}
	s.routes = s.newRoutes()
	return s, nil
}

// TB is the part of [testing.TB] that [ForTest] needs.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
}

// ForTest is [New] for tests: it ends the test when an option is bad.
func ForTest(tb TB, opts ...Option) *Server {
	tb.Helper()
	s, err := New(opts...)
	if err != nil {
		tb.Fatalf("make a mini keystone: %v", err)
	}
	return s
}

// Prefix is the path below which all of it is, "/identity".
func (*Server) Prefix() string { return prefix }

// SetClock takes the time by which tokens expire from that function. Given to
// fakecyborg.WithAuthenticator, it is the fake's clock.
func (s *Server) SetClock(now func() time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = now
}

// time is what the clock shows. Keystone keeps whole seconds.
func (s *Server) time() time.Time {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.now().UTC().Truncate(time.Second)
}

// ServeHTTP answers one request to Keystone's API.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, found := strings.CutPrefix(r.URL.Path, prefix)
	if !found || (path != "" && path[0] != '/') {
		notFound(w, r)
		return
	}
	w.Header().Set("Vary", "X-Auth-Token")
	w.Header().Set("x-openstack-request-id", newRequestID())
	// chi takes its path from its own context, so that the request stays as it is.
	route := chi.NewRouteContext()
	route.RoutePath = "/" + strings.Trim(path, "/")
	s.routes.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), chi.RouteCtxKey, route)))
}

func (s *Server) newRoutes() http.Handler {
	routes := chi.NewRouter()
	routes.NotFound(notFound)
	routes.MethodNotAllowed(methodNotAllowed)
	routes.Get("/", s.listVersions)
	routes.Get("/v3", s.showVersion)
	routes.Post("/v3/auth/tokens", s.issueToken)
	for path, answer := range map[string]func(*call) (any, *fault){
		"/v3/auth/catalog":        (*call).ownCatalog,
		"/v3/auth/projects":       (*call).ownProjects,
		"/v3/auth/system":         (*call).ownSystem,
		"/v3/auth/domains":        (*call).ownDomains,
		"/v3/projects":            (*call).listProjects,
		"/v3/projects/{id}":       (*call).showProject,
		"/v3/users":               (*call).listUsers,
		"/v3/users/{id}":          (*call).showUser,
		"/v3/users/{id}/projects": (*call).userProjects,
		"/v3/roles":               (*call).listRoles,
		"/v3/roles/{id}":          (*call).showRole,
		"/v3/domains":             (*call).listDomains,
		"/v3/domains/{id}":        (*call).showDomain,
		"/v3/services":            (*call).listServices,
		"/v3/endpoints":           (*call).listEndpoints,
		"/v3/auth/tokens":         (*call).showToken,
	} {
		handler := s.answering(answer)
		routes.Get(path, handler)
		routes.Head(path, handler)
	}
	routes.Delete("/v3/auth/tokens", s.answering((*call).revokeToken))
	return routes
}
