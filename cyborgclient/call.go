package cyborgclient

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

// request is one call of the API. The zero version means that none is asked
// for.
type request struct {
	name    string // verb and kind of the object, for the hook
	op      string // for error texts: the same with the object; "" when there is no object
	method  string
	path    string // below /v2/, with the query
	body    any    // nil for none
	status  int    // of success; 0 for the method's
	version osapi.Microversion
	since   string // the release that brought the operation; "" when all have it
	// service asks for the service token, where the client has one.
	service bool
	// repeatable is a deletion that has worked when the object is not there after
	// an attempt whose outcome is not known.
	repeatable bool
	// decode reads the answer's body; nil when none is expected.
	decode func(body []byte) error
}

// text names the request in errors.
func (r request) text() string {
	if r.op == "" {
		return r.name
	}
	return r.op
}

// success is the status of success of each method. Anything else comes from
// something that is not Cyborg, and must not pass for a thing done.
var success = map[string]int{
	http.MethodGet:    http.StatusOK,
	http.MethodPost:   http.StatusCreated,
	http.MethodPatch:  http.StatusAccepted,
	http.MethodDelete: http.StatusNoContent,
}

func (r request) okCode() int {
	if r.status == 0 {
		return success[r.method]
	}
	return r.status
}

// answer is what is kept of a response.
type answer struct {
	status int
	header http.Header
}

func (c *Client) do(ctx context.Context, r request) error {
	service, err := c.serviceAt(ctx, r)
	if err != nil {
		return err
	}
	return c.observe(ctx, r.name, r.method, func(ctx context.Context) (answer, error) {
		a, err := c.sendInForm(ctx, service, r)
		if _, ours := errors.AsType[*Error](err); err != nil && !ours {
			failure := failedRequest(r, err)
			failure.advise(r.service && c.tokens != nil)
			err = failure
		}
		if r.repeatable && osapi.AttemptsOf(ctx).Unclear() && errors.Is(err, ErrNotFound) {
			return a, nil // the attempt whose answer was lost did it
		}
		return a, err
	})
}

// observe tells the hook of a call.
func (c *Client) observe(ctx context.Context, name, method string, call func(context.Context) (answer, error)) error {
	start := time.Now()
	watched, attempts := osapi.WatchAttempts(ctx)
	a, err := call(watched)
	if c.hook == nil {
		return err
	}
	done := Call{
		Service: serviceType, Operation: name, Method: method, Status: a.status, Attempts: attempts.Sent(),
		RequestID: osapi.RequestID(a.header), Start: start, Duration: time.Since(start), Err: err,
	}
	if failure, answered := osapi.FailureOf(err); answered {
		done.Status, done.RequestID = failure.StatusCode, failure.RequestID()
	}
	c.hook(ctx, done)
	return err
}

// send sends the request. When the answer is 401 it cannot be told whether the
// service token was refused or the user's, which the transport below renews; so
// the service token is renewed too, and the request sent once more.
func (c *Client) send(ctx context.Context, service *gophercloud.ServiceClient, r request) (answer, error) {
	if !r.service {
		return exchange(ctx, service, r, nil)
	}
	name, token := c.tokens.Header(ctx)
	if token == "" {
		return exchange(ctx, service, r, nil)
	}
	a, err := exchange(ctx, service, r, map[string]string{name: token})
	if failure, ok := osapi.FailureOf(err); !ok || failure.StatusCode != http.StatusUnauthorized {
		return a, err
	}
	renewed, renewErr := c.tokens.Renew(ctx, token)
	if !renewed {
		return a, errors.Join(err, renewErr)
	}
	_, token = c.tokens.Header(ctx)
	return exchange(ctx, service, r, map[string]string{name: token})
}

// exchange is one request of gophercloud's.
func exchange(ctx context.Context, service *gophercloud.ServiceClient, r request, headers map[string]string) (answer, error) {
	//nolint:bodyclose // ReadBody closes it
	resp, err := service.Request(ctx, r.method, service.ServiceURL(r.path), &gophercloud.RequestOpts{
		JSONBody:         r.body,
		MoreHeaders:      headers,
		OkCodes:          []int{r.okCode()},
		KeepResponseBody: r.decode != nil,
	})
	if resp == nil {
		return answer{}, err
	}
	a := answer{resp.StatusCode, resp.Header}
	if err != nil || r.decode == nil {
		return a, err
	}
	body, err := osapi.ReadBody(resp)
	if err != nil {
		return a, err
	}
	return a, r.decode(body)
}
