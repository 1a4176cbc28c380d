package computetest

import (
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// login takes any credentials.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	token := uuid.NewString()
	s.mutex.Lock()
	s.tokens[token] = true
	s.mutex.Unlock()
	w.Header().Set("X-Subject-Token", token)
	reply(w, http.StatusCreated, map[string]any{"token": map[string]any{
		"methods": []string{"password"}, "issued_at": stamp(time.Now()), "expires_at": stamp(time.Now().Add(24 * time.Hour)),
		"project": map[string]any{"id": Project, "name": "demo", "domain": map[string]string{"id": "default", "name": "Default"}},
		"user":    map[string]any{"id": "demo", "name": "demo", "domain": map[string]string{"id": "default", "name": "Default"}},
		"roles":   []map[string]string{{"id": "member", "name": "member"}},
		"catalog": s.catalog("http://" + r.Host),
	}})
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

func (s *Server) catalog(base string) []map[string]any {
	urls := map[string]string{
		"compute": base + "/compute/v2.1", "image": base + "/image", "network": base + "/network",
		"block-storage": base + "/volume/v3/" + Project,
	}
	maps.Copy(urls, s.services)
	var catalog []map[string]any
	for kind, url := range urls {
		if url == "" {
			continue
		}
		catalog = append(catalog, map[string]any{"id": kind, "name": kind, "type": kind, "endpoints": []map[string]string{{
			"id": kind, "interface": "public", "region": "RegionOne", "region_id": "RegionOne", "url": url,
		}}})
	}
	return catalog
}

// EndSessions makes all tokens invalid.
func (s *Server) EndSessions() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.tokens = make(map[string]bool)
}

func (s *Server) authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mutex.Lock()
		known := s.tokens[r.Header.Get("X-Auth-Token")]
		s.mutex.Unlock()
		if !known {
			reply(w, http.StatusUnauthorized, map[string]any{"error": map[string]any{
				"code": http.StatusUnauthorized, "title": "Unauthorized", "message": "The request you have made requires authentication.",
			}})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// versioned refuses microversions that this Nova does not have, and those in which it answers otherwise than here.
func (s *Server) versioned(next http.Handler) http.Handler {
	const oldest = 69
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		version, standard := strings.CutPrefix(r.Header.Get("Openstack-Api-Version"), "compute 2.")
		minor, err := strconv.Atoi(version)
		newest, _ := strconv.Atoi(strings.TrimPrefix(s.maxVersion, "2."))
		switch {
		case !standard || err != nil || minor < oldest:
			refuse(w, http.StatusBadRequest, "this Nova answers only as from 2.69 on")
		case minor > newest:
			refuse(w, http.StatusNotAcceptable,
				"Version 2."+version+" is not supported by the API. Minimum is 2.1 and maximum is "+s.maxVersion+".")
		default:
			next.ServeHTTP(w, r)
		}
	})
}
