package fakecyborg_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	"github.com/novacyborg/novacyborg/fakecyborg/fault"
	"github.com/novacyborg/novacyborg/fakecyborg/journal"
)

// curl is a command of the documentation.
type curl struct {
	method, url, body string
	header            []string
}

// words splits a command as a shell does, as far as the documentation needs it.
func words(t *testing.T, command string) []string {
	t.Helper()
	var list []string
	for _, word := range regexp.MustCompile(`(?s)'[^']*'|"[^"]*"|[^\s'"]+`).FindAllString(command, -1) {
		if word[0] == '\'' || word[0] == '"' {
			word = word[1 : len(word)-1]
		}
		list = append(list, word)
	}
	require.NotEmpty(t, list)
	return list
}

func parseCurl(t *testing.T, command string) curl {
	t.Helper()
	list := words(t, command)
	require.Equal(t, []string{"curl", "-fsS"}, list[:2], command)
	parsed := curl{method: http.MethodGet}
	for i := 2; i < len(list); i++ {
		switch list[i] {
		case "-X":
			parsed.method = list[i+1]
			i++
		case "-H":
			name, value, _ := strings.Cut(list[i+1], ": ")
			parsed.header = append(parsed.header, name, value)
			i++
		case "-d", "--data-binary":
			parsed.body = list[i+1]
			i++
		default:
			require.True(t, strings.HasPrefix(list[i], "$FAKE/"), "%q in %s", list[i], command)
			parsed.url = strings.TrimPrefix(list[i], "$FAKE")
		}
	}
	return parsed
}

// TestEveryExampleOfTheControlPageRuns runs the commands of docs/fake-control.md,
// and wants every route to be described and to have one.
func TestEveryExampleOfTheControlPageRuns(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/fake-control.md")
	require.NoError(t, err)
	c := newClient(t)
	shown := make(map[string]bool)
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		for _, command := range regexp.MustCompile(`(?m)^curl `).Split(block[1], -1)[1:] {
			call := parseCurl(t, "curl "+command)
			got := c.call(t, call.method, call.url, call.body, call.header...)
			assert.Less(t, got.status, 400, "%s: %s", command, got.body)
			path, _, _ := strings.Cut(call.url, "?")
			shown[call.method+" "+regexp.MustCompile(`faults/.+`).ReplaceAllString(path, "faults/{name}")] = true
		}
	}
	for _, route := range fakecyborg.ControlRoutes() {
		assert.True(t, shown[route], "%s has no example", route)
		assert.Contains(t, string(page), "| `"+route+"` |", "the table of docs/fake-control.md")
	}
}

// TestThePageOfFaultsListsEveryOperation keeps docs/faults.md complete.
func TestThePageOfFaultsListsEveryOperation(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/faults.md")
	require.NoError(t, err)
	for _, operation := range fakecyborg.Operations() {
		resource, action, _ := strings.Cut(operation, ":")
		assert.Regexp(t, "`"+resource+":[^;]*\\b"+action+"`", strings.ReplaceAll(string(page), "\n", " "), operation)
	}
}

// refusal is the body of what the control API refuses.
type refusal struct {
	Error  string   `json:"error"`
	Place  string   `json:"place"`
	Routes []string `json:"routes"`
}

