package osapi

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
)

// maxRedirects is net/http's own limit.
const maxRedirects = 10

// secretHeaders must never reach another origin than the one that the request
// was made for.
var secretHeaders = []string{"X-Auth-Token", "X-Service-Token", "X-Subject-Token", "Authorization"}

// checkRedirect decides about each hop of a redirected request. A redirect that
// would turn a write into a GET, or take a body (the login's holds a password)
// to another origin, is not followed: its 3xx answer becomes the result.
func checkRedirect(req *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case len(via) >= maxRedirects:
		return errors.New("stopped after 10 redirects")
	case req.Method != first.Method:
		return http.ErrUseLastResponse
	case !leftOrigin(req, via):
		return nil
	case req.Method != http.MethodGet && req.Method != http.MethodHead:
		return http.ErrUseLastResponse
	}
	for _, header := range secretHeaders {
		req.Header.Del(header)
	}
	return nil
}

// leftOrigin looks at the whole chain: net/http builds each hop from the first
// request, so a chain that comes back would regain its token.
func leftOrigin(req *http.Request, via []*http.Request) bool {
	home := origin(via[0].URL)
	for _, hop := range via[1:] {
		if origin(hop.URL) != home {
			return true
		}
	}
	return origin(req.URL) != home
}

func origin(u *url.URL) string {
	scheme := strings.ToLower(u.Scheme)
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[scheme]
	}
	return scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}
