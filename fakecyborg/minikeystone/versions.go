package minikeystone

import "net/http"

type versionBody struct {
	ID         string              `json:"id"`
	Status     string              `json:"status"`
	Updated    string              `json:"updated"`
	Links      []map[string]string `json:"links"`
	MediaTypes []map[string]string `json:"media-types"`
}

func (s *Server) version(r *http.Request) versionBody {
	return versionBody{
		ID: "v3.14", Status: "stable", Updated: "2020-04-07T00:00:00Z",
		Links:      []map[string]string{{"rel": "self", "href": s.KeystoneURL(r) + "/v3/"}},
		MediaTypes: []map[string]string{{"base": "application/json", "type": "application/vnd.openstack.identity-v3+json"}},
	}
}

// listVersions is the document at the root.
// It mirrors keystone/api/discovery.py:get_versions.
func (s *Server) listVersions(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Location", s.KeystoneURL(r)+"/v3/")
	write(w, http.StatusMultipleChoices, map[string]any{"versions": map[string]any{"values": []versionBody{s.version(r)}}})
}

func (s *Server) showVersion(w http.ResponseWriter, r *http.Request) {
	write(w, http.StatusOK, map[string]any{"version": s.version(r)})
}
