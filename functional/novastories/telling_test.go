package novastories_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// peer is a Cyborg that a story is told with.
type peer struct {
	name  string
	url   *url.URL
	admin *cyborgclient.Client
}

// telling is one story with one Cyborg.
type telling struct {
	*stack
	story   *story
	peer    *peer
	profile string // the name of the device profile, of the flavor and of the servers
	flavor  string
	compute *gophercloud.ServiceClient // with a token that nobody else has
	servers []string

	mu      sync.Mutex
	step    string
	journal []exchange
}

// state is what there is of the servers of a telling, everywhere.
type state struct {
	// Servers are their states; one that is deleted is "gone".
	Servers string
	// Fault is Nova's, of the first server, with UUID for each uuid.
	Fault string
	// ARQs are those of the device profile, by state.
	ARQs string
	// Devices and Hosts are what Placement has for the servers: accelerators, and hosts' own resources.
	Devices, Hosts int64
}

// awaitTime is how long a step may take, on a machine that has other things to do.
const awaitTime = 4 * time.Minute

// tell runs a story.
func (l *telling) tell(t *testing.T) {
	t.Helper()
	for _, s := range l.story.steps {
		l.mu.Lock()
		l.step = s.name
		l.mu.Unlock()
		l.run(t, s)
	}
}

func (l *telling) run(t *testing.T, s step) {
	t.Helper()
	err := s.act(t.Context(), l)
	if s.refused != 0 {
		require.True(t, gophercloud.ResponseCodeIs(err, s.refused), "%s: want %d, got %v", s.name, s.refused, err)
		require.ErrorContains(t, err, s.reason, s.name)
	} else {
		require.NoError(t, err, s.name)
	}
	l.await(t, s)
}

// await waits until everything is as the step says.
func (l *telling) await(t *testing.T, s step) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), awaitTime)
	defer cancel()
	since := time.Now()
	var (
		last   state
		failed error
	)
	for ctx.Err() == nil {
		got, settled, err := l.look(ctx, since)
		switch {
		case err != nil:
			failed = err
		case settled && got == s.want:
			return
		case settled:
			last, failed = got, nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	require.Failf(t, s.name, "after %v it is not as it should be: %s%v", awaitTime, cmp.Diff(s.want, last), failed)
}

// look asks Nova, and once it does not work on a server any more, Cyborg and Placement too.
func (l *telling) look(ctx context.Context, since time.Time) (got state, settled bool, err error) {
	all, err := l.watch.servers(ctx, since)
	if err != nil {
		return state{}, false, err
	}
	var words []string
	for i, id := range l.servers {
		server, there := all[id]
		switch {
		case !there:
			words = append(words, "gone")
			continue
		case server.TaskState != "" || server.Status == "BUILD":
			return state{}, false, nil
		}
		words = append(words, server.Status)
		if i == 0 && server.Status == "ERROR" {
			if got.Fault, err = l.fault(ctx, id); err != nil {
				return state{}, false, err
			}
		}
	}
	got.Servers = strings.Join(words, " ")
	for _, id := range l.servers {
		if err := l.addAllocations(ctx, id, &got); err != nil {
			return state{}, false, err
		}
	}
	got.ARQs, err = l.arqs(ctx)
	return got, true, err
}

// fault asks for the server alone: a list has no faults of servers that never got a host, since Nova keeps those in another database.
func (l *telling) fault(ctx context.Context, id string) (string, error) {
	server, err := servers.Get(ctx, l.compute, id).Extract()
	if err != nil {
		return "", err
	}
	return anyUUID.ReplaceAllString(server.Fault.Message, "UUID"), nil
}

func (l *telling) addAllocations(ctx context.Context, id string, to *state) error {
	allocations, err := l.placement.Allocations(ctx, id)
	if err != nil {
		return err
	}
	for _, resources := range allocations.Allocations {
		to.Devices += resources["FPGA"]
		if resources["VCPU"] > 0 {
			to.Hosts++
		}
	}
	return nil
}

// arqs says how many ARQs the device profile has in which state, also those that no instance has.
func (l *telling) arqs(ctx context.Context) (string, error) {
	all, err := l.peer.admin.ARQs(ctx, cyborgclient.ARQFilter{})
	if err != nil {
		return "", err
	}
	count := make(map[cyborgclient.ARQState]int)
	for _, arq := range all {
		if arq.DeviceProfileName == l.profile {
			count[arq.State]++
		}
	}
	var words []string
	for _, state := range slices.Sorted(maps.Keys(count)) {
		words = append(words, fmt.Sprintf("%d %s", count[state], state))
	}
	return strings.Join(words, ", "), nil
}

// begin is the first half of a line of the journal.
func begin(side string, r *http.Request, question []byte) *exchange {
	return &exchange{side: side, method: r.Method, target: r.URL.RequestURI(), sent: r.Header.Clone(), question: question}
}

// end is the second half. The step is that of the answer: a step ends when nothing is open any more.
func (l *telling) end(e *exchange, response *http.Response, err error) (*http.Response, error) {
	if err != nil {
		e.answer = []byte(err.Error())
	} else {
		e.status, e.got = response.StatusCode, response.Header.Clone()
		e.answer, err = drain(&response.Body)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e.step = l.step
	l.journal = append(l.journal, *e)
	return response, err
}

// clear takes away what a story that failed left, and the device profile.
func (l *telling) clear(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), awaitTime)
	defer cancel()
	left, err := l.there(ctx)
	require.NoError(t, err)
	for _, id := range left {
		require.NoError(t, gone(servers.Delete(ctx, l.compute, id).ExtractErr()))
	}
	for len(left) > 0 {
		time.Sleep(time.Second)
		left, err = l.there(ctx)
		require.NoError(t, err, "servers stay")
	}
	arqs, err := l.arqs(ctx)
	require.NoError(t, err)
	if arqs != "" {
		for _, id := range l.servers {
			require.NoError(t, l.peer.admin.DeleteARQsByInstance(ctx, id))
		}
	}
	if l.story.groups != nil {
		assert.NoError(t, l.peer.admin.DeleteDeviceProfile(ctx, l.profile))
	}
}

// there is which of the servers are not gone.
func (l *telling) there(ctx context.Context) ([]string, error) {
	all, err := l.watch.servers(ctx, time.Now())
	return slices.DeleteFunc(slices.Clone(l.servers), func(id string) bool {
		_, there := all[id]
		return !there
	}), err
}

// gone takes what is not there for deleted.
func gone(err error) error {
	if gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
		return nil
	}
	return err
}
