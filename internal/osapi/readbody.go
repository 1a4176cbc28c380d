package osapi

import (
	"bytes"
	"net/http"
)

// mostAhead bounds the memory that is taken because an answer announces its
// length, before it has come.
const mostAhead = 4 << 20

// ReadBody reads an answer whole, into one piece of memory where its length is
// announced, and closes it. NewService's transport bounds what can be read.
func ReadBody(resp *http.Response) ([]byte, error) {
	defer func() { _ = resp.Body.Close() }()
	var body bytes.Buffer
	body.Grow(int(min(max(resp.ContentLength, 0), mostAhead)) + bytes.MinRead)
	_, err := body.ReadFrom(resp.Body)
	return body.Bytes(), err
}
