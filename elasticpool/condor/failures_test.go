package condor

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

const oneGroup = `[
{ "AcctGroup": "group_juno", "Id": 1, "JobCount": 3, "JobIds": "4.0 ... 4.2", "JobStatus": 1, "JobUniverse": 5, "RequestCpus": 1 }
]
`

// TestFailureIsNeverEmpty: whatever goes wrong with a query, it is an error and not an empty queue; so a failing sensor
// neither ends the pool nor starts or deletes anything (tardis 103).
func TestFailureIsNeverEmpty(t *testing.T) {
	t.Parallel()
	said := errorTexts(t)
	for _, test := range []struct {
		name   string
		rule   rule
		change func(*Config)
		want   error
		text   string
	}{
		{name: "no such schedd", rule: rule{Err: said["condor_q -name nosuch.realstack -json"], Exit: 1}, want: ErrFailed, text: "no record of schedd"},
		{name: "schedd off", rule: rule{Err: said["condor_q -allusers -json"], Exit: 1}, want: ErrFailed, text: "Can't find address for schedd"},
		{name: "bad constraint", rule: rule{Err: said["condor_q -allusers -json -constraint JobStatus =="], Exit: 1}, want: ErrFailed, text: "Parse error"},
		{name: "answer, then a bad end", rule: rule{Out: oneGroup, Exit: 1}, want: ErrFailed, text: "exit status 1"},
		{name: "answer, then a complaint", rule: rule{Out: oneGroup, Err: "Error: communication error\n"}, want: ErrFailed, text: "communication error"},
		{name: "nothing, then a complaint", rule: rule{Err: "ERROR: no\n"}, want: ErrFailed},
		{name: "killed", rule: rule{Out: oneGroup, Die: true}, want: ErrFailed, text: "killed"},
		{name: "cut off", rule: rule{Out: oneGroup[:60]}, want: ErrOutput, text: "unexpected EOF"},
		{name: "cut off after an ad", rule: rule{Out: strings.TrimSuffix(oneGroup, "]\n")}, want: ErrOutput, text: "unexpected EOF"},
		{name: "two lists", rule: rule{Out: oneGroup + oneGroup}, want: ErrOutput, text: "more after the list"},
		{name: "banner", rule: rule{Out: "-- Schedd: central\n"}, want: ErrOutput, text: "no JSON list"},
		{name: "object", rule: rule{Out: `{"JobStatus": 1}`}, want: ErrOutput, text: "no JSON list"},
		{name: "numbers", rule: rule{Out: `[1]`}, want: ErrOutput},
		{name: "null", rule: rule{Out: `[null]`}, want: ErrOutput},
		{name: "no status", rule: rule{Out: `[{"JobCount": 3}]`}, want: ErrOutput, text: "JobStatus"},
		{
			name: "too much", rule: rule{Jobs: 100}, change: func(c *Config) { c.MaxOutput = 10000 },
			want: ErrTooLarge, text: "10000 bytes",
		},
		{
			name: "too long, with a child that holds the pipe", rule: rule{Out: "[\n", Hang: true},
			change: func(c *Config) { c.Timeout = elasticpool.Duration(500 * time.Millisecond) }, want: ErrTimeout,
		},
		{name: "no such tool", change: func(c *Config) { c.Command = nil; c.Bin = "/nonexistent" }, want: ErrFailed, text: "no such file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newFake(t, test.rule).pool(t, test.change)
			begin := time.Now()
			groups, err := p.Jobs(t.Context())
			require.ErrorIs(t, err, test.want)
			require.ErrorContains(t, err, test.text)
			require.ErrorContains(t, err, "schedd central.realstack")
			assert.Nil(t, groups)
			assert.Equal(t, "transient", elasticpool.ErrorWord(err))
			assert.Less(t, time.Since(begin), 15*time.Second)
		})
	}
}

// TestWorkersFailureIsNeverEmpty is the same for the directory of workers.
func TestWorkersFailureIsNeverEmpty(t *testing.T) {
	t.Parallel()
	said := errorTexts(t)
	for _, test := range []struct {
		name string
		rule rule
		want error
	}{
		{name: "no collector", rule: rule{Err: said["condor_status -pool 127.0.0.1:1 -json"], Exit: 1}, want: ErrFailed},
		{name: "nothing at all", want: ErrOutput}, // trap 1: a collector that has just begun does not even know itself
		{name: "workers but no collector", rule: rule{Out: `[{"MyType": "Machine", "Name": "slot1@a", "ElasticVM": "a"}]`}, want: ErrOutput},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			workers, err := newFake(t, test.rule).pool(t, nil).Workers(t.Context())
			require.ErrorIs(t, err, test.want)
			assert.Empty(t, workers)
		})
	}
}

// TestEndedContextIsItsOwnError tells a caller that gave up from a tool that took too long.
func TestEndedContextIsItsOwnError(t *testing.T) {
	t.Parallel()
	p := newFake(t, rule{Hang: true}).pool(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := p.Jobs(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NotErrorIs(t, err, ErrTimeout)
}

// TestErrorsHaveNoTokens: a token in what a tool prints does not come into an error.
func TestErrorsHaveNoTokens(t *testing.T) {
	t.Parallel()
	const secret = "eyJhbGciOiJIUzI1NiIsImtpZCI6IlBPT0wifQ.eyJpYXQiOjE3OTYwMjQxMTd9.c2lnbmF0dXJl"
	_, err := newFake(t, rule{Err: "Error: bad token " + secret + "\n", Exit: 1}).pool(t, nil).Jobs(t.Context())
	require.ErrorContains(t, err, "bad token (token)")
	assert.NotContains(t, err.Error(), "c2lnbmF0dXJl")

	long := &Error{Op: "x", Class: ErrFailed, Detail: shorten(strings.Repeat("ä", 5000))}
	assert.Less(t, len(long.Error()), 500)
	require.ErrorIs(t, &Error{Class: ErrFailed, Err: os.ErrNotExist}, os.ErrNotExist)
}

// TestEveryQueryNamesItsSchedd: condor_q without -name asks the schedd of its own machine, and without -allusers it
// shows one's own jobs only (traps 5 and 6).
func TestEveryQueryNamesItsSchedd(t *testing.T) {
	t.Parallel()
	f := newFake(t, rule{With: []string{"-group-by"}, Out: oneGroup}, rule{With: []string{"QDate,"}, Out: "[]"})
	p := f.pool(t, func(c *Config) { c.Collector = "cm.example.org:9618" })
	_, err := p.Jobs(t.Context())
	require.NoError(t, err)
	require.NoError(t, p.Free(t.Context(), elasticpool.Worker{VM: "a", Name: "a.realstack"}))
	queries := 0
	for _, c := range f.calls(t) {
		assert.Equal(t, []string{"-pool", "cm.example.org:9618"}, c.Args[1:3])
		if c.Args[0] == "condor_q" {
			queries++
			assert.Equal(t, []string{"-name", "central.realstack", "-allusers"}, c.Args[3:6])
		}
		assert.False(t, slices.Contains(c.Args, "-jsonl"), "trap 4")
	}
	assert.Equal(t, 4, queries)
}

// errorTexts returns what the real tools print on standard error, by command.
func errorTexts(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("testdata/errors.txt")
	require.NoError(t, err)
	texts, command := map[string]string{}, ""
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.HasPrefix(line, "$ "):
			command = strings.TrimSpace(line[2:])
			if _, again := texts[command]; again {
				command = fmt.Sprint(command, " again")
			}
		case strings.HasPrefix(line, "    "):
			texts[command] += line[4:]
		}
	}
	return texts
}
