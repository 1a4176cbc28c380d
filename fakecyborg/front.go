package fakecyborg

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Mount is below which paths the API is served.
type Mount int

// The mounts there are, see [WithMount].
const (
	// MountDevstack serves the API below /accelerator and at the root, so that
	// clients that follow links and clients with a bare endpoint both arrive.
	MountDevstack Mount = iota
	// MountBare serves the API at the root only, as the real service does on port
	// 6666: /accelerator, which its links name, is a 404.
	MountBare
)

// WithMount says below which paths the API is served; the default is [MountDevstack].
func WithMount(mount Mount) Option {
	return func(c *config) error {
		if mount != MountDevstack && mount != MountBare {
			return fmt.Errorf("with mount: %d is none", mount)
		}
		c.mount = mount
		return nil
	}
}

// front are manners of the web server in front of the real service.
type front struct {
	closes  bool
	refuses bool
	proxied bool
	public  string
}

// WithConnectionClose closes the connection after each answer, as the real front
// end does.
func WithConnectionClose() Option {
	return func(c *config) error {
		c.front.closes = true
		return nil
	}
}

// WithoutChunkedBodies overlooks request bodies without Content-Length, as the
// real front end does: an operation that needs a body misses it.
func WithoutChunkedBodies() Option {
	return func(c *config) error {
		c.front.refuses = true
		return nil
	}
}

// WithProxyHeaders makes links follow the headers X-Forwarded-Proto and
// X-Forwarded-Host, as the setting enable_proxy_headers_parsing does in releases
// that have it, see [Release.ProxyHeaders].
func WithProxyHeaders() Option {
	return func(c *config) error {
		c.front.proxied = true
		return nil
	}
}

// WithPublicEndpoint starts links with that address instead of the one that the
// client used; the document at / keeps to the latter.
func WithPublicEndpoint(address string) Option {
	return func(c *config) error {
		if err := checkURL(address); err != nil {
			return fmt.Errorf("with public endpoint: the address %w", err)
		}
		c.front.public = strings.TrimRight(address, "/")
		return nil
	}
}

// What can be wrong with an address; neither shows it.
var (
	errNoURL     = errors.New("is not an http or https url")
	errURLSecret = errors.New("must hold neither user nor password, which answers and logs would show")
)

func checkURL(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https"):
		return errNoURL
	case u.User != nil:
		return errURLSecret
	}
	return nil
}

// preflight answers OPTIONS: oslo_middleware/cors.py:CORS makes every answer an
// empty one of status 200, whatever was asked for.
func (f front) preflight(w http.ResponseWriter) {
	w.Header()["Date"] = nil
	if f.closes {
		w.Header().Set("Connection", "close")
	}
	w.Header().Set("Content-Length", "0")
	w.WriteHeader(http.StatusOK)
}

// apply changes an exchange as the front end would.
func (f front) apply(x *exchange) {
	if f.closes {
		x.answer["Connection"] = []string{"close"}
	}
	if f.refuses && x.ContentLength < 0 {
		x.Body = http.NoBody
	}
}
