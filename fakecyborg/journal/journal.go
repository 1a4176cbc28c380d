package journal

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Limits bound what a journal keeps. The zero value of a member is its default.
type Limits struct {
	// Entries is how many entries are kept; the oldest that have ended go first. The
	// default is 10000.
	Entries int
	// Bytes is how many bytes of all texts of all entries together are kept: bodies,
	// headers, paths, queries and the rest; the oldest entries that have ended go first.
	// The default is 64 MiB.
	Bytes int
	// BodyBytes is how many bytes of one body are kept, and likewise of one header, of
	// a path, of a query and of every other text; the default is 64 KiB. Of a scope it
	// is 1 KiB at most.
	BodyBytes int
}

// The defaults of [Limits].
const (
	defaultEntries   = 10_000
	defaultBytes     = 64 << 20
	defaultBodyBytes = 64 << 10
)

// Journal is a list of entries. It is safe for concurrent use. Make one with [New].
type Journal struct {
	limits Limits

	mu      sync.Mutex
	entries []*Entry
	bytes   int
	seq     int
	dropped int
	counts  *tallies
	// inFlight are the exchanges that have not ended.
	inFlight map[*Entry]struct{}
	// changed is closed, and forgotten, when anything changes; nil while nobody waits.
	changed chan struct{}
}

// New makes an empty journal. A negative limit is an error.
func New(limits Limits) (*Journal, error) {
	for _, limit := range []struct {
		name     string
		value    *int
		standard int
	}{
		{"entries", &limits.Entries, defaultEntries},
		{"bytes", &limits.Bytes, defaultBytes},
		{"body bytes", &limits.BodyBytes, defaultBodyBytes},
	} {
		if *limit.value < 0 {
			return nil, fmt.Errorf("journal: limit of %s is %d, want more than 0, or 0 for %d", limit.name, *limit.value, limit.standard)
		}
		if *limit.value == 0 {
			*limit.value = limit.standard
		}
	}
	return &Journal{limits: limits, counts: newTallies(limits.Entries), inFlight: make(map[*Entry]struct{})}, nil
}

// Open is an exchange that has not ended.
type Open struct {
	journal *Journal
	entry   *Entry
}

// Begin adds an exchange that has just arrived, or an event that is about to be
// sent. An empty Kind is [Exchange]; Seq, InFlight and Started are set here.
func (j *Journal) Begin(e Entry, requestBody []byte) *Open {
	e.Kind = cmp.Or(e.Kind, Exchange)
	e.InFlight, e.Started = true, time.Now().UTC()
	e.RequestHeader = cutHeader(redact(e.RequestHeader), j.limits.BodyBytes)
	e.cut(j.limits)
	e.RequestBody = newBody(requestBody, j.limits.BodyBytes)
	j.mu.Lock()
	defer j.mu.Unlock()
	kept := &e
	j.inFlight[kept] = struct{}{}
	j.add(kept)
	return &Open{journal: j, entry: kept}
}

// Outcome is how an exchange ended.
type Outcome struct {
	// Status, Header and Body are the answer.
	Status int
	// Header of the answer; it must not change any more.
	Header http.Header
	// Body of the answer.
	Body []byte
	// RequestID is the id of the answer.
	RequestID string
	// Caller is the project of the caller.
	Caller string
	// Fault is the name of the rule that hit it.
	Fault string
	// Error is why the answer did not arrive.
	Error string
}

// End completes an exchange; a second call does nothing.
func (o *Open) End(outcome Outcome) {
	j := o.journal
	header, body := cutHeader(withoutSecrets(outcome.Header), j.limits.BodyBytes), newBody(outcome.Body, j.limits.BodyBytes)
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, open := j.inFlight[o.entry]; !open {
		return
	}
	delete(j.inFlight, o.entry)
	e := o.entry
	j.bytes -= e.size()
	e.InFlight, e.Duration = false, time.Since(e.Started)
	e.Status, e.ResponseHeader, e.ResponseBody = outcome.Status, header, body
	e.RequestID, e.Caller, e.Fault, e.Error = outcome.RequestID, outcome.Caller, outcome.Fault, outcome.Error
	e.cut(j.limits)
	j.bytes += e.size()
	j.shrink()
	j.tell()
}

