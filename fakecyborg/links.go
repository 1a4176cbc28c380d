package fakecyborg

import "cmp"

// link is one element of the links of an object.
// It mirrors cyborg/api/controllers/link.py:Link.
type link struct {
	Href string `json:"href"`
	Rel  string `json:"rel"`
}

// hostURL is scheme and host that the client used, without mount point. What a
// proxy says of the client counts where the server was told to trust it.
// It mirrors oslo_middleware/http_proxy_to_wsgi.py:HTTPProxyToWSGI.
func (x *exchange) hostURL() string {
	scheme, host := "http", x.Host
	if x.TLS != nil {
		scheme = "https"
	}
	if x.server.release.ProxyHeaders && x.server.front.proxied {
		scheme = cmp.Or(x.Header.Get("X-Forwarded-Proto"), scheme)
		host = cmp.Or(x.Header.Get("X-Forwarded-Host"), host)
	}
	return scheme + "://" + host
}

// base is what links start with: the public endpoint, or what the client used.
// It mirrors cyborg/api/hooks.py:PublicUrlHook.
func (x *exchange) base() string { return cmp.Or(x.server.front.public, x.hostURL()) }

// selfLink points to an object; links always have the mount point of a full deployment.
func selfLink(base, resource, id string) link {
	return link{Href: base + "/accelerator/v2/" + resource + "/" + id, Rel: "self"}
}

// bookmarkLink is the same without version.
func bookmarkLink(base, resource, id string) link {
	return link{Href: base + "/accelerator/" + resource + "/" + id, Rel: "bookmark"}
}
