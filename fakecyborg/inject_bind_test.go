package fakecyborg_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	"github.com/novacyborg/novacyborg/fakecyborg/fault"
	"github.com/novacyborg/novacyborg/fakecyborg/journal"
)

// heard collects events with the time and the state that the request had then.
type heard struct {
	event fakecyborg.Event
	after time.Duration
	state string
}

// novaThatListens takes events and looks at the requests before it answers, while
// the server waits.
func novaThatListens(t *testing.T, c *client, list *[]heard) http.RoundTripper {
	t.Helper()
	begun := time.Now()
	var mu sync.Mutex
	return fakecyborg.HandlerTransport(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var body struct{ Events []fakecyborg.Event }
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&body))
		mu.Lock()
		defer mu.Unlock()
		for _, event := range body.Events {
			shown, err := c.try(r.Context(), http.MethodGet, "/v2/accelerator_requests/"+event.Tag)
			assert.NoError(t, err)
			*list = append(*list, heard{event, time.Since(begun), stateIn(shown.body)})
		}
	}))
}

// stateIn finds the state in the JSON of a request, "" for none.
func stateIn(body string) string {
	found := regexp.MustCompile(`"state": "(\w+)"`).FindStringSubmatch(body)
	if found == nil {
		return ""
	}
	return found[1]
}

// bindTwo binds two requests of one instance under rules, waits three minutes,
// and returns the answer, the states right after it and in the end, and what
// was heard.
func bindTwo(t *testing.T, rules ...fault.Rule) (got answer, states [2][2]string, list []heard, arqs []arqJSON) {
	t.Helper()
	var c client
	server := faultyServer(t, rules, fakecyborg.WithNova("http://nova.invalid"), fakecyborg.WithNovaTransport(novaThatListens(t, &c, &list)))
	c = clientOf(server)
	arqs = append(c.makeARQs(t, "one-fpga"), c.makeARQs(t, "one-fpga")...)
	got = c.bind(t,
		binding{arqs[0].UUID, "rack1", driver.ProviderUUID(fpgaName), instanceA},
		binding{arqs[1].UUID, "rack1", driver.ProviderUUID(fpgaName), instanceA})
	for moment := range states {
		for i := range arqs {
			states[moment][i] = c.showARQ(t, arqs[i].UUID).State
		}
		if moment == 0 {
			time.Sleep(3 * time.Minute)
		}
	}
	return got, states, list, arqs
}

func TestBindsThatAreNotDone(t *testing.T) {
	t.Parallel()
	done := [2]string{"Bound", "Bound"}
	for _, test := range []struct {
		name        string
		fault       fault.Fault
		first, last [2]string
		// heard are the statuses of the events, all at that time.
		heard []string
		at    time.Duration
	}{
		{name: "none", fault: fault.Pass{}, first: done, last: done, heard: []string{"completed", "completed"}},
		{name: "stuck", fault: fault.Stuck{}, first: [2]string{"BindStarted", "Bound"}, last: [2]string{"BindStarted", "Bound"}},
		{name: "late", fault: fault.Late{After: 20 * time.Second}, first: [2]string{"BindStarted", "Bound"}, last: done, heard: []string{"completed", "completed"}, at: 20 * time.Second},
		{name: "fails", fault: fault.Fails{After: 20 * time.Second}, first: [2]string{"BindStarted", "Bound"}, last: [2]string{"BindFailed", "Bound"}, heard: []string{"failed", "completed"}, at: 20 * time.Second},
		{name: "later than Cyborg waits", fault: fault.Late{After: 2 * time.Minute}, first: [2]string{"BindStarted", "Bound"}, last: done},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				got, states, list, arqs := bindTwo(t, fault.Rule{Operation: fault.Bind, First: 1, Fault: test.fault})
				assert.Equal(t, http.StatusAccepted, got.status)
				assert.Equal(t, test.first, states[0])
				assert.Equal(t, test.last, states[1])
				var statuses []string
				for i, h := range list {
					statuses = append(statuses, h.event.Status)
					assert.Equal(t, arqs[i].UUID, h.event.Tag)
					assert.Equal(t, test.at, h.after)
				}
				assert.Equal(t, test.heard, statuses)
			})
		})
	}
}

