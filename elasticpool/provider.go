package elasticpool

import (
	"context"
	"time"
)

// Provider is one cloud: OpenStack (package openstack), OpenNebula (package opennebula), or any program that speaks
// JSON (package execcloud). Its methods are called at the same time.
//
// Errors are *CloudError with a class; any other error counts as ErrTransient.
type Provider interface {
	// Servers returns the servers that bear this pool's tag. Others are never touched.
	// complete is false when the list may be short: then nothing is concluded from what is not in it.
	Servers(ctx context.Context, pool string) (servers []Server, complete bool, err error)
	// Limits returns what the pool may take in all, own servers included, and what of it is free now.
	Limits(ctx context.Context) (Limits, error)
	// Create asks for a server. An error of class ErrUnknownOutcome says that it may have been made: it is looked for
	// by its VM id before it is asked for again.
	Create(ctx context.Context, spec ServerSpec) (Server, error)
	// Delete removes a server and all that was made for it (ports, volumes, accelerators). It is repeated until the
	// server is gone, and a server that is gone is no error.
	Delete(ctx context.Context, server Server) error
	// Stop and Start put a server to sleep and wake it, or return ErrUnsupported.
	Stop(ctx context.Context, server Server) error
	Start(ctx context.Context, server Server) error
}

// ServerSpec is a server to be made.
type ServerSpec struct {
	Pool       string    `json:"pool"`
	VM         string    `json:"vm"`   // unique for ever; the cloud must find the server by it
	Name       string    `json:"name"` // ServerName(pool, queue, vm)
	Queue      string    `json:"queue,omitempty"`
	Generation int64     `json:"generation"` // of the controller that asks
	Class      Class     `json:"class"`
	Expires    time.Time `json:"expires,omitzero"`
}

// ServerStatus is the state of a server in its cloud, in words that all clouds share.
type ServerStatus string

// States of a server.
const (
	ServerBuilding ServerStatus = "building"
	ServerActive   ServerStatus = "active"
	ServerStopped  ServerStatus = "stopped" // off, or shelved
	ServerDeleting ServerStatus = "deleting"
	ServerError    ServerStatus = "error"
	ServerUnknown  ServerStatus = "unknown" // a state without a meaning here: nothing is concluded from it
)

// Server is a server of the pool in a cloud.
type Server struct {
	ID         string       `json:"id"` // in the cloud
	VM         string       `json:"vm"`
	Pool       string       `json:"pool"`
	Class      string       `json:"class"`
	Queue      string       `json:"queue,omitempty"` // it was made for
	Generation int64        `json:"generation,omitempty"`
	Status     ServerStatus `json:"status"`
	Fault      string       `json:"fault,omitempty"`       // the cloud's own words on an error
	FaultClass string       `json:"fault_class,omitempty"` // ErrorWord of the fault; empty: capacity
	Host       string       `json:"host,omitempty"`        // hypervisor or zone, if the cloud says it
	Addresses  []string     `json:"addresses,omitempty"`
	Created    time.Time    `json:"created,omitzero"`
}

// Limits is what a cloud allows and has.
type Limits struct {
	// Total is what the pool may use in all: quotas less what others of the project use. A resource that is absent is
	// not limited.
	Total Resources `json:"total"`
	// Free is what can be had now; at most Total less the own use. A resource that is absent is not limited.
	Free Resources `json:"free"`
}
