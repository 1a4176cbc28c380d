package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
)

// connections knows what each client that is not idle is doing, and which were
// cut off.
type connections struct {
	mu sync.Mutex
	// busy is what each client does. Clients of a Unix socket have no address to
	// tell them apart.
	busy   map[net.Conn]string
	ending bool
	cut    []string
}

func newConnections() *connections { return &connections{busy: make(map[net.Conn]string)} }

// changed follows the states of connections; it is a [http.Server]'s ConnState.
func (c *connections) changed(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateNew, http.StateActive:
		c.busy[conn] = "a request that has not arrived whole"
		return
	case http.StateClosed:
		if doing, busy := c.busy[conn]; busy && c.ending {
			c.cut = append(c.cut, clientOf(conn)+": "+doing)
		}
	case http.StateIdle, http.StateHijacked:
	}
	delete(c.busy, conn)
}

// clientOf names a client.
func clientOf(conn net.Conn) string {
	if conn.RemoteAddr().Network() == "unix" {
		return "a client of the socket"
	}
	return conn.RemoteAddr().String()
}

// connectionKey is the key of a request's connection in its context.
type connectionKey struct{}

// remember puts a connection into the contexts of its requests; it is a
// [http.Server]'s ConnContext.
func (*connections) remember(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, conn)
}

// watch notes which request a client waits for; it comes behind [intake].
func (c *connections) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _ := r.Context().Value(connectionKey{}).(net.Conn)
		c.mu.Lock()
		c.busy[conn] = fmt.Sprintf("%s %q", r.Method, r.URL.Path)
		c.mu.Unlock()
		defer func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			delete(c.busy, conn)
		}()
		next.ServeHTTP(w, r)
	})
}

// end starts to count a busy client whose connection closes as cut off.
func (c *connections) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ending = true
}

// unfinished tells who was, or is about to be, cut off from what.
func (c *connections) unfinished() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := slices.Clone(c.cut)
	for conn, doing := range c.busy {
		list = append(list, clientOf(conn)+": "+doing)
	}
	slices.Sort(list)
	return list
}
