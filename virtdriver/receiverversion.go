package virtdriver

import (
	"fmt"
	"net/http"
	"slices"
)

// versionRoots are where clients look for the version that an endpoint has: it is
// the endpoint's own address.
var versionRoots = []string{"/v2.1", "/v2.1/"}

func asksForVersion(req *http.Request) bool {
	return req.Method == http.MethodGet && slices.Contains(versionRoots, req.URL.Path)
}

// serveVersion answers what keystoneauth asks before its first call with a
// microversion (nova/api/openstack/compute/versionsV21.py). Without the answer, Cyborg
// sends no event.
func serveVersion(w http.ResponseWriter, req *http.Request) {
	setVersion(w.Header(), fmt.Sprintf("2.%d", minMinor))
	scheme := "http"
	if req.TLS != nil {
		scheme = "https"
	}
	writeJSON(w, http.StatusOK, map[string]any{"version": map[string]any{
		"id": "v2.1", "status": "CURRENT", "min_version": fmt.Sprintf("2.%d", minMinor), "version": fmt.Sprintf("2.%d", maxMinor),
		"links": []map[string]string{{"rel": "self", "href": scheme + "://" + req.Host + "/v2.1/"}},
	}})
}
