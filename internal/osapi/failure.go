package osapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"github.com/gophercloud/gophercloud/v2"
)

// Failure is an answer with a status that the caller did not expect.
type Failure struct {
	StatusCode int
	Header     http.Header
	Body       []byte
}

// RequestID is the id under which the service logged the request, or "".
func (f Failure) RequestID() string { return RequestID(f.Header) }

// RefusedLogin says that Keystone's middleware in front of the service refused
// the request, so that the service itself never saw it. It has its own form for
// that (keystonemiddleware/auth_token/__init__.py:AuthProtocol).
func (f Failure) RefusedLogin() bool {
	var body struct {
		Error struct {
			Code int `json:"code"`
		} `json:"error"`
	}
	return f.StatusCode == http.StatusUnauthorized && json.Unmarshal(f.Body, &body) == nil &&
		body.Error.Code == http.StatusUnauthorized
}

// FailureOf finds the answer in an error of gophercloud, also behind a login
// that was renewed or could not be renewed. ok is false when there was no
// answer, or when the caller gave up while the login was renewed. Of a redirect
// that was not followed it is the redirecting answer, with the reason as its body.
func FailureOf(err error) (failure Failure, ok bool) {
	if relogin, failed := errors.AsType[*gophercloud.ErrUnableToReauthenticate](err); failed {
		if gaveUp(relogin.ErrReauth) {
			return Failure{}, false
		}
		err = relogin.ErrOriginal
	}
	if renewal, failed := errors.AsType[*renewalError](err); failed {
		if gaveUp(renewal.err) {
			return Failure{}, false
		}
		return renewal.failure, true
	}
	if redirect, refused := errors.AsType[*refusedRedirect](err); refused {
		return redirect.failure, true
	}
	unexpected, ok := errors.AsType[gophercloud.ErrUnexpectedResponseCode](err)
	return Failure{StatusCode: unexpected.Actual, Header: unexpected.ResponseHeader, Body: unexpected.Body}, ok
}

// Transparent lets errors.Is and errors.As look into the failure to renew a
// login, which gophercloud hides. Other errors pass unchanged.
func Transparent(err error) error {
	if relogin, ok := errors.AsType[*gophercloud.ErrUnableToReauthenticate](err); ok {
		return fmt.Errorf("%w; the login could not be renewed: %w", relogin.ErrOriginal, relogin.ErrReauth)
	}
	return err
}

// Unreachable says that the service could not be reached: the request, or the
// reading of its answer, failed below HTTP, and not because the caller gave up.
func Unreachable(err error) bool {
	_, sending := errors.AsType[*url.Error](err)
	_, reading := errors.AsType[*net.OpError](err)
	return (sending || reading) && !gaveUp(err)
}

// gaveUp says that the caller's context ended.
func gaveUp(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// RequestID is the id that an answer gives its request, or "".
func RequestID(header http.Header) string {
	return header.Get("X-Openstack-Request-Id")
}
