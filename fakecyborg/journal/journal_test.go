package journal_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg/journal"
)

func newJournal(t testing.TB, limits journal.Limits) *journal.Journal {
	t.Helper()
	j, err := journal.New(limits)
	require.NoError(t, err)
	return j
}

func TestEntryOfAnExchange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := newJournal(t, journal.Limits{})
		header := http.Header{"X-Auth-Token": {"secret"}, "x-service-token": {"secret"}, "Accept": {"*/*"}, "Date": nil}
		open := j.Begin(journal.Entry{Operation: "arq:create", Scope: "s", Method: "POST", Path: "/v2/accelerator_requests", RequestHeader: header}, []byte("{}"))
		before := j.Entries(nil)
		require.Len(t, before, 1)
		assert.True(t, before[0].InFlight)
		assert.Equal(t, 1, j.InFlight("s"))
		assert.Zero(t, j.InFlight("other"))
		time.Sleep(2 * time.Second)
		open.End(journal.Outcome{Status: 201, Header: http.Header{"Set-Cookie": {"secret"}}, Body: []byte("[]"), RequestID: "req-1", Caller: "p", Fault: "f"})
		open.End(journal.Outcome{Status: 500})
		after := j.Entries(nil)[0]
		assert.Equal(t, journal.Entry{
			Seq: 1, Kind: journal.Exchange, Scope: "s", Operation: "arq:create", Method: "POST", Path: "/v2/accelerator_requests",
			RequestHeader: http.Header{"X-Auth-Token": {journal.Redacted}, "x-service-token": {journal.Redacted}, "Accept": {"*/*"}},
			RequestBody:   journal.Body{Text: "{}", Bytes: 2}, Status: 201, ResponseHeader: http.Header{"Set-Cookie": {journal.Redacted}},
			ResponseBody: journal.Body{Text: "[]", Bytes: 2}, Started: before[0].Started, Duration: 2 * time.Second,
			RequestID: "req-1", Caller: "p", Fault: "f",
		}, after)
		assert.Equal(t, "secret", header.Get("X-Auth-Token"), "the request keeps its own")
		assert.Zero(t, j.InFlight(""))
	})
}

// TestNothingIsCutInSilence: a limit shows.
func TestNothingIsCutInSilence(t *testing.T) {
	t.Parallel()
	j := newJournal(t, journal.Limits{Entries: 3, BodyBytes: 5})
	for i := range 5 {
		j.Begin(journal.Entry{Operation: "op"}, []byte("abcd€fg")).End(journal.Outcome{Status: 200 + i})
	}
	entries := j.Entries(nil)
	require.Len(t, entries, 3)
	assert.Equal(t, 3, entries[0].Seq)
	assert.Equal(t, journal.Body{Text: "abcd", Bytes: 9, Cut: true}, entries[0].RequestBody)
	assert.Equal(t, 2, j.Dropped())
	assert.Equal(t, map[string]int{"op": 5}, j.Counts(""))
}

func TestLimitOfAllBytes(t *testing.T) {
	t.Parallel()
	j := newJournal(t, journal.Limits{Bytes: 100})
	for range 10 {
		j.Begin(journal.Entry{}, []byte(strings.Repeat("a", 20))).End(journal.Outcome{Body: []byte(strings.Repeat("b", 20))})
	}
	assert.Len(t, j.Entries(nil), 2)
	assert.Equal(t, 8, j.Dropped())
}

// TestInFlightIsNeverDropped: the end of a long exchange is seen.
func TestInFlightIsNeverDropped(t *testing.T) {
	t.Parallel()
	j := newJournal(t, journal.Limits{Entries: 2})
	open := j.Begin(journal.Entry{Operation: "slow"}, nil)
	for range 5 {
		j.Begin(journal.Entry{Operation: "quick"}, nil).End(journal.Outcome{})
	}
	open.End(journal.Outcome{Status: 200})
	assert.Len(t, j.Entries(journal.Filter{Operation: "slow", Status: 200}.Match), 1)
}