func TestControlRefuses(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	for _, test := range []struct {
		name, method, path, body string
		status                   int
		place, text              string
	}{
		{name: "unknown route", method: "GET", path: "jornal", status: 404, text: "/_fake/jornal: there is no such route"},
		{name: "below a route", method: "GET", path: "state/x", status: 404, text: "/_fake/state/x: there is no such route"},
		{name: "wrong method", method: "PUT", path: "faults", status: 405, text: "PUT /_fake/faults: the methods are GET, POST, DELETE"},
		{name: "unknown parameter", method: "GET", path: "journal?sope=a", status: 400, place: "query: sope", text: "unknown parameter, known are kind, scope, operation, method, status, request_id, fault, instance, arq, after, finished"},
		{name: "parameter of none", method: "GET", path: "health?scope=a", status: 400, place: "query: scope", text: "unknown parameter, there are none here"},
		{name: "rule of a list", method: "POST", path: "faults", body: "- {operation: bind, fault: stuck}\n- operation: bind\n  first: -1\n  fault: stuck\n", status: 400, place: "body:3: [1].first", text: "want 0 or more"},
		{name: "rule of no times", method: "POST", path: "faults", body: `{"operation": "bind", "first": 0, "fault": "stuck"}`, status: 400, place: "body:1: first", text: "want 1 or more"},
		{name: "repeated parameter", method: "GET", path: "journal?scope=a&scope=b", status: 400, place: "query: scope", text: "2 times"},
		{name: "broken query", method: "GET", path: "journal?scope=%zz", status: 400, place: "query", text: "invalid URL escape"},
		{name: "no number", method: "GET", path: "journal?status=ok", status: 400, place: "query: status", text: `want a whole number, got "ok"`},
		{name: "no flag", method: "GET", path: "events?finished=yes", status: 400, place: "query: finished", text: `want true or false, got "yes"`},
		{name: "rule of an unknown operation", method: "POST", path: "faults", body: `{"operation": "arq:bind", "fault": "hang"}`, status: 400, place: "body:1: operation", text: `unknown operation "arq:bind", known are arq:create`},
		{name: "rule with an unknown key", method: "POST", path: "faults", body: "- operation: event\n  odds: 1\n", status: 400, place: "body:2: [0].odds", text: `unknown key "odds"`},
		{name: "no rule", method: "POST", path: "faults", status: 400, place: "body", text: "it is empty"},
		{name: "unknown rule", method: "DELETE", path: "faults/x", status: 404, text: `there is no rule "x"`},
		{name: "bad seed", method: "PUT", path: "seed", body: "hosts:\n  - nam: x\n", status: 400, place: "body:2: hosts[0].nam", text: `unknown key "nam"`},
		{name: "seed with a bad rule", method: "PUT", path: "seed", body: "faults:\n  - operation: x\n    fault: hang\n", status: 400, place: "body:2: faults[0].operation", text: `unknown operation "x"`},
		{name: "seed with a bad fault", method: "PUT", path: "seed", body: "faults:\n  - operation: event\n    fault: bang\n", status: 400, place: "body:3: faults[0].fault.kind", text: `"bang"`},
		{name: "reset to what", method: "POST", path: "reset?to=zero", status: 400, place: "query: to", text: "want seed or empty"},
		{name: "clock of neither", method: "PUT", path: "clock", body: `{}`, status: 400, place: "body", text: "want either"},
		{name: "clock of both", method: "PUT", path: "clock", body: `{"fixed": "2026-01-02T03:04:05Z", "offset": "1h"}`, status: 400, place: "body", text: "want either"},
		{name: "clock at no time", method: "PUT", path: "clock", body: `{"fixed": "noon"}`, status: 400, place: "body", text: "fixed: want a time"},
		{name: "clock with an unknown key", method: "PUT", path: "clock", body: `{"fix": "noon"}`, status: 400, place: "body", text: `unknown field "fix"`},
		{name: "event without a tag", method: "POST", path: "events", body: `{"server_uuid": "x"}`, status: 400, place: "body: tag", text: "is missing"},
		{name: "two events", method: "POST", path: "events", body: `{} {}`, status: 400, place: "body", text: "something behind the object"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := c.call(t, test.method, "/_fake/"+test.path, test.body)
			assert.Equal(t, test.status, got.status)
			assert.Equal(t, "application/json", got.header.Get("Content-Type"))
			var body refusal
			decodeInto(t, got.body, &body)
			assert.Equal(t, test.place, body.Place)
			assert.Contains(t, body.Error, test.text)
			if test.status == 404 && body.Routes != nil {
				assert.Equal(t, fakecyborg.ControlRoutes(), body.Routes)
			}
			if test.status == 405 {
				assert.Equal(t, "GET, POST, DELETE", got.header.Get("Allow"))
			}
		})
	}
}

