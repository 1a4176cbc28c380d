package placementtest

import "net/http"

// getRoot is GET /, the version document, which needs no token. Mirrors placement/handlers/root.py.
func getRoot(s *Server, _ *request) (*reply, *fault) {
	return jsonReply(http.StatusOK, object{"versions": list{object{
		"id":          "v1.0",
		"max_version": version{major: 1, minor: s.cfg.maxMinor}.String(),
		"min_version": "1.0",
		"status":      "CURRENT",
		"links":       list{object{"rel": "self", "href": ""}},
	}}}), nil
}
