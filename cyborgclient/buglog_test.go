package cyborgclient_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// The tests of this file are public bug reports, each as small as it can be.

// The version header lost the service type on its way in and out (Launchpad
// cyborg 2049489, bigstack-oss/cubecos 1179).
func TestVersionHeaderInEachForm(t *testing.T) {
	t.Parallel()
	for _, served := range []string{"accelerator 2.2", "2.2"} {
		client, server := newClient(t, versioned(func(string) string { return served }))
		for range 2 {
			require.NoError(t, only(client.DeviceProfile(t.Context(), "p")))
		}
		assert.Equal(t, []string{"", "accelerator 2.2", "accelerator 2.2"}, askedVersions(server))
	}
	client, server := newClient(t, versioned(bareOnly))
	for range 2 {
		require.NoError(t, only(client.DeviceProfile(t.Context(), "p")))
	}
	assert.Equal(t, []string{"", "accelerator 2.2", "2.2", "2.2"}, askedVersions(server), "asked again, and remembered")
}

// versioned shows a profile by name at 2.2.
func versioned(header func(asked string) string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		served := header(r.Header.Get("OpenStack-API-Version"))
		w.Header().Set("OpenStack-API-Version", served)
		switch {
		case r.URL.Path == "/accelerator/v2/":
			respond(http.StatusOK, v2Document)(w, r)
		case strings.HasSuffix(served, "2.0"):
			respond(http.StatusNotAcceptable, `{"error_message": "{\"faultstring\": \"The minimal required API version should be 2.2\"}"}`)(w, r)
		default:
			respond(http.StatusOK, `{"device_profile": {"uuid": "`+arq1+`", "name": "p"}}`)(w, r)
		}
	}
}

func askedVersions(s *server) []string {
	var asked []string
	for _, r := range s.sent {
		asked = append(asked, r.Header.Get("OpenStack-API-Version"))
	}
	return asked
}

// cloudClient logs in with a name and a password.
func cloudClient(t *testing.T, transport http.RoundTripper) *cyborgclient.Client {
	t.Helper()
	setClouds(t)
	client, err := cyborgclient.New(t.Context(), cyborgclient.WithCloud("user"), cyborgclient.WithTransport(transport))
	require.NoError(t, err)
	return client
}

// A service that kept saying 401 was answered with logins without end
// (gophercloud 187, 1182, 1745).
//
//nolint:paralleltest // clouds.yaml is named by a variable
func TestLoginsEnd(t *testing.T) {
	keystone := new(guarded)
	s := &server{handler: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Host == "keystone.example" {
			keystone.ServeHTTP(w, r)
			return
		}
		respond(http.StatusUnauthorized, "")(w, r)
	}}
	err := only(cloudClient(t, s).ARQs(t.Context(), cyborgclient.ARQFilter{}))
	require.ErrorIs(t, err, cyborgclient.ErrUnauthorized)
	assert.Equal(t, int64(2), keystone.logins.Load(), "the first login and one more")
	assert.Len(t, s.sent, 4, "a call after each")
}

// A caller waited for the login of another past its own deadline (gophercloud
// 3922).
//
//nolint:paralleltest // clouds.yaml is named by a variable
func TestDeadlineWhileAnotherLogsIn(t *testing.T) {
	setClouds(t)
	synctest.Test(t, func(t *testing.T) {
		keystone := &guarded{refused: []string{"user-1"}}
		slow := false
		client, err := cyborgclient.New(t.Context(), cyborgclient.WithCloud("user"), cyborgclient.WithTransport(roundTripFunc(func(r *http.Request) (*http.Response, error) {
			if slow && r.URL.Host == "keystone.example" {
				time.Sleep(5 * time.Second)
			}
			recorder := httptest.NewRecorder()
			keystone.ServeHTTP(recorder, r)
			resp := recorder.Result()
			resp.Request = r
			return resp, nil
		})))
		require.NoError(t, err)
		slow = true
		var wg sync.WaitGroup
		list := func(ctx context.Context) error { return only(client.ARQs(ctx, cyborgclient.ARQFilter{})) }
		wg.Go(func() { assert.NoError(t, list(t.Context())) })
		synctest.Wait()
		wg.Go(func() { assert.NoError(t, list(t.Context())) })
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		start := time.Now()
		require.ErrorIs(t, list(ctx), context.DeadlineExceeded)
		assert.Equal(t, 50*time.Millisecond, time.Since(start))
		wg.Wait()
		assert.Equal(t, int64(2), keystone.logins.Load())
	})
}