func TestBadLimits(t *testing.T) {
	t.Parallel()
	_, err := journal.New(journal.Limits{BodyBytes: -1})
	assert.EqualError(t, err, "journal: limit of body bytes is -1, want more than 0, or 0 for 65536")
}

func TestFilter(t *testing.T) {
	t.Parallel()
	exchange := journal.Entry{Seq: 4, Kind: journal.Exchange, Scope: "s", Operation: "arq:update", Method: "PATCH", Status: 202, RequestID: "r", Fault: "f"}
	event := journal.Entry{Seq: 5, Kind: journal.Event, Operation: "event", Event: &journal.Sent{ServerUUID: "i", Tag: "a"}}
	for _, test := range []struct {
		name            string
		filter          journal.Filter
		exchange, event bool
	}{
		{name: "all", exchange: true, event: true},
		{name: "kind", filter: journal.Filter{Kind: journal.Event}, event: true},
		{name: "scope", filter: journal.Filter{Scope: "s"}, exchange: true},
		{name: "operation", filter: journal.Filter{Operation: "arq:update"}, exchange: true},
		{name: "method", filter: journal.Filter{Method: "PATCH"}, exchange: true},
		{name: "status", filter: journal.Filter{Status: 202}, exchange: true},
		{name: "request", filter: journal.Filter{RequestID: "r"}, exchange: true},
		{name: "fault", filter: journal.Filter{Fault: "f"}, exchange: true},
		{name: "instance", filter: journal.Filter{Instance: "i"}, event: true},
		{name: "other instance", filter: journal.Filter{Instance: "j"}},
		{name: "request of an event", filter: journal.Filter{ARQ: "a"}, event: true},
		{name: "after", filter: journal.Filter{After: 4}, event: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.exchange, test.filter.Match(exchange))
			assert.Equal(t, test.event, test.filter.Match(event))
		})
	}
	exchange.InFlight = true
	assert.False(t, journal.Filter{Finished: true}.Match(exchange))
}

func TestWaitFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := newJournal(t, journal.Limits{})
		go func() {
			for range 3 {
				time.Sleep(time.Minute)
				open := j.Begin(journal.Entry{Operation: "op"}, nil)
				time.Sleep(time.Second)
				open.End(journal.Outcome{Status: 200})
			}
		}()
		begun := time.Now()
		_, err := j.WaitFor(t.Context(), 1, journal.Filter{Operation: "op"}.Match)
		require.NoError(t, err)
		assert.Equal(t, time.Minute, time.Since(begun), "what is in flight counts")
		found, err := j.WaitFor(t.Context(), 2, journal.Filter{Operation: "op", Finished: true}.Match)
		require.NoError(t, err)
		assert.Len(t, found, 2)
		assert.Equal(t, 2*time.Minute+2*time.Second, time.Since(begun))
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		found, err = j.WaitFor(ctx, 4, nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.EqualError(t, err, "wait for journal entries: 3 of 4 matched, of 3 in all: context deadline exceeded")
		assert.Len(t, found, 3)
	})
}

func TestSettle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := newJournal(t, journal.Limits{})
		open := j.Begin(journal.Entry{Scope: "s"}, nil)
		go func() {
			time.Sleep(time.Second)
			open.End(journal.Outcome{})
		}()
		j.Settle(t.Context(), "other")
		assert.Equal(t, 1, j.InFlight(""))
		j.Settle(t.Context(), "")
		assert.Zero(t, j.InFlight(""))
		j.Begin(journal.Entry{}, nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		j.Settle(ctx, "")
		assert.Error(t, ctx.Err())
	})
}

