package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// api is a server and who asks it: a bare client, so that what is measured is the server.
type api struct {
	client *http.Client
	base   string
	header http.Header
}

// newAPI keeps so many connections open, if the server does.
func newAPI(base string, connections int, header ...string) api {
	a := api{
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections, DisableCompression: true}},
		base:   base, header: http.Header{"Accept": {"application/json"}},
	}
	for pair := range slices.Chunk(header, 2) {
		a.header.Set(pair[0], pair[1])
	}
	return a
}

// call sends one request and reads the answer whole.
func (a api) call(ctx context.Context, method, path, body string) (status int, answer []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, method, a.base+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header = a.header.Clone()
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := a.client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}

// want is call, and an error unless the status is one of these. It decodes the answer unless into is nil.
func (a api) want(ctx context.Context, method, path, body string, into any, statuses ...int) error {
	status, answer, err := a.call(ctx, method, path, body)
	if err != nil {
		return err
	}
	if !slices.Contains(statuses, status) {
		return fmt.Errorf("%s %s: %d %.300s", method, path, status, answer)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer, into)
}