// The body could not be read because a context had ended before (gophercloud
// 2969).
func TestLargeBodyWithinADeadline(t *testing.T) {
	t.Parallel()
	object := `{"uuid": "` + arq1 + `", "state": "Initial", "device_profile_group_id": 0}`
	server := httptest.NewServer(respond(http.StatusOK, `{"arqs": [`+strings.Repeat(object+",", 20000)+object+`]}`))
	defer server.Close()
	client, err := cyborgclient.New(t.Context(), cyborgclient.WithEndpoint(server.URL))
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	arqs, err := client.ARQs(ctx, cyborgclient.ARQFilter{})
	require.NoError(t, err)
	assert.Len(t, arqs, 20001)
}

// The second attempt of a write was empty (openshift-online/ocm-sdk-go 436).
func TestRepeatedBindHasItsBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		attempts := 0
		client, server := newClient(t, func(w http.ResponseWriter, r *http.Request) {
			if attempts++; attempts == 1 {
				w.Header().Set("Retry-After", "1")
				respond(http.StatusServiceUnavailable, "")(w, r)
				return
			}
			respond(http.StatusAccepted, "")(w, r)
		})
		require.NoError(t, bindOne(t.Context(), client))
		require.Len(t, server.sent, 2)
		assert.NotEmpty(t, server.sent[0].Body)
		assert.Equal(t, server.sent[0].Body, server.sent[1].Body)
	})
}

// The status of the answer after a login was hidden (gophercloud 3922).
//
//nolint:paralleltest // clouds.yaml is named by a variable
func TestStatusAfterALogin(t *testing.T) {
	keystone := &guarded{refused: []string{"user-1"}}
	s := &server{handler: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Host == "keystone.example" || r.Header.Get("X-Auth-Token") == "user-1" {
			keystone.ServeHTTP(w, r)
			return
		}
		respond(http.StatusNotFound, `{"error_message": "{\"faultstring\": \"ExtArq not found with uuid=x\"}"}`)(w, r)
	}}
	err := only(cloudClient(t, s).ARQ(t.Context(), arq1))
	require.ErrorIs(t, err, cyborgclient.ErrNotFound)
	var failure *cyborgclient.Error
	require.ErrorAs(t, err, &failure)
	assert.Equal(t, http.StatusNotFound, failure.StatusCode)
	var unexpected gophercloud.ErrUnexpectedResponseCode
	require.ErrorAs(t, err, &unexpected)
	assert.Equal(t, http.StatusNotFound, unexpected.Actual)
}

// A link in an answer led to plain http, or elsewhere, with the token (gnocchixyz
// python-gnocchiclient 102). No link is followed: Cyborg has no pages, and the
// links of its version document lead to a path that may not exist.
func TestLinksAreNotFollowed(t *testing.T) {
	t.Parallel()
	const links = `[{"rel": "next", "href": "http://evil.example/accelerator/v2/devices"}, {"rel": "self", "href": "http://evil.example/accelerator/v2"}]`
	client, server := newClient(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/accelerator/v2/" {
			respond(http.StatusOK, `{"id": "v2.0", "links": `+links+`, "max_version": "2.3", "min_version": "2.0"}`)(w, r)
			return
		}
		w.Header().Set("Link", `<http://evil.example/next>; rel="next"`)
		respond(http.StatusOK, `{"devices": [{"uuid": "`+arq1+`", "links": `+links+`}], "devices_links": `+links+`, "next": "http://evil.example/next"}`)(w, r)
	}, cyborgclient.WithEndpoint("https://cyborg.example/accelerator"), cyborgclient.WithToken("secret"))
	devices, err := client.Devices(t.Context(), cyborgclient.DeviceFilter{})
	require.NoError(t, err)
	assert.Len(t, devices, 1)
	assert.Equal(t, []string{"GET /accelerator/v2/", "GET /accelerator/v2/devices"}, server.lines())
	for _, r := range server.sent {
		assert.Equal(t, "https://cyborg.example", r.Origin)
	}
}

// Deleting a list a second time is a 404, deleting by instance is not
// (openstack/nova: nova/accelerator/cyborg.py).
func TestDeletingAgain(t *testing.T) {
	t.Parallel()
	s := &store{arqs: []string{arq1}}
	client, _ := newClient(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("instance") {
			respond(http.StatusNoContent, "")(w, r)
			return
		}
		s.ServeHTTP(w, r)
	})
	gone, err := client.DeleteARQs(t.Context(), arq1, arq2)
	require.NoError(t, err)
	assert.Equal(t, []string{arq2}, gone)
	assert.Empty(t, s.arqs)
	for range 2 {
		require.NoError(t, client.DeleteARQsByInstance(t.Context(), instance))
	}
}
