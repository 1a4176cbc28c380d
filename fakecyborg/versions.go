package fakecyborg

import "strconv"

// rootDocument is the answer of GET /.
// It mirrors cyborg/api/controllers/root.py:Root.
type rootDocument struct {
	Name           string           `json:"name"`
	Description    string           `json:"description"`
	Versions       []versionSummary `json:"versions,omitempty"`
	DefaultVersion *versionSummary  `json:"default_version,omitempty"`
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

// oldDescription is that of releases that do not list their versions.
const oldDescription = "Cyborg (previously known as Nomad) is an OpenStack project that aims to provide a general purpose management framework for acceleration resources (i.e. various types of accelerators such as Crypto cards, GPU, FPGA, NVMe/NOF SSDs, ODP, DPDK/SPDK and so on)."

func (x *exchange) showRoot() (any, error) {
	if !x.server.release.RootListsVersions {
		return rootDocument{Name: "OpenStack Cyborg API", Description: oldDescription}, nil
	}
	version := versionSummary{
		ID: "v2", Status: "CURRENT",
		MaxVersion: x.server.release.maxVersion(), MinVersion: "2.0",
		Links: []link{{Href: x.hostURL() + "/accelerator/v2", Rel: "self"}},
	}
	return rootDocument{
		Name:           "OpenStack Cyborg API",
		Description:    "Cyborg is the OpenStack project for lifecycle management of hardware accelerators, such as GPUs,FPGAs, AI chips, security accelerators, etc.",
		Versions:       []versionSummary{version},
		DefaultVersion: &version,
	}, nil
}

func (x *exchange) showVersion() (any, error) {
	return versionDocument{
		ID:         "v2.0",
		Links:      []link{{Href: x.base() + "/accelerator/v2/", Rel: "self"}},
		MaxVersion: x.server.release.maxVersion(), MinVersion: "2.0",
		Status: "CURRENT",
	}, nil
}

// versionOneDocument is the answer of GET /v1.
// It mirrors cyborg/api/controllers/v1/__init__.py:V1 of 3.0.0.
type versionOneDocument struct {
	ID          string `json:"id"`
	Accelerator []link `json:"accelerator"`
}

func (x *exchange) showVersionOne() (any, error) {
	return versionOneDocument{ID: "v1", Accelerator: []link{
		{Href: x.base() + "/accelerator/v2/accelerator", Rel: "self"},
		{Href: x.base() + "/accelerator/accelerator", Rel: "bookmark"},
	}}, nil
}