func TestEventFaults(t *testing.T) {
	t.Parallel()
	const wrong = "ffffffff-ffff-4fff-bfff-ffffffffffff"
	for _, test := range []struct {
		name string
		rule fault.Rule
		// want are number of the request, seconds and state, as text.
		want []heardShort
	}{
		{name: "dropped", rule: fault.Rule{First: 1, Fault: fault.EventDrop{}}, want: []heardShort{{1, 0, "Bound"}}},
		{name: "all dropped", rule: fault.Rule{Fault: fault.EventDrop{}}},
		{name: "delayed", rule: fault.Rule{First: 1, Fault: fault.EventDelay{For: time.Minute}}, want: []heardShort{{1, 0, "Bound"}, {0, 60, "Bound"}}},
		{name: "doubled", rule: fault.Rule{Nth: 2, Fault: fault.EventDouble{}}, want: []heardShort{{0, 0, "Bound"}, {1, 0, "Bound"}, {1, 0, "Bound"}}},
		{name: "second first", rule: fault.Rule{Nth: 2, Fault: fault.EventFirst{}}, want: []heardShort{{1, 0, "Bound"}, {0, 0, "Bound"}}},
		{name: "reversed", rule: fault.Rule{Fault: fault.EventFirst{}}, want: []heardShort{{1, 0, "Bound"}, {0, 0, "Bound"}}},
		{name: "wrong tag", rule: fault.Rule{First: 1, Fault: fault.EventTag{}}, want: []heardShort{{-1, 0, ""}, {1, 0, "Bound"}}},
		{name: "before bound", rule: fault.Rule{First: 1, Fault: fault.EventEarly{}}, want: []heardShort{{0, 0, "BindStarted"}, {1, 0, "Bound"}}},
		{name: "before the bind", rule: fault.Rule{Nth: 2, Fault: fault.EventEarly{When: fault.BeforeBind}}, want: []heardShort{{1, 0, "Initial"}, {0, 0, "Bound"}}},
		{name: "refused", rule: fault.Rule{Fault: fault.EventRefused{}}},
		{name: "of the other instance", rule: fault.Rule{Instance: instanceB, Fault: fault.EventDrop{}}, want: []heardShort{{0, 0, "Bound"}, {1, 0, "Bound"}}},
		{name: "of the host", rule: fault.Rule{Host: "rack1", Fault: fault.EventDrop{}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				test.rule.Operation = fault.Event
				got, states, list, arqs := bindTwo(t, test.rule)
				assert.Equal(t, http.StatusAccepted, got.status, got.body)
				assert.Equal(t, [2]string{"Bound", "Bound"}, states[1])
				var short []heardShort
				for _, h := range list {
					number := map[string]int{arqs[0].UUID: 0, arqs[1].UUID: 1, wrong: -1}
					require.Contains(t, number, h.event.Tag)
					short = append(short, heardShort{number[h.event.Tag], int(h.after.Seconds()), h.state})
				}
				assert.Equal(t, test.want, short)
			})
		})
	}
}

type heardShort struct {
	number, seconds int
	state           string
}

// TestEarlyAndLate is the race that costs guests their device: Nova has the event,
// and the request is not Bound.
func TestEarlyAndLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		got, states, list, _ := bindTwo(t,
			fault.Rule{Operation: fault.Event, Fault: fault.EventEarly{}},
			fault.Rule{Operation: fault.Bind, Fault: fault.Late{After: 30 * time.Second}})
		assert.Equal(t, http.StatusAccepted, got.status)
		assert.Equal(t, [2]string{"BindStarted", "BindStarted"}, states[0])
		assert.Equal(t, [2]string{"Bound", "Bound"}, states[1])
		require.Len(t, list, 2, "not again when they are bound")
		assert.Zero(t, list[1].after)
		assert.Equal(t, "BindStarted", list[0].state)
	})
}

// TestLateBindOfADeletedRequest: what was deleted in the meantime stays deleted.
func TestLateBindOfADeletedRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := faultyServer(t, []fault.Rule{{Operation: fault.Bind, Fault: fault.Late{After: time.Minute}}})
		c := clientOf(server)
		arq := c.makeARQs(t, "one-fpga")[0].UUID
		require.Equal(t, 202, c.bind(t, binding{arq, "rack1", driver.ProviderUUID(fpgaName), instanceA}).status)
		assert.Contains(t, server.State("").Running, "1 accelerators are being programmed: "+arq)
		require.Equal(t, 204, c.call(t, http.MethodDelete, "/v2/accelerator_requests/"+arq, "").status)
		time.Sleep(2 * time.Minute)
		server.AssertNoLeaks(t)
		assert.Zero(t, server.Journal().Counts("")["event"])
	})
}

