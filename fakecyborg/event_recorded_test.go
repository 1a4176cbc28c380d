package fakecyborg_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// recordedEvent is what a real Cyborg sent to Nova, without its token.
type recordedEvent struct {
	Recording, Name, Release, Method, Path, Body string
	Headers                                      [][2]string
}

// comparable are the headers and the body without what no two senders share: the
// versions of the client, what encodings it reads, and the connection, which
// HTTP/1.1 keeps anyway. The ids are counted.
func (e recordedEvent) comparable() (map[string]string, string) {
	headers := make(map[string]string)
	for _, header := range e.Headers {
		headers[http.CanonicalHeaderKey(header[0])] = header[1]
	}
	delete(headers, "Connection")
	headers["Accept-Encoding"] = strings.Split(headers["Accept-Encoding"], ",")[0]
	headers["User-Agent"], _, _ = strings.Cut(headers["User-Agent"], " ")
	ids := make(map[string]string)
	return headers, idForm.ReplaceAllStringFunc(e.Body, func(id string) string {
		if ids[id] == "" {
			ids[id] = fmt.Sprint("id ", len(ids))
		}
		return ids[id]
	})
}

// TestEventsAreTheRecorded: what Nova gets is what it got from a real Cyborg.
func TestEventsAreTheRecorded(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/events-to-nova.jsonl")
	require.NoError(t, err)
	for line := range bytes.Lines(data) {
		var want recordedEvent
		require.NoError(t, json.Unmarshal(line, &want))
		t.Run(want.Recording+" "+want.Name, func(t *testing.T) {
			t.Parallel()
			got := eventSent(t, want.Release, strings.Count(want.Body, `"tag"`))
			assert.Equal(t, want.Method+" "+want.Path, got.Method+" "+got.Path)
			wantHeaders, wantBody := want.comparable()
			headers, body := got.comparable()
			assert.Empty(t, cmp.Diff(wantHeaders, headers))
			assert.Equal(t, wantBody, body)
		})
	}
}

// eventSent binds as many requests at once and gives what Nova got.
func eventSent(t *testing.T, version string, requests int) recordedEvent {
	t.Helper()
	var got recordedEvent
	nova := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		got = recordedEvent{Method: r.Method, Path: r.URL.Path, Body: string(body), Headers: [][2]string{{"Content-Length", strconv.FormatInt(r.ContentLength, 10)}}}
		for name := range r.Header {
			got.Headers = append(got.Headers, [2]string{name, r.Header.Get(name)})
		}
	}))
	defer nova.Close()
	release, err := fakecyborg.FindRelease(version)
	require.NoError(t, err)
	c := newClient(t, fakecyborg.WithRelease(release), fakecyborg.WithNova(nova.URL+"/v2.1"))
	var bindings []binding
	for _, arq := range c.makeARQs(t, "three-fpga")[:requests] {
		bindings = append(bindings, binding{arq.UUID, "rack1", driver.ProviderUUID(fpgaName), instanceA})
	}
	require.Equal(t, http.StatusAccepted, c.bind(t, bindings...).status)
	require.NotEmpty(t, got.Body)
	return got
}
