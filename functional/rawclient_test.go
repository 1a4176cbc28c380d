package functional_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

// rawClient speaks plain HTTP to a fake, through its in-memory transport.
type rawClient struct {
	server *fakecyborg.Server
	// header is sent with each request.
	header http.Header
}

// rawAnswer is what came back.
type rawAnswer struct {
	status int
	body   string
}

// call sends one request; header pairs follow the body.
func (c rawClient) call(t *testing.T, method, path, body string, header ...string) rawAnswer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, c.server.URL()+path, strings.NewReader(body))
	require.NoError(t, err)
	if c.header != nil {
		request.Header = c.header.Clone()
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := (&http.Client{Transport: c.server.Transport()}).Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return rawAnswer{status: response.StatusCode, body: string(data)}
}

// as is the client with another user's token.
func (c rawClient) as(token string) rawClient {
	c.header = http.Header{"X-Auth-Token": {token}}
	return c
}

// want fails the test unless the answer has that status.
func (a rawAnswer) want(t *testing.T, status int) rawAnswer {
	t.Helper()
	require.Equal(t, status, a.status, a.body)
	return a
}

// object reads the body as one JSON object.
func (a rawAnswer) object(t *testing.T) map[string]any {
	t.Helper()
	var object map[string]any
	require.NoError(t, json.Unmarshal([]byte(a.body), &object), a.body)
	return object
}

// list reads the elements of a collection, whose key must come first in the body.
func (a rawAnswer) list(t *testing.T, key string) []map[string]any {
	t.Helper()
	require.True(t, strings.HasPrefix(strings.ReplaceAll(a.body, " ", ""), `{"`+key+`":`), "%s does not come first: %s", key, a.body)
	elements, ok := a.object(t)[key].([]any)
	require.True(t, ok, a.body)
	list := make([]map[string]any, 0, len(elements))
	for _, element := range elements {
		object, ok := element.(map[string]any)
		require.True(t, ok, a.body)
		list = append(list, object)
	}
	return list
}

// texts are the values of one key.
func texts(t *testing.T, list []map[string]any, key string) []string {
	t.Helper()
	found := make([]string, 0, len(list))
	for _, object := range list {
		found = append(found, text(t, object, key))
	}
	return found
}

func text(t *testing.T, object map[string]any, key string) string {
	t.Helper()
	value, ok := object[key].(string)
	require.True(t, ok, "%s of %v", key, object)
	return value
}
