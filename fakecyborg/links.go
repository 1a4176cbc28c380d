package fakecyborg

import "net/http"

// link is one element of the links of an object.
// It mirrors cyborg/api/controllers/link.py:Link.
type link struct {
	Href string `json:"href"`
	Rel  string `json:"rel"`
}

// baseURL is scheme and host that the client used, without mount point.
func baseURL(request *http.Request) string {
	scheme := "http"
	if request.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + request.Host
}

// selfLink points to an object; links always have the mount point of a full deployment.
func selfLink(base, resource, id string) link {
	return link{Href: base + "/accelerator/v2/" + resource + "/" + id, Rel: "self"}
}

// bookmarkLink is the same without version.
func bookmarkLink(base, resource, id string) link {
	return link{Href: base + "/accelerator/" + resource + "/" + id, Rel: "bookmark"}
}
