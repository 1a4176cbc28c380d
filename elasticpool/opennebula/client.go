package opennebula

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// maxAnswer is how long an answer may be: a page of VMs with long histories takes some megabytes.
const maxAnswer = 256 << 20

// client calls methods of oned.
type client struct {
	endpoint string
	auth     string
	timeout  time.Duration
	http     *http.Client
}

func newClient(endpoint, auth string, c config) *client {
	return &client{endpoint: endpoint, auth: auth, timeout: c.timeout, http: &http.Client{
		Transport:     c.transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the body has the password
	}}
}

// errUnsent marks calls that oned has surely not seen.
var errUnsent = errors.New("not sent")

// call calls a method and returns what it gives: a string or an int64. The login is put before the arguments.
func (c *client) call(ctx context.Context, method string, arguments ...any) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	body, err := encodeCall(method, append([]any{c.auth}, arguments...)...)
	if err != nil {
		return nil, errors.Join(errUnsent, err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, errors.Join(errUnsent, err)
	}
	request.Header.Set("Content-Type", "text/xml")
	response, err := c.http.Do(request)
	if err != nil {
		return nil, c.unanswered(err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: HTTP status %s", method, response.Status)
	}
	limited := &io.LimitedReader{R: response.Body, N: maxAnswer}
	value, err := decodeResponse(limited)
	switch {
	case limited.N <= 0:
		return nil, fmt.Errorf("%s: an answer of more than %d bytes", method, maxAnswer)
	case err != nil:
		return nil, c.clean(fmt.Errorf("%s: %w", method, err))
	}
	return c.result(method, value)
}

// unanswered tells a connection that was never made from a lost answer.
func (c *client) unanswered(err error) error {
	var network *net.OpError
	if errors.As(err, &network) && network.Op == "dial" {
		return errors.Join(errUnsent, c.clean(err))
	}
	return c.clean(err)
}

// result reads what all methods give: success, a value or an error's text, an error's code.
func (c *client) result(method string, value any) (any, error) {
	parts, _ := value.([]any)
	if len(parts) < 3 {
		return nil, fmt.Errorf("%s: the answer has %d parts, not success, value and code", method, len(parts))
	}
	success, ok := parts[0].(bool)
	if !ok {
		return nil, fmt.Errorf("%s: the answer begins with a %T, not a boolean", method, parts[0])
	}
	if success {
		return parts[1], nil
	}
	text, isText := parts[1].(string)
	code, isCode := parts[2].(int64)
	if !isText || !isCode {
		return nil, fmt.Errorf("%s: an error with a %T and a %T", method, parts[1], parts[2])
	}
	return nil, &oneError{code: code, text: strings.ReplaceAll(text, c.auth, "…")}
}

// text calls a method that gives a text.
func (c *client) text(ctx context.Context, method string, arguments ...any) (string, error) {
	value, err := c.call(ctx, method, arguments...)
	if err != nil {
		return "", err
	}
	text, ok := value.(string)
	if !ok {
		return "", fmt.Errorf("%s: a %T, not a text", method, value)
	}
	return text, nil
}

// number calls a method that gives an id.
func (c *client) number(ctx context.Context, method string, arguments ...any) (int, error) {
	value, err := c.call(ctx, method, arguments...)
	if err != nil {
		return 0, err
	}
	number, ok := value.(int64)
	if !ok || number < 0 {
		return 0, fmt.Errorf("%s: %v, not an id", method, value)
	}
	return int(number), nil
}

// clean takes the login out of an error's text.
func (c *client) clean(err error) error {
	if f, ok := errors.AsType[*rpcFault](err); ok {
		return &rpcFault{code: f.code, text: strings.ReplaceAll(f.text, c.auth, "…")}
	}
	if !strings.Contains(err.Error(), c.auth) {
		return err
	}
	return errors.New(strings.ReplaceAll(err.Error(), c.auth, "…"))
}
