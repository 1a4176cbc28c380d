package osapi

import (
	"fmt"
	"io"
	"net/http"
)

const (
	// mostAnswer bounds an answer: a thousand times what lists of a large cloud
	// have, and far below what would hurt the process.
	mostAnswer = 64 << 20
	// mostRefusal bounds the answer of an error, which is kept in error values.
	mostRefusal = 1 << 20
)

// ErrTooLong says that an answer was longer than 64 MiB, so that it was not read
// to its end.
var ErrTooLong = fmt.Errorf("the answer is longer than %d MiB", mostAnswer>>20)

// boundedAnswers bounds what is read of each answer. Answers of errors just end.
type boundedAnswers struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b boundedAnswers) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := b.next.RoundTrip(req)
	if err != nil || resp.Body == nil {
		return resp, err
	}
	body := &boundedBody{ReadCloser: resp.Body, left: mostAnswer, end: ErrTooLong}
	if resp.StatusCode >= http.StatusBadRequest {
		body.left, body.end = mostRefusal, io.EOF
	}
	resp.Body = body
	return resp, nil
}

// CloseIdleConnections lets http.Client reach the connections below.
func (b boundedAnswers) CloseIdleConnections() { closeIdle(b.next) }

func closeIdle(transport http.RoundTripper) {
	if closer, ok := transport.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

type boundedBody struct {
	io.ReadCloser
	left int64
	end  error // where more than left would follow
}

// Read implements io.Reader. One byte more than allowed is asked for, to tell an
// answer of exactly the allowed length from a longer one.
func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, b.end
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n - 1, b.end
	}
	return n, err
}