func TestClear(t *testing.T) {
	t.Parallel()
	j := newJournal(t, journal.Limits{})
	for _, scope := range []string{"a", "b"} {
		j.Begin(journal.Entry{Scope: scope, Operation: "op"}, nil).End(journal.Outcome{})
	}
	open := j.Begin(journal.Entry{Scope: "a", Operation: "slow"}, nil)
	j.Clear("a")
	assert.Equal(t, map[string]int{"op": 1, "slow": 1}, j.Counts(""))
	assert.Equal(t, map[string]int{"slow": 1}, j.Counts("a"))
	j.Clear("")
	open.End(journal.Outcome{Status: 200})
	entries := j.Entries(nil)
	require.Len(t, entries, 1)
	assert.Equal(t, 200, entries[0].Status)
}

func TestWriteLines(t *testing.T) {
	t.Parallel()
	j := newJournal(t, journal.Limits{})
	j.Begin(journal.Entry{Operation: "a<b"}, []byte("1\n2")).End(journal.Outcome{Status: 200})
	j.Begin(journal.Entry{Kind: journal.Event, Operation: "event", Event: &journal.Sent{Tag: "t"}}, nil)
	var out bytes.Buffer
	require.NoError(t, j.WriteLines(&out, nil))
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	require.Len(t, lines, 2)
	assert.Contains(t, lines[0], `"operation":"a<b"`)
	for i, line := range lines {
		var entry journal.Entry
		require.NoError(t, json.Unmarshal([]byte(line), &entry))
		assert.Equal(t, j.Entries(nil)[i], entry)
	}
}

// BenchmarkExchange is what recording costs a request.
func BenchmarkExchange(b *testing.B) {
	j := newJournal(b, journal.Limits{})
	header := http.Header{"X-Auth-Token": {"t"}, "Accept": {"*/*"}, "User-Agent": {"u"}, "Content-Type": {"application/json"}}
	body := []byte(strings.Repeat("x", 500))
	b.ReportAllocs()
	for b.Loop() {
		j.Begin(journal.Entry{Operation: "arq:get_one", RequestHeader: header}, nil).End(journal.Outcome{Status: 200, Header: header, Body: body})
	}
}

