package placementtest

import (
	"bytes"
	"net"
	"net/http"
	"regexp"
)

// listener hands out connections that answer a Content-Length which is no number as the real service does. net/http refuses such a
// request before any handler sees it, with a bare reply.
type listener struct{ net.Listener }

// Accept waits for the next connection.
func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c}, nil
}

// conn remembers the piece of the request that was read last, where a refused head is.
type conn struct {
	net.Conn
	head []byte
}

var (
	// bareRefusal is the whole of what net/http sends when it cannot read a request.
	bareRefusal = []byte("HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request")
	// badLength finds a Content-Length with anything but digits in it.
	badLength = regexp.MustCompile(`(?im)^content-length:[^\r\n]*[^0-9 \t\r\n]`)
)

// Read reads from the peer.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.head = append(c.head[:0], b[:n]...)
	return n, err
}

// Write sends to the peer. The bare refusal is written only while no other read runs, so the head may be looked at then.
func (c *conn) Write(b []byte) (int, error) {
	if !bytes.Equal(b, bareRefusal) || !badLength.Match(c.head) {
		return c.Conn.Write(b)
	}
	if _, err := c.Conn.Write(lengthRefusal()); err != nil {
		return 0, err
	}
	return len(b), nil
}

// lengthRefusal is the reply to a Content-Length that is no number.
func lengthRefusal() []byte {
	var out bytes.Buffer
	rec := &recorder{header: make(http.Header)}
	writeFault(rec, newRequest(&http.Request{}), badRequest("content-length header must be an integer"), latestMinor)
	resp := rec.response(&http.Request{Method: http.MethodPost}) //nolint:bodyclose // Write closes it
	resp.Close = true
	_ = resp.Write(&out) // a bytes.Buffer takes everything
	return out.Bytes()
}