// TestSeedGoesRound: the exported state, loaded into another server, is exported
// the same, and its requests and handles are what they were.
func TestSeedGoesRound(t *testing.T) {
	t.Parallel()
	server := faultyServer(t, []fault.Rule{{Name: "n", Operation: "arq:create", Nth: 9, Fault: fault.Status{Code: 503}}})
	c := clientOf(server)
	fpgas := c.makeARQs(t, "three-fpga")
	c.makeARQs(t, "two-groups")
	require.Equal(t, 202, c.bind(t, binding{fpgas[1].UUID, "rack1", driver.ProviderUUID(fpgaName), instanceA}, binding{fpgas[0].UUID, "rack1", driver.ProviderUUID(fpgaName), instanceA}).status)
	require.Equal(t, 202, c.call(t, http.MethodPatch, "/v2/accelerator_requests", unbindBody(fpgas[1].UUID)).status)
	require.Equal(t, 404, c.bind(t, binding{fpgas[2].UUID, "rack1", instanceA, instanceB}).status, "leaves BindStarted")
	exported := c.call(t, http.MethodGet, "/_fake/seed", "")
	require.Equal(t, 200, exported.status, exported.body)

	other, err := fakecyborg.New()
	require.NoError(t, err)
	d := clientOf(other)
	loaded := d.call(t, http.MethodPut, "/_fake/seed", exported.body)
	require.Equal(t, 204, loaded.status, "%s\n%s", loaded.body, exported.body)
	assert.Empty(t, cmp.Diff(exported.body, d.call(t, http.MethodGet, "/_fake/seed", "").body))
	before, after := c.showARQ(t, fpgas[0].UUID), d.showARQ(t, fpgas[0].UUID)
	assert.Equal(t, before.HandleInfo, after.HandleInfo, "the second handle, though the first is free")
	assert.Equal(t, server.State("").ARQs, other.State("").ARQs)
	assert.Equal(t, server.State("").HandlesInUse, other.State("").HandlesInUse)
}

// TestSeedOfACardHasAllKeys: what a card can have is written and read again.
func TestSeedOfACardHasAllKeys(t *testing.T) {
	t.Parallel()
	var card driver.Card
	require.NoError(t, yaml.Unmarshal([]byte(`{address: a, vendorid: b, productid: c, model: d, controller: e, functionid: f, regionid: g, vfs: 2, vfaddresses: [h, i],
useraddress: j, physicalnetwork: k, functionname: l, vgputype: m, vgpuname: n, vgpus: 3, resourceclass: o}`), &card))
	var plain map[string]any
	text, err := json.Marshal(card)
	require.NoError(t, err)
	decodeInto(t, string(text), &plain)
	for field, value := range plain {
		require.NotZero(t, value, field)
	}
	written, err := yaml.Marshal(fakecyborg.Seed{Hosts: []fakecyborg.Host{{Name: "h", Devices: []fakecyborg.Device{{Driver: "x", Card: card, Disabled: true}}}}})
	require.NoError(t, err)
	var keys struct {
		Hosts []struct{ Devices []map[string]any }
	}
	require.NoError(t, yaml.Unmarshal(written, &keys))
	assert.Len(t, keys.Hosts[0].Devices[0], len(plain)+2)
	_, err = fakecyborg.New(fakecyborg.WithSeedYAML("s", written))
	assert.ErrorContains(t, err, `driver "x": unknown driver`, "it can be read up to the driver")
}

