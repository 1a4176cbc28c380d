package computetest

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
)

// Project is the id of the project.
const Project = "5a7c0f0e6b2d4b6f9d6e3a1b2c3d4e5f"

// Server is the cloud. Its methods may be called at any time.
type Server struct {
	router   chi.Router
	services map[string]string
	url      string

	mutex      sync.Mutex
	quota      Quota
	hosts      int
	build      time.Duration
	deletion   time.Duration
	flavors    []Flavor
	images     []Image
	networks   []Network
	pageSize   int
	maxVersion string
	plain      bool
	leaves     bool
	soft       bool

	instances []*Instance
	ports     []*Port
	volumes   []*Volume
	tokens    map[string]bool
	faults    []*Fault
	broken    []string // faults of the next builds
	stuck     bool
	cellDown  bool
	requests  []Request
}

// Request is one that was received.
type Request struct {
	Method, Path, Query string
	Body                []byte
}

// New makes a cloud.
func New(opts ...Option) *Server {
	s := &Server{
		services: make(map[string]string), tokens: make(map[string]bool),
		quota: Unlimited, hosts: -1, pageSize: 1000, maxVersion: "2.96",
		flavors: []Flavor{
			{ID: "1", Name: "small", VCPUs: 1, RAM: 2048, Disk: 10},
			{ID: "2", Name: "fpga", VCPUs: 4, RAM: 8192, Disk: 20, ExtraSpecs: map[string]string{"accel:device_profile": "fpga"}},
		},
		images:   []Image{{ID: "11111111-1111-4111-8111-111111111111", Name: "worker", Status: "active"}},
		networks: []Network{{ID: "22222222-2222-4222-8222-222222222222", Name: "jobs", Total: 1000}},
	}
	for _, opt := range opts {
		opt(s)
	}
	s.router = s.routes()
	return s
}

func (s *Server) routes() chi.Router {
	r := chi.NewRouter()
	r.Post("/identity/v3/auth/tokens", s.login)
	r.Group(func(r chi.Router) {
		r.Use(s.authenticated)
		r.Route("/compute/v2.1", func(r chi.Router) {
			r.Use(s.versioned)
			r.Get("/servers/detail", s.listServers)
			r.Post("/servers", s.createServer)
			r.Get("/servers/{id}", s.showServer)
			r.Delete("/servers/{id}", s.deleteServer)
			r.Post("/servers/{id}/action", s.actOnServer)
			r.Get("/flavors/detail", s.listFlavors)
			r.Get("/limits", s.showLimits)
		})
		r.Get("/image/v2/images", s.listImages)
		r.Get("/network/v2.0/networks", s.listNetworks)
		r.Get("/network/v2.0/ports", s.listPorts)
		r.Post("/network/v2.0/ports", s.createPort)
		r.Delete("/network/v2.0/ports/{id}", s.deletePort)
		r.Get("/network/v2.0/quotas/{project}/details.json", s.showPortQuota)
		r.Get("/network/v2.0/network-ip-availabilities/{id}", s.showAddresses)
		r.Get("/volume/v3/"+Project+"/volumes/detail", s.listVolumes)
		r.Post("/volume/v3/"+Project+"/volumes/{id}/metadata", s.tagVolume)
		r.Delete("/volume/v3/"+Project+"/volumes/{id}", s.deleteVolume)
	})
	return r
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.received(w, r) {
		return
	}
	s.router.ServeHTTP(w, r)
}

// Requests returns what was received, without logins.
func (s *Server) Requests() []Request {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Clone(s.requests)
}

// reply writes an answer.
func reply(w http.ResponseWriter, status int, body any) {
	if body == nil {
		w.WriteHeader(status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) //nolint:errchkjson // the client has gone, which is its matter
}

// refuse writes an error as Nova and Cinder do.
func refuse(w http.ResponseWriter, status int, message string) {
	kinds := map[int]string{
		http.StatusBadRequest: "badRequest", http.StatusForbidden: "forbidden", http.StatusNotFound: "itemNotFound",
		http.StatusConflict: "conflictingRequest", http.StatusRequestEntityTooLarge: "overLimit",
	}
	kind, ok := kinds[status]
	if !ok {
		kind = "computeFault"
	}
	w.Header().Set("X-Openstack-Request-Id", "req-"+uuid.NewString())
	reply(w, status, map[string]any{kind: map[string]any{"code": status, "message": message}})
}

// refuseNeutron writes an error as Neutron does.
func refuseNeutron(w http.ResponseWriter, status int, kind, message string) {
	reply(w, status, map[string]any{"NeutronError": map[string]any{"type": kind, "message": message, "detail": ""}})
}

func read(w http.ResponseWriter, r *http.Request, into any) bool {
	if err := json.NewDecoder(r.Body).Decode(into); err != nil {
		refuse(w, http.StatusBadRequest, "Malformed request body")
		return false
	}
	return true
}
