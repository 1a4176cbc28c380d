package osapi

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// check says whether an attempt may be repeated. It never returns an error of
// its own: net/http would throw the answer away with its status. So would a wait
// that the caller's deadline ends; it is not begun.
func (s retrySettings) check(ctx context.Context, resp *http.Response, err error) (bool, error) {
	switch {
	case ctx.Err() != nil, resp != nil && s.endsBefore(ctx, resp):
		return false, nil
	case atMostOnce(ctx):
		return err != nil && !permanent(err) && NeverSent(err), nil
	case err != nil:
		return retryError(err), nil
	}
	return retryResponse(resp), nil
}

// endsBefore says that the caller's deadline comes before the wait's end.
func (s retrySettings) endsBefore(ctx context.Context, resp *http.Response) bool {
	deadline, ok := ctx.Deadline()
	return ok && time.Until(deadline) <= backoff(s.waitMin, s.waitMax, 0, resp)
}

func retryResponse(resp *http.Response) bool {
	switch resp.StatusCode {
	case http.StatusTooManyRequests:
		return true
	case http.StatusServiceUnavailable:
		return repeatable(resp.Request.Method, resp.Request.URL.Path) || resp.Header.Get("Retry-After") != ""
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return repeatable(resp.Request.Method, resp.Request.URL.Path)
	}
	return false
}

// retryError judges a transport error. There is no response then; the method
// and the URL are in the error of the inner client.
func retryError(err error) bool {
	if permanent(err) {
		return false
	}
	if failed, ok := errors.AsType[*url.Error](err); ok && repeatable(strings.ToUpper(failed.Op), failed.URL) {
		return true
	}
	return NeverSent(err)
}

// repeatable says whether running a request twice does no harm. PUT is, since
// Placement guards each of its own with a generation; whoever must know which
// of the two was carried out uses AtMostOnce. A login is: it only makes one more
// token. Behind uwsgi its connection often ends unannounced.
func repeatable(method, target string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete:
		return true
	case http.MethodPost:
		return strings.HasSuffix(target, "/v3/auth/tokens")
	}
	return false
}

// permanent names the errors that the next attempt would meet again. net/http
// has no types for the two that are known by their text.
func permanent(err error) bool {
	if gaveUp(err) || untrusted(err) {
		return true
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return dns.IsNotFound
	}
	text := err.Error()
	return strings.Contains(text, "unsupported protocol scheme") || strings.Contains(text, "net/http: invalid header")
}

// untrusted says that the two sides do not agree about TLS.
func untrusted(err error) bool {
	var (
		verification *tls.CertificateVerificationError
		alert        tls.AlertError
		notTLS       tls.RecordHeaderError
	)
	if op, ok := errors.AsType[*net.OpError](err); ok && (op.Op == "remote error" || op.Op == "local error") {
		return true // an alert, for example that the other side wants a certificate
	}
	return errors.As(err, &verification) || errors.As(err, &alert) || errors.As(err, &notTLS)
}
