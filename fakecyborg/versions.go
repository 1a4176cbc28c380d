package fakecyborg

import "strconv"

// rootDocument is the answer of GET /.
// It mirrors cyborg/api/controllers/root.py:Root.
type rootDocument struct {
	Name           string           `json:"name"`
	Description    string           `json:"description"`
	Versions       []versionSummary `json:"versions"`
	DefaultVersion versionSummary   `json:"default_version"`
}

type versionSummary struct {
	ID         string `json:"id"`
	Status     string `json:"status"`
	MaxVersion string `json:"max_version"`
	MinVersion string `json:"min_version"`
	Links      []link `json:"links"`
}

// versionDocument is the answer of GET /v2.
// It mirrors cyborg/api/controllers/v2/__init__.py:V2.
type versionDocument struct {
	ID         string `json:"id"`
	Links      []link `json:"links"`
	MaxVersion string `json:"max_version"`
	MinVersion string `json:"min_version"`
	Status     string `json:"status"`
}

func (r Release) maxVersion() string { return "2." + strconv.Itoa(r.MaxMicroversion) }

func (x *exchange) showRoot() (any, error) {
	version := versionSummary{
		ID: "v2", Status: "CURRENT",
		MaxVersion: x.server.release.maxVersion(), MinVersion: "2.0",
		Links: []link{{Href: baseURL(x.Request) + "/accelerator/v2", Rel: "self"}},
	}
	return rootDocument{
		Name:           "OpenStack Cyborg API",
		Description:    "Cyborg is the OpenStack project for lifecycle management of hardware accelerators, such as GPUs,FPGAs, AI chips, security accelerators, etc.",
		Versions:       []versionSummary{version},
		DefaultVersion: version,
	}, nil
}

func (x *exchange) showVersion() (any, error) {
	return versionDocument{
		ID:         "v2.0",
		Links:      []link{{Href: baseURL(x.Request) + "/accelerator/v2/", Rel: "self"}},
		MaxVersion: x.server.release.maxVersion(), MinVersion: "2.0",
		Status: "CURRENT",
	}, nil
}
