package lifecycle_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/lifecycle"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// process is one life of a program that works in a world: a Manager with clean clients, behind a gate that all its
// calls pass.
type process struct {
	*lifecycle.Manager
	world    *world
	gate     *gate
	receiver *virtdriver.Receiver
}

// start begins a new process. From then on it is the one that gets the events.
func (w *world) start(opts ...lifecycle.Option) *process {
	w.t.Helper()
	receiver, err := virtdriver.NewReceiver()
	require.NoError(w.t, err)
	p := &process{world: w, gate: &gate{}, receiver: receiver}
	places := placementClient(w.t, placement.WithTransport(&gatedTransport{p, "placement", w.places.Transport()}))
	cyborg := cyborgClient(w.t, cyborgclient.WithTransport(&gatedTransport{p, "cyborg", w.fake.Transport()}))
	p.Manager, err = lifecycle.New(places, cyborg, append([]lifecycle.Option{
		lifecycle.WithStore(gatedStore{p}), lifecycle.WithHypervisor(gatedHypervisor{p}),
		lifecycle.WithWaiter(virtdriver.WithReceiver(receiver), virtdriver.WithTimeout(time.Minute), virtdriver.WithPollInterval(10*time.Second)),
	}, opts...)...)
	require.NoError(w.t, err)
	p.listen()
	return p
}

// listen makes the process the one that gets the events.
func (p *process) listen() {
	p.world.mu.Lock()
	defer p.world.mu.Unlock()
	p.world.receiver = p.receiver
}

// run runs something in the process, and tells whether the process was killed meanwhile. A killed process does nothing
// any more, and time does not go on for it: what it had begun is left as it is.
func (p *process) run(operation func() error) (err error, killed bool) { //nolint:revive // the error comes from operation
	killed = true
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = operation()
		killed = false
	}()
	<-done
	return err, killed
}

// call is one thing that a process does to the world around it.
type call struct {
	// party is "placement", "cyborg", "store" or "guest".
	party string
	// name is method and path of a request, "save", or the method of the Hypervisor.
	name string
}

func (c call) String() string { return c.party + " " + c.name }

// meddling is what happens to a call beside its plain course; the zero value is nothing.
type meddling struct {
	// kill ends the process instead of the call, killAfter after the call took effect.
	kill, killAfter bool
	// before happens before the call.
	before func()
	// request takes the place of a request; send is its plain course. The answer's body is in memory.
	request func(r *http.Request, send func() (*http.Response, error)) (*http.Response, error)
	// act takes the place of a saving or of a call of the hypervisor.
	act func(do func() error) error
}

// gate is what every call of a process passes. It counts them.
type gate struct {
	mu    sync.Mutex
	calls []call
	dead  bool
	// meddle says what happens to a call. It is called under the gate's lock, with the number of the call from 0.
	meddle func(index int, c call) meddling
}

// enter lets a call begin, or ends the goroutine of a dead process.
func (g *gate) enter(c call) meddling {
	g.mu.Lock()
	var m meddling
	if !g.dead {
		if g.meddle != nil {
			m = g.meddle(len(g.calls), c)
		}
		g.calls = append(g.calls, c)
		g.dead = m.kill
	}
	g.mu.Unlock()
	g.live()
	if m.before != nil {
		m.before()
	}
	return m
}

// leave ends a call.
func (g *gate) leave(m meddling) {
	if m.killAfter {
		g.kill()
	}
	g.live()
}

// live ends the goroutine of a dead process: nothing is undone, as after kill -9.
func (g *gate) live() {
	g.mu.Lock()
	dead := g.dead
	g.mu.Unlock()
	if dead {
		runtime.Goexit()
	}
}

// kill ends the process: each of its goroutines ends at its next call.
func (g *gate) kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.dead = true
}

// log is the calls so far.
func (g *gate) log() []call {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]call(nil), g.calls...)
}

// gatedTransport sends requests through the gate.
type gatedTransport struct {
	process *process
	party   string
	under   http.RoundTripper
}

func (t *gatedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	c, err := t.describe(r)
	if err != nil {
		return nil, err
	}
	m := t.process.gate.enter(c)
	send := func() (*http.Response, error) { return t.send(r) }
	var response *http.Response
	if m.request != nil {
		response, err = m.request(r, send)
	} else {
		response, err = send()
	}
	t.process.gate.leave(m)
	return response, err
}

// describe names a request by its method and collection; an unbind is told from a bind by its body.
func (t *gatedTransport) describe(r *http.Request) (call, error) {
	path := strings.TrimPrefix(r.URL.Path, "/v2")
	path = "/" + strings.Split(path, "/")[1]
	c := call{t.party, r.Method + " " + path}
	if r.Method != http.MethodPatch {
		return c, nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return c, err
	}
	_ = r.Body.Close()
	r.Body = io.NopCloser(bytes.NewReader(body))
	c.name = "bind"
	if bytes.Contains(body, []byte(`"remove"`)) {
		c.name = "unbind"
	}
	return c, nil
}

// send carries a request out and reads the whole answer, so that the server has acted when it returns.
func (t *gatedTransport) send(r *http.Request) (*http.Response, error) {
	response, err := t.under.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	if t.party == "cyborg" && r.Method != http.MethodGet {
		t.process.world.checkDevices()
	}
	return response, nil
}

// act lets a saving or a call of the hypervisor pass the gate.
func (p *process) act(c call, do func() error) error {
	m := p.gate.enter(c)
	var err error
	if m.act != nil {
		err = m.act(do)
	} else {
		err = do()
	}
	p.gate.leave(m)
	return err
}

type gatedStore struct{ *process }

func (s gatedStore) Save(_ context.Context, record lifecycle.Record) error {
	return s.act(call{"store", "save"}, func() error { return s.world.disk.save(record) })
}

type gatedHypervisor struct{ *process }

func (h gatedHypervisor) Spawn(ctx context.Context, guest lifecycle.Guest) error {
	return h.act(call{"guest", "spawn"}, func() error { return h.world.hypervisor.Spawn(ctx, guest) })
}

func (h gatedHypervisor) Destroy(ctx context.Context, guest lifecycle.Guest) error {
	return h.act(call{"guest", "destroy"}, func() error { return h.world.hypervisor.Destroy(ctx, guest) })
}

func (h gatedHypervisor) Power(ctx context.Context, guest lifecycle.Guest, action lifecycle.PowerAction) error {
	return h.act(call{"guest", string(action)}, func() error { return h.world.hypervisor.Power(ctx, guest, action) })
}

func (h gatedHypervisor) Attach(ctx context.Context, guest lifecycle.Guest, devices lifecycle.Devices) error {
	return h.act(call{"guest", "attach"}, func() error { return h.world.hypervisor.Attach(ctx, guest, devices) })
}

func (h gatedHypervisor) Detach(ctx context.Context, guest lifecycle.Guest, devices lifecycle.Devices) error {
	return h.act(call{"guest", "detach"}, func() error { return h.world.hypervisor.Detach(ctx, guest, devices) })
}

func (h gatedHypervisor) Migrate(ctx context.Context, guest lifecycle.Guest, to string) error {
	return h.act(call{"guest", "migrate"}, func() error { return h.world.hypervisor.Migrate(ctx, guest, to) })
}