// TestProgrammingFaults: the point "program" is for binds that load an image.
func TestProgrammingFaults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		fault fault.Fault
		state string
		want  int
	}{
		{name: "none", fault: fault.Pass{}, state: "Bound", want: 1},
		{name: "dies", fault: fault.Stuck{}, state: "BindStarted"},
		{name: "fails", fault: fault.Fails{After: time.Second}, state: "BindFailed", want: 1},
		{name: "late", fault: fault.Late{After: time.Second}, state: "Bound", want: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				image := driver.Image{ID: "00000000-0000-0000-0000-000000000009", FunctionID: "aa55"}
				server := faultyServer(t, []fault.Rule{{Operation: fault.Program, Fault: test.fault}}, fakecyborg.WithImages(image))
				c := clientOf(server)
				arq := c.makeARQs(t, "programmed")[0].UUID
				require.Equal(t, 202, c.bind(t, binding{arq, "rack1", driver.ProviderUUID(fpgaName), instanceA}).status)
				time.Sleep(10 * time.Second)
				assert.Equal(t, test.state, c.showARQ(t, arq).State)
				assert.Equal(t, test.want, server.Journal().Counts("")["event"])
			})
		})
	}
}

// TestRefusedByNova: what Nova says to events that faults refuse fails the PATCH
// as the real answer does, and the events do not reach Nova.
func TestRefusedByNova(t *testing.T) {
	t.Parallel()
	const details = "Bad API response from Nova for os-server-external-events API. Details: "
	for _, test := range []struct {
		name   string
		rules  []fault.Rule
		status int
		text   string
		codes  []int
		posts  int
	}{
		{name: "no", status: 202, codes: []int{200, 200}, posts: 1},
		{name: "422 of all", rules: []fault.Rule{{Fault: fault.EventRefused{}}}, status: 202, codes: []int{422, 422}},
		{
			name: "404 of all", rules: []fault.Rule{{Fault: fault.EventRefused{Code: 404}}}, status: 400, codes: []int{404, 404},
			text: details + "Unexpected event code 404 for instance " + instanceA,
		},
		{
			name: "mixed", rules: []fault.Rule{{First: 1, Fault: fault.EventRefused{}}}, status: 400, codes: []int{422, 200}, posts: 1,
			text: details + "All event responses are expected to have the same event code. Instance: " + instanceA,
		},
		{
			name: "422 and 404", rules: []fault.Rule{{Sequence: []fault.Fault{fault.EventRefused{}, fault.EventRefused{Code: 404}}}}, status: 400, codes: []int{422, 404},
			text: details + "All event responses are expected to have the same event code. Instance: " + instanceA,
		},
		{name: "whole", rules: []fault.Rule{{Fault: fault.EventRefused{Code: 403, Whole: true}}}, status: 400, codes: []int{403, 403}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			posts := 0
			nova := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				posts++
				_, err := io.WriteString(w, `{"events": []}`)
				assert.NoError(t, err)
			}))
			defer nova.Close()
			for i := range test.rules {
				test.rules[i].Operation = fault.Event
			}
			server := faultyServer(t, test.rules, fakecyborg.WithNova(nova.URL))
			c := clientOf(server)
			arqs := append(c.makeARQs(t, "one-fpga"), c.makeARQs(t, "one-fpga")...)
			bound := c.bind(t,
				binding{arqs[0].UUID, "rack1", driver.ProviderUUID(fpgaName), instanceA},
				binding{arqs[1].UUID, "rack1", driver.ProviderUUID(fpgaName), instanceA})
			assert.Equal(t, test.status, bound.status, bound.body)
			if test.text != "" {
				assert.Equal(t, test.text, bound.firstLine(t))
			}
			assert.Equal(t, test.posts, posts)
			assert.Equal(t, map[string]int{"Bound": 2}, server.State("").ARQs, "whatever Nova says")
			var codes []int
			for _, entry := range server.Journal().Entries(journal.Filter{Kind: journal.Event}.Match) {
				codes = append(codes, entry.Status)
			}
			assert.Equal(t, test.codes, codes)
		})
	}
}

