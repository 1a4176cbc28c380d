package osapi

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// net/http's error for a proxy shows its address.
func TestProxyErrorsShowNoAddress(t *testing.T) {
	t.Parallel()
	proxy, err := hideProxyErrors(func(*http.Request) (*url.URL, error) {
		return nil, fmt.Errorf("invalid proxy address %q", "u:s3cret@ho st")
	})(nil)
	assert.Nil(t, proxy)
	require.ErrorIs(t, err, errProxy)
	assert.NotContains(t, err.Error(), "s3cret")

	want := &url.URL{Host: "proxy"}
	proxy, err = hideProxyErrors(func(*http.Request) (*url.URL, error) { return want, nil })(nil)
	require.NoError(t, err)
	assert.Equal(t, want, proxy)
}