func TestSeedOfRequestsIsChecked(t *testing.T) {
	t.Parallel()
	profile := "hosts: [{name: h, devices: [{driver: pgpu, address: '0000:af:00.0'}]}]\ndevice_profiles: [{name: p, groups: [{'resources:PGPU': 1}]}]\naccelerator_requests:\n"
	provider := driver.ProviderUUID("h_0000:af:00.0")
	bound := "{device_profile: p, state: Bound, hostname: h, device_rp_uuid: " + provider + ", instance_uuid: " + instanceA
	for _, test := range []struct{ name, requests, want string }{
		{name: "good", requests: "  - " + bound + "}\n"},
		{name: "unknown profile", requests: "  - {device_profile: q}", want: `s:4: accelerator_requests[0].device_profile: there is no device profile "q"`},
		{name: "unknown group", requests: "  - {device_profile: p, group: 1}", want: "s:4: accelerator_requests[0].group: 1, the profile has the groups 0 to 0"},
		{name: "unknown state", requests: "  - {device_profile: p, state: bound}", want: `s:4: accelerator_requests[0].state: "bound", known are Initial, BindStarted, Bound, Unbound, BindFailed`},
		{name: "bound nowhere", requests: "  - {device_profile: p, state: Bound, hostname: h, instance_uuid: x}", want: "s:4: accelerator_requests[0].device_rp_uuid: a request in state Bound has one"},
		{name: "unbound somewhere", requests: "  - {device_profile: p, hostname: h}", want: "s:4: accelerator_requests[0].hostname: a request in state Initial has none"},
		{name: "unknown provider", requests: "  - {device_profile: p, state: Bound, hostname: h, device_rp_uuid: x, instance_uuid: x}", want: `s:4: accelerator_requests[0].device_rp_uuid: no device has the resource provider "x"`},
		{name: "no such handle", requests: "  - " + bound + ", attach_handle: 2}", want: "s:4: accelerator_requests[0].attach_handle: 2, deployable h_0000:af:00.0 has the handles 1 to 1"},
		{name: "taken handle", requests: "  - " + bound + "}\n  - " + bound + "}", want: "s:5: accelerator_requests[1].attach_handle: it is taken already, as are all if none is named"},
		{name: "handle of an unbound", requests: "  - {device_profile: p, attach_handle: 1}", want: "s:4: accelerator_requests[0].attach_handle: a request in state Initial has none"},
		{name: "twice", requests: "  - {device_profile: p, uuid: " + instanceA + "}\n  - {device_profile: p, uuid: " + instanceA + "}", want: `s:5: accelerator_requests[1].uuid: accelerator request "` + instanceA + `" is already at s:4: accelerator_requests[0].uuid`},
		{name: "no uuid", requests: "  - {device_profile: p, uuid: x}", want: `s:4: accelerator_requests[0].uuid: "x" is not a uuid`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server, err := fakecyborg.New(fakecyborg.WithSeedYAML("s", []byte(profile+test.requests)))
			if test.want != "" {
				require.EqualError(t, err, test.want)
				return
			}
			require.NoError(t, err)
			assert.Len(t, clientOf(server).call(t, http.MethodGet, "/v2/accelerator_requests?instance="+instanceA, "").arqs(t), 1)
		})
	}
}

// TestReset forgets everything, and what is under way never arrives.
func TestReset(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		seed := twoHosts()
		seed.Faults = []fault.Rule{{Name: "seeded", Operation: fault.Bind, Fault: fault.Late{After: time.Minute}}}
		server, err := fakecyborg.New(fakecyborg.WithSeed(seed))
		require.NoError(t, err)
		require.NoError(t, server.Faults().Add(fault.Rule{Operation: "device:get_all", Fault: fault.Hang{}}))
		c := clientOf(server)
		arq := c.makeARQs(t, "one-fpga")[0].UUID
		require.Equal(t, 202, c.bind(t, binding{arq, "rack1", driver.ProviderUUID(fpgaName), instanceA}).status)
		server.SetClock(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
		require.NoError(t, server.Reset(t.Context()))
		time.Sleep(time.Hour)
		server.AssertNoLeaks(t)
		assert.Equal(t, map[string]int{}, server.Journal().Counts(""))
		require.Len(t, server.Faults().Counts(), 1)
		assert.Equal(t, fault.Count{Rule: seed.Faults[0]}, server.Faults().Counts()[0])
		assert.Equal(t, 200, c.call(t, http.MethodGet, "/v2/devices", "").status)
		require.NoError(t, server.Load(t.Context(), fakecyborg.Seed{}))
		assert.Zero(t, server.State("").Devices)
		require.Error(t, server.Load(t.Context(), fakecyborg.Seed{Hosts: []fakecyborg.Host{{}}}))
		require.NoError(t, server.Reset(t.Context()), "to the last seed that was good")
		assert.Zero(t, server.State("").Devices)
	})
}

func TestClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, fakecyborg.WithClock(func() time.Time { return time.Now().Add(time.Hour) }))
		created := func() string {
			var arqs struct {
				ARQs []struct {
					CreatedAt string `json:"created_at"`
				} `json:"arqs"`
			}
			made := c.call(t, http.MethodPost, "/v2/accelerator_requests", `{"device_profile_name": "one-fpga"}`)
			decodeInto(t, made.body, &arqs)
			return arqs.ARQs[0].CreatedAt
		}
		assert.Equal(t, "2000-01-01T01:00:00+00:00", created())
		assert.Equal(t, 200, c.call(t, http.MethodPut, "/_fake/clock", `{"fixed": "2026-01-02T03:04:05Z"}`).status)
		assert.Equal(t, "2026-01-02T03:04:05+00:00", created())
		assert.Equal(t, 200, c.call(t, http.MethodPut, "/_fake/clock", `{"offset": "-90m"}`).status)
		assert.Equal(t, "1999-12-31T23:30:00+00:00", created())
		assert.JSONEq(t, `{"now": "1999-12-31T23:30:00Z", "offset": "-1h30m0s"}`, c.call(t, http.MethodGet, "/_fake/clock", "").body)
		assert.Equal(t, 200, c.call(t, http.MethodDelete, "/_fake/clock", "").status)
		assert.Equal(t, "2000-01-01T01:00:00+00:00", created())
	})
}

func TestEventByHand(t *testing.T) {
	t.Parallel()
	events := make(chan fakecyborg.Event, 1)
	c := newClient(t, fakecyborg.WithEvents(events))
	posted := c.call(t, http.MethodPost, "/_fake/events", `{"server_uuid": "i", "tag": "a", "status": "failed"}`, "X-Fake-Scope", "s")
	require.Equal(t, 200, posted.status, posted.body)
	want := fakecyborg.Event{Name: "accelerator-request-bound", ServerUUID: "i", Tag: "a", Status: "failed"}
	assert.Equal(t, want, <-events)
	var entry journal.Entry
	decodeInto(t, c.call(t, http.MethodGet, "/_fake/events?scope=s", "").body, &entry)
	assert.Equal(t, &journal.Sent{Name: want.Name, ServerUUID: "i", Tag: "a", Status: "failed"}, entry.Event)
	refused := newClient(t, fakecyborg.WithNova("http://nova.invalid"), fakecyborg.WithNovaTransport(brokenTransport{}))
	assert.Equal(t, 502, refused.call(t, http.MethodPost, "/_fake/events", `{"server_uuid": "i", "tag": "a"}`).status)
}

// recorder collects what assertions say.
type recorder struct{ said []string }

func (*recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	text, _ := args[0].(string)
	r.said = append(r.said, strings.Replace(format, "%s", text, 1))
}

func TestLeaks(t *testing.T) {
	t.Parallel()
	server := faultyServer(t, nil)
	c := clientOf(server)
	made := c.call(t, http.MethodPost, "/v2/accelerator_requests", `{"device_profile_name": "one-fpga"}`, "X-Fake-Scope", "mine")
	arq := made.arqs(t)[0].UUID
	require.Equal(t, 202, c.bind(t, binding{arq, "rack1", driver.ProviderUUID(fpgaName), instanceA}).status)
	tb := &recorder{}
	assert.False(t, server.AssertNoLeaks(tb))
	want := []string{"fakecyborg: ARQ " + arq + " of profile one-fpga is left, Bound, instance " + instanceA + " on host rack1"}
	assert.Equal(t, want, tb.said)
	assert.True(t, server.AssertNoLeaksIn(&recorder{}, "theirs"))
	assert.False(t, server.AssertNoLeaksIn(&recorder{}, "mine"))
	assert.Equal(t, map[string]int{"Bound": 1}, server.State("mine").ARQs)
	require.Equal(t, 204, c.call(t, http.MethodDelete, "/v2/accelerator_requests?instance="+instanceA, "").status)
	assert.True(t, server.AssertNoLeaks(t))
}

