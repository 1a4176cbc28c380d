package placement

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

// serviceType is the type in the catalog.
const serviceType = "placement"

// call makes one request, which is named op in errors, and tells the hook of it. A result without a status has that of
// the operation's success, if there was an answer.
func (c *Client) call(ctx context.Context, o operation, op string, send func(ctx context.Context) (gophercloud.Result, error)) error {
	if c.hook == nil {
		_, err := send(ctx)
		return inOp(op, err)
	}
	counted, attempts := osapi.WatchAttempts(ctx)
	start := time.Now()
	result, err := send(counted)
	err = inOp(op, err)
	done := Call{
		Service: serviceType, Operation: o.name, Method: o.method, Status: result.StatusCode, Attempts: attempts.Sent(),
		RequestID: osapi.RequestID(result.Header), Start: start, Duration: time.Since(start), Err: err,
	}
	if failure, refused := osapi.FailureOf(err); refused {
		done.Status, done.RequestID = failure.StatusCode, failure.RequestID()
	} else if done.Status == 0 && (err == nil || result.Header != nil || isNoJSON(err)) {
		done.Status = o.status
	}
	c.hook(ctx, done)
	return err
}

// isNoJSON tells an answer of success that gophercloud could not read. It then keeps nothing of it.
func isNoJSON(err error) bool {
	_, syntax := errors.AsType[*json.SyntaxError](err)
	_, kind := errors.AsType[*json.UnmarshalTypeError](err)
	return syntax || kind
}

// inOp makes an *Error out of what gophercloud returned; what is one already knows its operation.
func inOp(op string, err error) error {
	if _, ours := errors.AsType[*Error](err); ours {
		return err
	}
	return wrap(op, err)
}

// part is a member of an answer, and what it is decoded to.
type part struct {
	key string
	to  any
}

// get makes a request that changes nothing, and takes parts out of its answer.
func (c *Client) get(ctx context.Context, o operation, op string, send func(ctx context.Context) gophercloud.Result, parts ...part) error {
	return c.call(ctx, o, op, func(ctx context.Context) (gophercloud.Result, error) {
		result := send(ctx)
		if result.Err != nil {
			return result, result.Err
		}
		for _, part := range parts {
			if err := decode(op, result, part.key, part.to); err != nil {
				return result, err
			}
		}
		return result, nil
	})
}

// fetch makes a GET and has the answer read as it came. The functions of gophercloud decode an answer, encode it and
// decode it again, which takes three times as long.
func (c *Client) fetch(ctx context.Context, o operation, op string, minor int, path string, read func(body []byte) error) error {
	return c.call(ctx, o, op, func(ctx context.Context) (gophercloud.Result, error) {
		service := c.at(minor)
		//nolint:bodyclose // ReadBody closes it
		response, err := service.Get(ctx, service.ServiceURL(path), nil, &gophercloud.RequestOpts{KeepResponseBody: true})
		result, err := resultOf(response, err)
		if err != nil {
			return result, err
		}
		body, err := osapi.ReadBody(response)
		if err != nil {
			return result, err
		}
		return result, read(body)
	})
}

// resultOf is what is kept of the answer to a request that gophercloud has no function for.
func resultOf(response *http.Response, err error) (gophercloud.Result, error) {
	if response == nil {
		return gophercloud.Result{}, err
	}
	return gophercloud.Result{StatusCode: response.StatusCode, Header: response.Header}, err
}
