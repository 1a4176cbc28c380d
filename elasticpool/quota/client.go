package quota

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// freshFor is how long an idle connection is taken for alive. The service closes one after its ReadTimeout only. A
// request that is lost to a connection that is gone could not be repeated: a lease might be given twice.
const freshFor = 5 * time.Second

// longestAnswer bounds what is read of an answer.
const longestAnswer = 64 << 10

// Client speaks the line protocol. It connects when it has to and keeps the connection for the next request. Its
// methods may be called at the same time; requests go one after the other.
type Client struct {
	network, address string
	tls              *tls.Config
	token            string
	timeout          time.Duration

	mu    sync.Mutex
	conn  net.Conn
	lines *bufio.Reader
	used  time.Time
}

// ClientOption is an option of NewClient.
type ClientOption func(*Client) error

// WithClientTLS makes the client speak TLS. The configuration has to name the server or bring its own check.
func WithClientTLS(config *tls.Config) ClientOption {
	return func(c *Client) error {
		if config == nil {
			return fmt.Errorf("%w: the TLS configuration is nil", ErrConfig)
		}
		c.tls = config
		return nil
	}
}

// WithClientToken makes the client send the token with each request.
func WithClientToken(token string) ClientOption {
	return func(c *Client) error {
		c.token = token
		return nil
	}
}

// WithClientTimeout bounds each request, connecting included (10 s).
func WithClientTimeout(timeout time.Duration) ClientOption {
	return func(c *Client) error {
		if timeout <= 0 {
			return fmt.Errorf("%w: the timeout %v is not positive", ErrConfig, timeout)
		}
		c.timeout = timeout
		return nil
	}
}

// NewClient returns a client of the service at an address of network "tcp" or "unix". It does not connect yet.
func NewClient(network, address string, opts ...ClientOption) (*Client, error) {
	const op = "set up the client of the quota service"
	if network != "tcp" && network != "unix" {
		return nil, &Error{Op: op, Err: fmt.Errorf("%w: network %q is neither tcp nor unix", ErrConfig, network)}
	}
	c := &Client{network: network, address: address, timeout: 10 * time.Second}
	for _, opt := range opts {
		if err := opt(c); err != nil {
			return nil, &Error{Op: op, Err: err}
		}
	}
	return c, nil
}

// Query asks how the queue stands and reserves nothing.
func (c *Client) Query(ctx context.Context, queue string) (Response, error) {
	return c.Do(ctx, Request{ResID: queue})
}

// Ask leases up to want VMs, for ttl in whole seconds (0: the queue's reservation time). When none is free, the
// Response has no Lease.
func (c *Client) Ask(ctx context.Context, queue, class string, want int, ttl time.Duration) (Response, error) {
	return c.Do(ctx, Request{ResID: queue, Class: class, Want: want, TTL: int(ttl / time.Second)})
}

// Release gives a lease back.
func (c *Client) Release(ctx context.Context, queue, lease string) (Response, error) {
	return c.Do(ctx, Request{ResID: queue, Release: Release{Lease: lease}})
}

// ReleaseUnits gives n leased VMs back.
func (c *Client) ReleaseUnits(ctx context.Context, queue string, n int) (Response, error) {
	return c.Do(ctx, Request{ResID: queue, Release: Release{Units: n}})
}

// Do sends one request and waits for its answer. An answer with an ERROR comes with ErrRefused. After any other error
// the request may or may not have been carried out, and the next one uses a new connection.
func (c *Client) Do(ctx context.Context, req Request) (Response, error) {
	const op = "ask the quota service"
	c.mu.Lock()
	defer c.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	if err := req.check(); err != nil {
		return Response{}, &Error{Op: op, Queue: req.ResID, Err: err}
	}
	reused := c.conn != nil
	response, err := c.exchange(ctx, req)
	if err != nil && reused && req == (Request{ResID: req.ResID}) && ctx.Err() == nil {
		c.drop() // the service has closed the old connection; to query twice does no harm
		response, err = c.exchange(ctx, req)
	}
	if err != nil {
		c.drop()
		return Response{}, &Error{Op: op, Queue: req.ResID, Err: errors.Join(err, ctx.Err())}
	}
	if response.Error != "" {
		return response, &Error{Op: op, Queue: req.ResID, Err: fmt.Errorf("%w: %s", ErrRefused, response.Error)}
	}
	return response, nil
}

// exchange sends the request over a connection that is surely alive.
func (c *Client) exchange(ctx context.Context, req Request) (Response, error) {
	var response Response
	if err := c.connect(ctx); err != nil {
		return response, err
	}
	conn := c.conn
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer func() {
		if !stop() {
			c.drop() // its deadline is or will be over
		}
	}()
	line, err := json.Marshal(envelope{Request: req, Token: c.token})
	if err != nil {
		return response, err
	}
	if _, err := conn.Write(append(line, '\n')); err != nil {
		return response, err
	}
	answer, err := c.lines.ReadSlice('\n')
	if err != nil {
		return response, err
	}
	c.used = time.Now()
	return response, json.Unmarshal(answer, &response)
}

// connect makes a connection unless there is one that was used a moment ago.
func (c *Client) connect(ctx context.Context) error {
	if c.conn != nil && time.Since(c.used) < freshFor {
		return nil
	}
	c.drop()
	var err error
	if c.tls != nil {
		d := tls.Dialer{Config: c.tls}
		c.conn, err = d.DialContext(ctx, c.network, c.address)
	} else {
		var d net.Dialer
		c.conn, err = d.DialContext(ctx, c.network, c.address)
	}
	if err != nil {
		c.conn = nil
		return err
	}
	c.lines = bufio.NewReaderSize(c.conn, longestAnswer)
	return nil
}

// drop closes the connection, if any.
func (c *Client) drop() {
	if c.conn != nil {
		_ = c.conn.Close() // nothing is lost: each answer was read or given up
		c.conn = nil
	}
}

// Close ends the connection. The client can still be used.
func (c *Client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop()
	return nil
}
