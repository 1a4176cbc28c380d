package openstack

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/internal/osapi"
)

const (
	lookTime  = 20 * time.Second // to find out what became of a request, even when the caller's time is over
	lookTimes = 3
	lookAgain = time.Second
)

// Create asks for a server. Nova has no token that makes a request unique, so it is sent at most once, and the VM's
// server is looked for before and, when the outcome is not clear, after: creating a VM twice gives the same server.
//
// Flavor, image and network are names or ids. Before anything is made, the flavor's accel:device_profile must be the
// class's DeviceProfile, if that is given, and Cyborg must know it. For the keys of Class.Extra see the constants Extra….
func (p *Provider) Create(ctx context.Context, spec elasticpool.ServerSpec) (elasticpool.Server, error) {
	op := p.op("create server %s", spec.Name)
	if spec.Pool != p.settings.Pool || spec.VM == "" || spec.Name == "" {
		return elasticpool.Server{}, invalid(op, "pool %q, VM %q: the provider serves pool %q, and the server needs a VM and a name",
			spec.Pool, spec.VM, p.settings.Pool)
	}
	if found, ok, err := p.find(ctx, spec); err != nil || ok {
		return found, classify(op, err)
	}
	made, err := p.create(ctx, op, spec)
	if errors.Is(err, elasticpool.ErrInvalid) && p.forgetNames(spec.Class) {
		made, err = p.create(ctx, op, spec) // a name may stand for something else by now
	}
	if err == nil {
		p.memory.made(made)
	}
	return made, err
}

func (p *Provider) create(ctx context.Context, op string, spec elasticpool.ServerSpec) (elasticpool.Server, error) {
	plan, err := p.plan(ctx, op, spec)
	if err != nil {
		return elasticpool.Server{}, err
	}
	if plan.ports, err = p.makePorts(ctx, op, spec, plan); err != nil {
		return elasticpool.Server{}, err
	}
	id, err := p.post(osapi.AtMostOnce(ctx), plan.body(spec))
	switch {
	case err == nil:
		return made(spec, id), nil
	case doubtful(err):
		return p.settle(ctx, op, spec, err)
	}
	p.dropPorts(ctx, plan.ports)
	return elasticpool.Server{}, classify(op, err)
}

// made is a server that Nova has just taken on.
func made(spec elasticpool.ServerSpec, id string) elasticpool.Server {
	return elasticpool.Server{
		ID: id, VM: spec.VM, Pool: spec.Pool, Class: spec.Class.Name, Queue: spec.Queue, Generation: spec.Generation,
		Status: elasticpool.ServerBuilding,
	}
}

// errNoID says that the answer of a creation was not whole.
var errNoID = errors.New("the answer has no id of a server")

// post sends the request. The answer has the server's password in it: nothing of it is kept but the id.
func (p *Provider) post(ctx context.Context, body map[string]any) (string, error) {
	var answer struct {
		Server struct {
			ID string `json:"id"`
		} `json:"server"`
	}
	_, err := p.compute.Post(ctx, p.compute.ServiceURL("servers"), body, &answer, //nolint:bodyclose // closed by gophercloud
		&gophercloud.RequestOpts{OkCodes: []int{http.StatusOK, http.StatusAccepted}})
	if err == nil && answer.Server.ID == "" {
		err = errNoID
	}
	return answer.Server.ID, err
}

// doubtful says that a server may have been made all the same: after a lost answer, and after a failure of Nova in the
// midst of it.
func doubtful(err error) bool {
	failure, answered := osapi.FailureOf(err)
	return lost(err) || answered && failure.StatusCode >= http.StatusInternalServerError
}

// settle finds out what became of a request, also when the caller's time is over.
func (p *Provider) settle(ctx context.Context, op string, spec elasticpool.ServerSpec, cause error) (elasticpool.Server, error) {
	looking, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
	defer cancel()
	var failed error
	for try := range lookTimes {
		if try > 0 && !sleep(looking, lookAgain) {
			break
		}
		found, ok, err := p.find(looking, spec)
		if ok {
			return found, nil
		}
		failed = err
	}
	if failed == nil && !lost(cause) {
		return elasticpool.Server{}, classify(op, cause)
	}
	if known := classify(op, cause); failed == nil {
		failed = known
	}
	return elasticpool.Server{}, &elasticpool.CloudError{
		Op: op, Class: elasticpool.ErrUnknownOutcome, Detail: "no answer, and no server of the VM is seen yet: " + detailOf(failed), Err: cause,
	}
}

// detailOf is what an error says without its operation and class.
func detailOf(err error) string {
	if known, ok := errors.AsType[*elasticpool.CloudError](err); ok {
		if known.Detail == "" && known.Err != nil {
			return known.Err.Error()
		}
		return known.Detail
	}
	return err.Error()
}

// find looks for the server of a VM. The name only narrows what Nova sends, the tags decide; of several the oldest is
// the VM's.
func (p *Provider) find(ctx context.Context, spec elasticpool.ServerSpec) (elasticpool.Server, bool, error) {
	all, complete, err := p.list(ctx, url.Values{"name": {"^" + regexp.QuoteMeta(spec.Name) + "$"}})
	if err != nil {
		return elasticpool.Server{}, false, err
	}
	var oldest *server
	for i, s := range all {
		if s.ours(spec.Pool, spec.VM) && !deletedStatus(s.Status) && (oldest == nil || s.Created.Before(oldest.Created)) {
			oldest = &all[i]
		}
	}
	if oldest == nil && !complete {
		return elasticpool.Server{}, false, errors.New("the list of servers is not whole, so that it cannot be told whether the VM has one")
	}
	if oldest == nil {
		return elasticpool.Server{}, false, nil
	}
	found, ok := oldest.of(spec.Pool)
	return found, ok, nil
}

// forgetNames drops what the class's names were taken for, and says whether any was remembered.
func (p *Provider) forgetNames(class elasticpool.Class) bool {
	stale := p.flavorIDs.forget(class.Flavor)
	stale = p.imageIDs.forget(class.Image) || stale
	stale = p.profiles.forget(class.DeviceProfile) || stale
	for _, name := range fields(class.Network) {
		stale = p.networkIDs.forget(name) || stale
	}
	return stale
}

// sleep waits, and says whether it was not cut short.
func sleep(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
