package osapi

import (
	"net/http"

	"github.com/hashicorp/go-cleanhttp"
	"github.com/hashicorp/go-retryablehttp"
)

// retryTransport puts the retries between gophercloud and the network. The
// inner client must hand redirects up: followed below gophercloud they would
// carry X-Auth-Token to wherever the answer points.
func (c *Config) retryTransport() http.RoundTripper {
	client := &retryablehttp.Client{
		HTTPClient: &http.Client{
			Transport:     attemptWatcher{boundedAnswers{c.baseTransport()}},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		RetryMax:     c.retries.max,
		RetryWaitMin: c.retries.waitMin,
		RetryWaitMax: c.retries.waitMax,
		CheckRetry:   c.retries.check,
		Backoff:      backoff,
		// The last answer, with status and body, must reach gophercloud.
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
	if c.logger != nil {
		client.Logger = c.logger
	}
	return &retryablehttp.RoundTripper{Client: client}
}

// baseTransport is the caller's, or one of our own that knows the TLS settings
// and takes proxies from the environment.
func (c *Config) baseTransport() http.RoundTripper {
	if c.transport != nil {
		return c.transport
	}
	transport := cleanhttp.DefaultPooledTransport()
	transport.TLSClientConfig = c.tls
	transport.Proxy = hideProxyErrors(http.ProxyFromEnvironment)
	return transport
}