// TestJournalOfTheServer: bodies and headers of both sides, without tokens.
func TestJournalOfTheServer(t *testing.T) {
	t.Parallel()
	overBoth(t, nil, func(t *testing.T, server *fakecyborg.Server, c client) {
		made := c.call(t, http.MethodPost, "/v2/accelerator_requests?", `{"device_profile_name": "no"}`, "X-Auth-Token", "secret", "X-Service-Token", "secret")
		require.Equal(t, 404, made.status)
		c.call(t, http.MethodGet, "/v2/nothing?a=b", "")
		lines := c.call(t, http.MethodGet, "/_fake/journal", "").body
		assert.NotContains(t, lines, "secret")
		entries := server.Journal().Entries(nil)
		require.Len(t, entries, 2)
		assert.Equal(t, 2, strings.Count(lines, "\n"))
		first := entries[0]
		assert.Equal(t, "arq:create", first.Operation)
		assert.Equal(t, journal.Body{Text: `{"device_profile_name": "no"}`, Bytes: 29}, first.RequestBody)
		assert.Equal(t, made.body, first.ResponseBody.Text)
		assert.Equal(t, made.header.Get("X-Openstack-Request-Id"), first.RequestID)
		assert.Equal(t, fakecyborg.NoAuthProject, first.Caller)
		assert.Equal(t, "a=b", entries[1].Query)
		assert.Equal(t, 404, entries[1].Status)
		assert.Empty(t, entries[1].Operation)
	})
}

func TestJournalLimitsAreChecked(t *testing.T) {
	t.Parallel()
	_, err := fakecyborg.New(fakecyborg.WithJournal(journal.Limits{Entries: -1}))
	require.Error(t, err)
	_, err = fakecyborg.New(fakecyborg.WithClock(nil))
	require.Error(t, err)
}

// FuzzControl sends anything to the control API: every answer is one of its own.
func FuzzControl(f *testing.F) {
	f.Add("GET", "journal?after=1&finished=true", "")
	f.Add("POST", "faults", `[{"operation": "event", "fault": {"kind": "event_tag"}}]`)
	f.Add("PUT", "seed", "accelerator_requests: [{device_profile: p}]\nfaults: [{operation: bind, fault: stuck}]")
	f.Add("PUT", "clock", `{"offset": "1h"}`)
	f.Add("POST", "events", `{"server_uuid": "a", "tag": "b"}`)
	f.Add("DELETE", "faults/%2f", "")
	f.Fuzz(func(t *testing.T, method, path, body string) {
		target, err := url.Parse("http://fake.invalid")
		require.NoError(t, err)
		target.Path, target.RawQuery, _ = strings.Cut("/_fake/"+path, "?")
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://fake.invalid", strings.NewReader(body))
		request.Method, request.URL = method, target
		server, err := fakecyborg.New(fakecyborg.WithSeed(twoHosts()))
		require.NoError(t, err)
		defer server.Close()
		answer := httptest.NewRecorder()
		server.ServeHTTP(answer, request)
		require.Contains(t, []int{200, 201, 204, 400, 404, 405, 413}, answer.Code)
		if answer.Code >= 400 && method != http.MethodHead {
			var body refusal
			decodeInto(t, answer.Body.String(), &body)
			assert.NotEmpty(t, body.Error)
		}
		if method == http.MethodPut && path == "seed" && answer.Code == http.StatusNoContent {
			exported, err := yaml.Marshal(server.Seed())
			require.NoError(t, err)
			_, err = fakecyborg.New(fakecyborg.WithSeedYAML("s", exported))
			require.NoError(t, err, "%s", exported)
		}
	})
}
