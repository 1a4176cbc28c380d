package osapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/gophercloud/gophercloud/v2"
)

const (
	// staleBefore is how long before its end a token counts as expired: a
	// request must not lose it on the way. keystoneauth's value.
	staleBefore = 30 * time.Second
	// renewalTimeout bounds a login that nobody may be waiting for any more.
	renewalTimeout = 2 * time.Minute
)

// renewal keeps the token of a login fresh. It stands above the retries and
// takes the place of gophercloud's own re-login, which runs with the context of
// the request that noticed first: when that caller gives up, all who wait for
// the same login fail with it.
type renewal struct {
	provider *gophercloud.ProviderClient
	login    func(context.Context) error // gives the provider a new token; nil when nothing can
	margin   time.Duration               // before its end in which a token counts as expired
	next     http.RoundTripper
	borrowed bool // the provider is its owner's: no login of its own runs through here

	mu      sync.Mutex
	running *runningLogin // nil when none runs
}

// runningLogin is one login; err may be read when done is closed.
type runningLogin struct {
	done chan struct{}
	err  error
}

// renewTokens moves the renewal of a provider's login from gophercloud to its
// transport. A login that cannot be renewed is left as it is.
func renewTokens(provider *gophercloud.ProviderClient) *renewal {
	r := &renewal{provider: provider, login: provider.ReauthFunc, margin: staleBefore, next: provider.HTTPClient.Transport}
	if r.login != nil {
		provider.ReauthFunc = nil
		provider.HTTPClient.Transport = r
	}
	return r
}

// RoundTrip implements http.RoundTripper. A request without the provider's
// token passes, since it is that of a login; of a borrowed provider, the owner
// may have got one since.
func (r *renewal) RoundTrip(req *http.Request) (*http.Response, error) {
	used := req.Header.Get("X-Auth-Token")
	if used == "" && !r.borrowed {
		return r.next.RoundTrip(req)
	}
	if fresh := r.freshToken(req.Context(), r.provider.Token()); fresh != used {
		req, used = withToken(req, used, fresh), fresh
	}
	resp, err := r.next.RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusUnauthorized || r.login == nil || !replayable(req) {
		return resp, err
	}
	if err := r.renew(req.Context(), used); err != nil {
		return nil, refusedRenewal(resp, err)
	}
	_ = resp.Body.Close()
	again := withToken(req, used, r.provider.Token())
	if req.GetBody != nil {
		if again.Body, err = req.GetBody(); err != nil {
			return nil, err
		}
	}
	return r.next.RoundTrip(again)
}

// freshToken is the token to send in place of the used one, which may be about
// to expire. When it cannot be renewed now it may still be good.
func (r *renewal) freshToken(ctx context.Context, used string) string {
	expiry := r.provider.TokenExpiry()
	if r.login == nil || expiry.IsZero() || time.Until(expiry) > r.margin || r.renew(ctx, used) != nil {
		return used
	}
	return r.provider.Token()
}

// renew replaces the refused token, unless that has happened already. All who
// ask meanwhile share one login and each keeps its own deadline.
func (r *renewal) renew(ctx context.Context, refused string) error {
	r.mu.Lock()
	if r.provider.Token() != refused {
		r.mu.Unlock()
		return nil
	}
	if r.running == nil {
		r.running = &runningLogin{done: make(chan struct{})}
		go r.run(r.running) //nolint:contextcheck,gosec // it serves all who wait, so it ends with none of them
	}
	running := r.running
	r.mu.Unlock()
	select {
	case <-running.done:
		return running.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *renewal) run(running *runningLogin) {
	ctx, cancel := context.WithTimeout(context.Background(), renewalTimeout)
	defer cancel()
	running.err = r.login(ctx)
	if ctx.Err() != nil { // nobody's own deadline, so it must not look like one
		running.err = fmt.Errorf("the login did not end within %v", renewalTimeout)
	}
	r.mu.Lock()
	r.running = nil
	r.mu.Unlock()
	close(running.done)
}

// replayable says that the request's body can be sent again.
func replayable(req *http.Request) bool {
	return req.Body == nil || req.Body == http.NoBody || req.GetBody != nil
}

// withToken is the request with another token, also where it was sent as the
// service token.
func withToken(req *http.Request, used, fresh string) *http.Request {
	req = req.Clone(req.Context())
	if used != "" && req.Header.Get(serviceTokenHeader) == used {
		req.Header.Set(serviceTokenHeader, fresh)
	}
	req.Header.Set("X-Auth-Token", fresh)
	return req
}

// renewalError is a 401 whose token could not be renewed.
type renewalError struct {
	failure Failure
	err     error
}

// refusedRenewal takes over the answer's body.
func refusedRenewal(resp *http.Response, err error) error {
	body, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	return &renewalError{Failure{StatusCode: resp.StatusCode, Header: resp.Header, Body: body}, err}
}

// Error has the answer's status and why the login was not renewed.
func (e *renewalError) Error() string {
	return fmt.Sprintf("%d %s; the login could not be renewed: %v", e.failure.StatusCode, http.StatusText(e.failure.StatusCode), e.err)
}

func (e *renewalError) Unwrap() error { return e.err }
