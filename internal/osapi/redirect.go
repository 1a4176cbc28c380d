package osapi

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// maxRedirects is net/http's own limit.
const maxRedirects = 10

// refusedRedirect is a redirect that was not followed.
type refusedRedirect struct {
	failure Failure // the redirecting answer
	reason  string
}

// Error names the target, without what may be secret in it.
func (e *refusedRedirect) Error() string { return e.reason }

// checkRedirect decides about each hop of a redirected request. A redirect to
// another origin is not followed: the request's tokens, or the password in a
// login's body, must not go there, and nobody knows who answers there, so that
// the answer must not pass for the service's. Neither is one that would turn a
// write into a read.
func checkRedirect(req *http.Request, via []*http.Request) error {
	switch {
	case len(via) >= maxRedirects:
		return errors.New("stopped after 10 redirects")
	case origin(req.URL) != origin(via[0].URL):
		return refuseRedirect(req, "which is another address: if it is right, make it the endpoint")
	case req.Method != via[0].Method:
		return refuseRedirect(req, fmt.Sprintf("which would make a %s of the %s", req.Method, via[0].Method))
	}
	return nil
}

// checkRedirectFirst puts checkRedirect before a policy of the caller's own,
// which may be nil.
func checkRedirectFirst(own func(*http.Request, []*http.Request) error) func(*http.Request, []*http.Request) error {
	if own == nil {
		return checkRedirect
	}
	return func(req *http.Request, via []*http.Request) error {
		if err := checkRedirect(req, via); err != nil {
			return err
		}
		return own(req, via)
	}
}

func refuseRedirect(req *http.Request, why string) error {
	target := url.URL{Scheme: req.URL.Scheme, Host: req.URL.Host, Path: req.URL.Path}
	e := &refusedRedirect{reason: fmt.Sprintf("refused redirect to %v, %s", &target, why)}
	e.failure.Body = []byte(e.reason)
	if req.Response != nil {
		e.failure.StatusCode, e.failure.Header = req.Response.StatusCode, req.Response.Header
	}
	return e
}

func origin(u *url.URL) string {
	scheme := strings.ToLower(u.Scheme)
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[scheme]
	}
	return scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}