// TestEarlyEventBehindAnUnbind: a PATCH that begins with an unbind has no
// instance in its first element.
func TestEarlyEventBehindAnUnbind(t *testing.T) {
	t.Parallel()
	server := faultyServer(t, []fault.Rule{{Operation: fault.Event, Fault: fault.EventEarly{When: fault.BeforeBind}}})
	c := clientOf(server)
	arqs := c.makeARQs(t, "three-fpga")
	unbind := strings.TrimSuffix(unbindBody(arqs[0].UUID), "}")
	bind := strings.TrimPrefix(bindBody(binding{arqs[1].UUID, "rack1", driver.ProviderUUID(fpgaName), instanceA}), "{")
	got := c.call(t, http.MethodPatch, "/v2/accelerator_requests", unbind+", "+bind)
	require.Equal(t, http.StatusAccepted, got.status, got.body)
	entries := server.Journal().Entries(journal.Filter{Kind: journal.Event}.Match)
	require.Len(t, entries, 1)
	assert.Equal(t, instanceA, entries[0].Event.ServerUUID)
	assert.Equal(t, "fault-1", entries[0].Fault)
	assert.Equal(t, "fault-1", got.header.Get("X-Fake-Fault"))
}

// TestEventsOfTheFirstReleases: the rules hold for the one event of a request,
// whatever its form is.
func TestEventsOfTheFirstReleases(t *testing.T) {
	t.Parallel()
	for _, form := range []fakecyborg.EventForm{fakecyborg.EventsPerProfile, fakecyborg.EventsOfSpec} {
		events := make(chan fakecyborg.Event, 4)
		server := faultyServer(t, []fault.Rule{
			{Operation: fault.Event, Nth: 2, Fault: fault.EventDouble{}},
			{Operation: fault.Event, Nth: 2, Fault: fault.EventEarly{}},
		}, fakecyborg.WithEvents(events), fakecyborg.WithEventForm(form))
		c := clientOf(server)
		for i, instance := range []string{instanceA, instanceB} {
			arq := c.makeARQs(t, "one-fpga")[0]
			require.Equal(t, 202, c.bind(t, binding{arq.UUID, "rack1", driver.ProviderUUID(fpgaName), instance}).status)
			require.Len(t, events, 1, "form %d, bind %d", form, i)
			assert.Equal(t, instance, (<-events).ServerUUID)
		}
	}
}

// TestBindFaultsOverBoth: faults behind the answer do not depend on how the
// request came.
func TestBindFaultsOverBoth(t *testing.T) {
	t.Parallel()
	rules := []fault.Rule{
		{Operation: fault.Bind, Sequence: []fault.Fault{fault.Stuck{}, fault.Late{After: time.Millisecond}, fault.Fails{After: time.Millisecond}}},
		{Operation: fault.Event, Sequence: []fault.Fault{fault.EventDrop{}, fault.EventDouble{}, fault.EventTag{}}},
	}
	overBoth(t, rules, func(t *testing.T, server *fakecyborg.Server, c client) {
		instances := []string{instanceA, instanceB, "cccccccc-0000-4000-8000-000000000003", "dddddddd-0000-4000-8000-000000000004"}
		providers := []string{fpgaName, fpgaName, fakeName, fakeName}
		var bound []string
		for i, instance := range instances {
			arq := c.makeARQs(t, "one-fpga")[0].UUID
			require.Equal(t, 202, c.bind(t, binding{arq, "rack1", driver.ProviderUUID(providers[i]), instance}).status)
			bound = append(bound, arq)
			if i == 0 {
				continue // is stuck
			}
			_, err := server.Journal().WaitFor(t.Context(), 1, journal.Filter{Kind: journal.Event, Instance: instance, Finished: true}.Match)
			require.NoError(t, err)
		}
		var states []string
		for _, arq := range bound {
			states = append(states, c.showARQ(t, arq).State)
		}
		assert.Equal(t, []string{"BindStarted", "Bound", "BindFailed", "Bound"}, states)
		var events []string
		for _, entry := range server.Journal().Entries(journal.Filter{Kind: journal.Event}.Match) {
			events = append(events, entry.Event.Status)
		}
		assert.Equal(t, []string{"completed", "failed", "failed", "completed"}, events, "dropped, doubled, with a wrong tag")
	})
}
