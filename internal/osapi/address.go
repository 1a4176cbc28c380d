package osapi

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// checkURL refuses an address that requests cannot be sent to, and one with a
// user or password in it, which errors and logs would show. The error does not
// show the address either, only where it stands: what does not parse may hold a
// password too.
func checkURL(source, address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return fmt.Errorf("%s is no http or https URL", source)
	case u.User != nil:
		return fmt.Errorf("%s must hold neither user nor password: give them as credentials of the login", source)
	case u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("%s must have neither query nor fragment", source)
	}
	return nil
}

// errProxy stands for net/http's error, which shows the address.
var errProxy = errors.New("the proxy that the environment names (HTTP_PROXY, HTTPS_PROXY) is no URL")

// hideProxyErrors keeps the address of a proxy, which often holds a password,
// out of errors.
func hideProxyErrors(choose func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	return func(r *http.Request) (*url.URL, error) {
		proxy, err := choose(r)
		if err != nil {
			return nil, errProxy
		}
		return proxy, nil
	}
}
