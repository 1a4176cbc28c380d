package minikeystone

import (
	"net/http"
	"strings"
)

// region is the only one.
const region = "RegionOne"

// service is one entry of the catalog.
type service struct {
	kind, name string
	// path is a path on this server's own address, or a whole URL.
	path string
}

func (s service) id() string { return idOf("service", s.kind) }

func (s service) url(base string) string {
	if strings.Contains(s.path, "://") {
		return s.path
	}
	return base + s.path
}

type catalogEntry struct {
	Endpoints []endpoint `json:"endpoints"`
	ID        string     `json:"id"`
	Type      string     `json:"type"`
	Name      string     `json:"name"`
}

type endpoint struct {
	ID        string `json:"id"`
	Interface string `json:"interface"`
	RegionID  string `json:"region_id"`
	URL       string `json:"url"`
	Region    string `json:"region"`
}

// catalog names the services as the sender of the request reaches them.
func (s *Server) catalog(r *http.Request) []catalogEntry {
	var entries []catalogEntry
	for _, known := range s.services {
		entry := catalogEntry{ID: known.id(), Type: known.kind, Name: known.name}
		for _, side := range []string{"public", "internal", "admin"} {
			entry.Endpoints = append(entry.Endpoints, endpoint{
				ID: idOf("endpoint", known.kind, side), Interface: side, RegionID: region, Region: region, URL: known.url(s.base(r)),
			})
		}
		entries = append(entries, entry)
	}
	return entries
}
