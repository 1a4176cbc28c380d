package cyborgclient_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// A redirect to another address gets neither tokens nor trust: what answers
// there with success has done nothing.
func TestRedirectsElsewhere(t *testing.T) {
	t.Parallel()
	calls := map[string]func(context.Context, *cyborgclient.Client) error{
		"list": func(ctx context.Context, c *cyborgclient.Client) error {
			return only(c.ARQs(ctx, cyborgclient.ARQFilter{}))
		},
		"delete": func(ctx context.Context, c *cyborgclient.Client) error { return only(c.DeleteARQs(ctx, arq1)) },
		"bind":   bindOne, "create": createARQs,
	}
	for name, call := range calls {
		for _, borrowed := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				var arrived []string
				elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					arrived = append(arrived, r.Method)
					status := map[string]int{http.MethodGet: 200, http.MethodPost: 201, http.MethodPatch: 202, http.MethodDelete: 204}
					respond(status[r.Method], `{"arqs": []}`)(w, r)
				}))
				t.Cleanup(elsewhere.Close)
				home := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusTemporaryRedirect)
				}))
				t.Cleanup(home.Close)
				opts := []cyborgclient.Option{cyborgclient.WithEndpoint(home.URL), cyborgclient.WithServiceToken("service")}
				if borrowed {
					owner := new(gophercloud.ProviderClient)
					owner.UseTokenLock()
					owner.SetToken("user")
					opts = append(opts, cyborgclient.WithProvider(owner, gophercloud.EndpointOpts{}))
				} else {
					opts = append(opts, cyborgclient.WithToken("user"))
				}
				client, err := cyborgclient.New(t.Context(), opts...)
				require.NoError(t, err)
				failed := failure(t, call(t.Context(), client), cyborgclient.ErrUnreachable)
				assert.Empty(t, arrived)
				assert.Equal(t, http.StatusTemporaryRedirect, failed.StatusCode)
				require.ErrorContains(t, failed, ": 307 refused redirect to "+elsewhere.URL+"/v2/accelerator_requests, which is another address")
			})
		}
	}
}