// add needs the lock.
func (j *Journal) add(e *Entry) {
	j.seq++
	e.Seq = j.seq
	j.entries = append(j.entries, e)
	j.bytes += e.size()
	j.counts.add(e.Scope, e.Operation)
	j.shrink()
	j.tell()
}

// shrink drops the oldest entries that have ended until the limits hold. What is
// in flight stays, so that its end is seen.
func (j *Journal) shrink() {
	for len(j.entries) > j.limits.Entries || j.bytes > j.limits.Bytes {
		oldest := slices.IndexFunc(j.entries, func(e *Entry) bool { return !e.InFlight })
		if oldest < 0 || oldest == len(j.entries)-1 {
			return
		}
		gone := j.entries[oldest]
		j.bytes -= gone.size()
		if oldest == 0 { // as usual; without moving the others
			j.entries[0] = nil
			j.entries = j.entries[1:]
		} else {
			j.entries = slices.Delete(j.entries, oldest, oldest+1)
		}
		j.dropped++
	}
}

// tell wakes those who wait.
func (j *Journal) tell() {
	if j.changed != nil {
		close(j.changed)
		j.changed = nil
	}
}

// Entries are copies of the entries that match, oldest first; nil matches all.
func (j *Journal) Entries(match func(Entry) bool) []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.find(match)
}

func (j *Journal) find(match func(Entry) bool) []Entry {
	found := []Entry{}
	for _, e := range j.entries {
		if match == nil || match(*e) {
			found = append(found, *e)
		}
	}
	return found
}

// Dropped is how many entries had to go because of the limits.
func (j *Journal) Dropped() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.dropped
}

// InFlight is how many exchanges of a scope have not ended; "" is all.
func (j *Journal) InFlight(scope string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	count := 0
	for e := range j.inFlight {
		if inScope(scope, e.Scope) {
			count++
		}
	}
	return count
}

// Counts is how many entries there were of each operation, also of those that
// were dropped since; "event" counts events, and "" what no route was found for.
// A scope other than "" counts only its own; of scopes that were not used for long, as
// many others as [Limits] has entries, the counts are forgotten.
func (j *Journal) Counts(scope string) map[string]int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.counts.counts(cutText(scope, j.limits.scopeBytes()))
}

// WaitFor returns as soon as at least n entries match, with all that do; what is
// in flight counts, see [Filter.Finished]. When the context ends before, the
// error unwraps to the context's and comes with those that matched so far.
func (j *Journal) WaitFor(ctx context.Context, n int, match func(Entry) bool) ([]Entry, error) {
	for {
		j.mu.Lock()
		found := j.find(match)
		changed, seen := j.next(), j.seq
		j.mu.Unlock()
		if len(found) >= n {
			return found, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return found, fmt.Errorf("wait for journal entries: %d of %d matched, of %d in all: %w", len(found), n, seen, ctx.Err())
		}
	}
}

// Settle waits until no exchange of the scope is in flight, or the context ends;
// "" is all scopes.
func (j *Journal) Settle(ctx context.Context, scope string) {
	for {
		j.mu.Lock()
		changed := j.next()
		j.mu.Unlock()
		if j.InFlight(scope) == 0 {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// next is closed when anything changes; it needs the lock.
func (j *Journal) next() <-chan struct{} {
	if j.changed == nil {
		j.changed = make(chan struct{})
	}
	return j.changed
}

// Clear forgets what has ended: of that scope, or with "" everything. Exchanges
// in flight stay.
func (j *Journal) Clear(scope string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = slices.DeleteFunc(j.entries, func(e *Entry) bool {
		if e.InFlight || !inScope(scope, e.Scope) {
			return false
		}
		j.bytes -= e.size()
		return true
	})
	j.counts.clear(cutText(scope, j.limits.scopeBytes()))
	for e := range j.inFlight {
		if inScope(scope, e.Scope) {
			j.counts.add(e.Scope, e.Operation)
		}
	}
	if scope == "" {
		j.dropped = 0
	}
	j.tell()
}

// WriteLines exports the entries that match as JSON lines, oldest first.
func (j *Journal) WriteLines(w io.Writer, match func(Entry) bool) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for _, e := range j.Entries(match) {
		if err := encoder.Encode(e); err != nil {
			return fmt.Errorf("export journal: entry %d: %w", e.Seq, err)
		}
	}
	return nil
}