func ExampleNew() {
	j, err := journal.New(journal.Limits{Entries: 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	j.Begin(journal.Entry{Operation: "arq:create"}, nil).End(journal.Outcome{Status: 201})
	fmt.Println(j.Counts(""), j.Entries(nil)[0].Status)
	// Output: map[arq:create:1] 201
}

// Headers, paths and queries are limited as bodies are.
func TestLimitsOfHeaders(t *testing.T) {
	t.Parallel()
	j := newJournal(t, journal.Limits{Bytes: 1000, BodyBytes: 100})
	long := strings.Repeat("\u00e4", 99)
	for range 5 {
		j.Begin(journal.Entry{Path: long, Query: long, RequestHeader: http.Header{"A": {long, long}, "B": {"b"}}}, nil).
			End(journal.Outcome{Header: http.Header{"C": {long}}})
	}
	entries := j.Entries(nil)
	require.Len(t, entries, 2, "of about 400 bytes")
	assert.Equal(t, 3, j.Dropped())
	kept := strings.Repeat("\u00e4", 50) + journal.Cut
	assert.Equal(t, kept, entries[0].Path)
	assert.Equal(t, kept, entries[0].Query)
	value := strings.Repeat("\u00e4", 49) + journal.Cut
	assert.Equal(t, http.Header{"A": {value}, journal.Cut: {journal.Cut}}, entries[0].RequestHeader)
	assert.Equal(t, http.Header{"C": {value}}, entries[0].ResponseHeader)
	j.Clear("")
	j.Begin(journal.Entry{}, make([]byte, 100)).End(journal.Outcome{})
	assert.Len(t, j.Entries(nil), 1)
}

// No text passes the limits, wherever it stands, and each is counted.
func TestLimitsOfAllTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 300)
	kept := long[:100] + journal.Cut
	for _, test := range []struct {
		name    string
		entry   journal.Entry
		outcome journal.Outcome
		read    func(journal.Entry) string
	}{
		{name: "scope", entry: journal.Entry{Scope: long}, read: func(e journal.Entry) string { return e.Scope }},
		{name: "method", entry: journal.Entry{Method: long}, read: func(e journal.Entry) string { return e.Method }},
		{name: "request id", outcome: journal.Outcome{RequestID: long}, read: func(e journal.Entry) string { return e.RequestID }},
		{name: "caller", outcome: journal.Outcome{Caller: long}, read: func(e journal.Entry) string { return e.Caller }},
		{name: "fault", outcome: journal.Outcome{Fault: long}, read: func(e journal.Entry) string { return e.Fault }},
		{name: "error", outcome: journal.Outcome{Error: long}, read: func(e journal.Entry) string { return e.Error }},
		{name: "name", entry: journal.Entry{Event: &journal.Sent{Name: long}}, read: func(e journal.Entry) string { return e.Event.Name }},
		{name: "instance", entry: journal.Entry{Event: &journal.Sent{ServerUUID: long}}, read: func(e journal.Entry) string { return e.Event.ServerUUID }},
		{name: "tag", entry: journal.Entry{Event: &journal.Sent{Tag: long}}, read: func(e journal.Entry) string { return e.Event.Tag }},
		{name: "status", entry: journal.Entry{Event: &journal.Sent{Status: long}}, read: func(e journal.Entry) string { return e.Event.Status }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			j := newJournal(t, journal.Limits{Bytes: 250, BodyBytes: 100})
			for range 5 {
				j.Begin(test.entry, nil).End(test.outcome)
			}
			entries := j.Entries(nil)
			require.Len(t, entries, 2, "of 105 bytes")
			assert.Equal(t, kept, test.read(entries[0]))
			j.Clear("")
			j.Begin(journal.Entry{}, make([]byte, 100)).End(journal.Outcome{Body: make([]byte, 100)})
			assert.Len(t, j.Entries(nil), 1, "all that was counted was given back")
		})
	}
	event := &journal.Sent{Tag: long}
	newJournal(t, journal.Limits{BodyBytes: 1}).Begin(journal.Entry{Event: event}, nil)
	assert.Equal(t, long, event.Tag, "the caller keeps its own")
}

// A scope that was cut is found by all of its name.
func TestLongScope(t *testing.T) {
	t.Parallel()
	j := newJournal(t, journal.Limits{})
	long := strings.Repeat("s", 5000)
	open := j.Begin(journal.Entry{Scope: long, Operation: "op"}, nil)
	assert.Len(t, j.Entries(nil)[0].Scope, 1024+len(journal.Cut))
	assert.Equal(t, 1, j.InFlight(long))
	assert.Equal(t, map[string]int{"op": 1}, j.Counts(long))
	assert.Len(t, j.Entries(journal.Filter{Scope: long}.Match), 1)
	assert.Empty(t, j.Entries(journal.Filter{Scope: "s"}.Match))
	open.End(journal.Outcome{})
	j.Clear(long)
	assert.Empty(t, j.Entries(nil))
	assert.Empty(t, j.Counts(""))
}

// However many scopes there are, the counts of the latest are kept, and those of all.
func TestCountsOfManyScopes(t *testing.T) {
	t.Parallel()
	j := newJournal(t, journal.Limits{Entries: 3})
	for i := range 10 {
		j.Begin(journal.Entry{Scope: fmt.Sprint("s", i), Operation: "op"}, nil).End(journal.Outcome{})
		j.Begin(journal.Entry{Scope: "s0", Operation: "op"}, nil).End(journal.Outcome{})
	}
	assert.Equal(t, map[string]int{"op": 20}, j.Counts(""))
	assert.Equal(t, map[string]int{"op": 11}, j.Counts("s0"), "it was used all the time")
	assert.Equal(t, map[string]int{"op": 1}, j.Counts("s9"))
	assert.Empty(t, j.Counts("s1"), "it was not")
	j.Clear("s0")
	assert.Equal(t, map[string]int{"op": 9}, j.Counts(""))
}
