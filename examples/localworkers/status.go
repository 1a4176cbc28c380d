package main

import (
	"fmt"
	"os"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// server returns what a record and the server's files say now.
func (c *cloud) server(r record) elasticpool.Server {
	server, _ := elasticpool.ServerOfTags(r.Spec.Pool, r.Spec.Tags())
	server.ID, server.Created = r.Spec.VM, r.Created
	server.Addresses = []string{"127.0.0.1"}
	server.Host, _ = os.Hostname()
	switch r.Phase {
	case leaving:
		server.Status = elasticpool.ServerDeleting
	case off:
		server.Status = elasticpool.ServerStopped
	case on, stopping:
		server.Status, server.Fault = c.running(r)
	default:
		server.Status = elasticpool.ServerUnknown
	}
	return server
}

// running returns the status of a server whose command was started.
func (c *cloud) running(r record) (status elasticpool.ServerStatus, why string) {
	vm := r.Spec.VM
	pid, began := c.store.pid(vm)
	code, ended := c.store.exit(vm) // after the process: this is written before that ends
	isServer := len(c.config.stop) == 0
	switch {
	case ended && code == 0 && !isServer, !ended && pid != 0 && isServer && c.store.booted(vm):
		return elasticpool.ServerActive, ""
	case ended:
		return elasticpool.ServerError, fmt.Sprintf("its command has ended with exit code %d: %s", code, c.store.lastWords(vm))
	case pid != 0, !began && time.Since(r.Launched) < patience:
		return elasticpool.ServerBuilding, ""
	case !began:
		return elasticpool.ServerError, "its command has not been started"
	}
	return elasticpool.ServerError, "its command was killed"
}
