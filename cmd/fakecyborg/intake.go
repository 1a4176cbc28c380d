package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"time"
)

// How long a client may take to send a request. An answer may take as long as it
// needs: a bind waits until Nova has its event, which is why http.Server's own
// ReadTimeout, which goes on while the handler runs, is not used.
const (
	headerTimeout = 10 * time.Second
	bodyTimeout   = 30 * time.Second
	idleTimeout   = 2 * time.Minute
)

// maxBody bounds a body in bytes; it is Cyborg's own bound.
const maxBody = 16 << 20

// intake reads the whole body before it hands the request on, within timeout. A
// body that is too long or does not arrive is refused here, and its connection closed.
func intake(next http.Handler, timeout time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		body, err := readBody(w, r, timeout)
		if err != nil {
			w.Header().Set("Connection", "close")
			http.Error(w, err.Error(), refusalStatus(err))
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

func readBody(w http.ResponseWriter, r *http.Request, timeout time.Duration) ([]byte, error) {
	if r.ContentLength > maxBody {
		return nil, &http.MaxBytesError{Limit: maxBody}
	}
	connection := http.NewResponseController(w)
	if err := connection.SetReadDeadline(time.Now().Add(timeout)); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return nil, err
	}
	return body, connection.SetReadDeadline(time.Time{})
}

// refusalStatus is the status of a request whose body could not be read.
func refusalStatus(err error) int {
	var timeout interface{ Timeout() bool }
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return http.StatusRequestEntityTooLarge
	}
	if errors.As(err, &timeout) && timeout.Timeout() {
		return http.StatusRequestTimeout
	}
	return http.StatusBadRequest
}
