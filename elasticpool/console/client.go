package console

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Client asks a console through its unix socket, or over HTTP.
type Client struct {
	http  *http.Client
	base  string
	token string
}

// NewSocketClient returns a client of the console that listens on a unix socket.
func NewSocketClient(path string) *Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", path)
	}
	transport := &http.Transport{DialContext: dial, DisableKeepAlives: true}
	return &Client{http: &http.Client{Timeout: time.Minute, Transport: transport}, base: "http://pool"}
}

// NewClient returns a client of the console at a URL, with the token that commands need, and how it speaks TLS; nil: as the
// system does. It follows no redirects: the token is for nobody else.
func NewClient(base, token string, secure *tls.Config) *Client {
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: secure, DisableKeepAlives: true}
	return &Client{http: &http.Client{Timeout: time.Minute, CheckRedirect: stay, Transport: transport}, base: strings.TrimSuffix(base, "/"), token: token}
}

// Status returns how the pool is.
func (c *Client) Status(ctx context.Context) (elasticpool.Status, error) {
	var s elasticpool.Status
	return s, c.ask(ctx, http.MethodGet, "/api/status", nil, &s)
}

// Explain returns sentences about a queue, VM or job.
func (c *Client) Explain(ctx context.Context, what string) ([]string, error) {
	var e Explanation
	err := c.ask(ctx, http.MethodGet, "/api/explain?what="+url.QueryEscape(what), nil, &e)
	return e.Lines, err
}

// Do gives a command.
func (c *Client) Do(ctx context.Context, command elasticpool.Command) error {
	return c.ask(ctx, http.MethodPost, "/api/commands", command, nil)
}

func (c *Client) ask(ctx context.Context, method, path string, body, into any) error {
	var reader io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		reader = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, reader)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if c.token != "" && method != http.MethodGet {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("ask the pool: %w; is elasticpool run running?", err)
	}
	defer res.Body.Close()
	if res.StatusCode >= http.StatusMultipleChoices {
		var p Problem
		if err := json.NewDecoder(io.LimitReader(res.Body, maxCommand)).Decode(&p); err != nil || p.Title == "" {
			p.Title = res.Status
		}
		return errors.New(p.Title)
	}
	if into == nil {
		return nil
	}
	if err := json.NewDecoder(res.Body).Decode(into); err != nil {
		return fmt.Errorf("ask the pool: %s: the answer is not the pool's: %w", path, err)
	}
	return nil
}
