package main

import (
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
	// busy maps the client's address to what it does.
	busy   map[string]string
	ending bool
	cut    []string
}

func newConnections() *connections { return &connections{busy: make(map[string]string)} }

// changed follows the states of connections; it is a [http.Server]'s ConnState.
func (c *connections) changed(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	client := conn.RemoteAddr().String()
	switch state {
	case http.StateNew, http.StateActive:
		c.busy[client] = "a request that has not arrived whole"
		return
	case http.StateClosed:
		if doing, busy := c.busy[client]; busy && c.ending {
			c.cut = append(c.cut, client+": "+doing)
		}
	case http.StateIdle, http.StateHijacked:
	}
	delete(c.busy, client)
}

// watch notes which request a client waits for; it comes behind [intake].
func (c *connections) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		c.busy[r.RemoteAddr] = fmt.Sprintf("%s %q", r.Method, r.URL.Path)
		c.mu.Unlock()
		defer func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			delete(c.busy, r.RemoteAddr)
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
	for client, doing := range c.busy {
		list = append(list, client+": "+doing)
	}
	slices.Sort(list)
	return list
}
