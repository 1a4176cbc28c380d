package quota

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseRequest(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, line string
		want       Request
		array      bool
	}{
		{"VCondor's object", `{"ResID": "juno"}`, Request{ResID: "juno"}, false},
		{"the array of the slides", `[{"ResID":"juno"}]`, Request{ResID: "juno"}, true},
		{"unknown keys", `{"ResID":"juno","Color":"red"}`, Request{ResID: "juno"}, false},
		{"a lease", `{"ResID":"juno","WANT":7,"CLASS":"gpu","TTL":60}`, Request{ResID: "juno", Want: 7, Class: "gpu", TTL: 60}, false},
		{"no need", `{"ResID":"juno","WANT":null}`, Request{ResID: "juno"}, false},
		{"the release of a lease", `{"ResID":"juno","RELEASE":"ABC"}`, Request{ResID: "juno", Release: Release{Lease: "ABC"}}, false},
		{"the release of some", `{"ResID":"juno","RELEASE":3}`, Request{ResID: "juno", Release: Release{Units: 3}}, false},
		{"nothing to release", `{"ResID":"juno","RELEASE":null}`, Request{ResID: "juno"}, false},
		{"a TTL of ages", `{"ResID":"juno","TTL":9223372036854775807}`, Request{ResID: "juno", TTL: longestTTL}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			req, array, err := parseRequest([]byte(tt.line))
			require.NoError(t, err)
			assert.Equal(t, tt.want, req.Request)
			assert.Equal(t, tt.array, array)
		})
	}
}

func TestParseRequestRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, line, want string }{
		{"what a client sends that cannot encode", `null`, "null instead of an object"},
		{"null in an array", `[null]`, "null instead of an object"},
		{"no JSON", `ResID=s3cret`, "not JSON (byte 1)"},
		{"half a line", `{"ResID":"ju`, "not JSON (byte 12)"},
		{"two values", `{"ResID":"juno"} {"ResID":"juno"}`, "not JSON (byte 18)"},
		{"a string", `"s3cret"`, "not a JSON object"},
		{"an empty array", `[]`, "the array has 0 elements"},
		{"two requests in an array", `[{"ResID":"a"},{"ResID":"b"}]`, "the array has 2 elements"},
		{"no queue", `{}`, "ResID is missing"},
		{"a blank queue", `{"ResID":" "}`, "ResID is missing"},
		{"a queue that is a number", `{"ResID":7}`, "ResID is not of type string"},
		{"a fraction", `{"ResID":"juno","WANT":1.5}`, "WANT is not of type int"},
		{"a negative need", `{"ResID":"juno","WANT":-1}`, "WANT is negative"},
		{"a negative time", `{"ResID":"juno","TTL":-1}`, "TTL is negative"},
		{"need and release", `{"ResID":"juno","WANT":1,"RELEASE":1}`, "WANT and RELEASE"},
		{"the release of nothing", `{"ResID":"juno","RELEASE":0}`, "RELEASE is neither"},
		{"the release of something", `{"ResID":"juno","RELEASE":["s3cret"]}`, "RELEASE is neither"},
		{"a token that is none", `{"ResID":"juno","TOKEN":["s3cret"]}`, "TOKEN is not of type string"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := parseRequest([]byte(tt.line))
			require.ErrorIs(t, err, ErrRequest)
			require.ErrorContains(t, err, tt.want)
			assert.NotContains(t, err.Error(), "s3cret")
		})
	}
}

func TestRequestsSurviveTheWire(t *testing.T) {
	t.Parallel()
	for _, req := range []Request{
		{ResID: "juno"},
		{ResID: "juno", Want: 3, Class: "gpu", TTL: 9},
		{ResID: "juno", Release: Release{Lease: "ABC"}},
		{ResID: "juno", Release: Release{Units: 4}},
	} {
		line, err := json.Marshal(req)
		require.NoError(t, err)
		got, _, err := parseRequest(line)
		require.NoError(t, err)
		assert.Equal(t, req, got.Request)
	}
	line, err := json.Marshal(Request{ResID: "juno"})
	require.NoError(t, err)
	assert.JSONEq(t, `{"ResID":"juno"}`, string(line), "a plain query is what an old client sends")
}

func FuzzParseRequest(f *testing.F) {
	for _, line := range []string{
		`{"ResID": "juno"}`, `[{"ResID":"juno"}]`, `null`, `[]`, `{"ResID":"a","WANT":1,"TTL":5,"CLASS":"x","TOKEN":"t"}`,
		`{"ResID":"a","RELEASE":"L"}`, `{"ResID":"a","RELEASE":2}`, `"x"`, `{"resid":1e99}`, "\xff", `{"ResID":"\ud800"}`,
	} {
		f.Add([]byte(line))
	}
	ledger, err := NewLedger([]LedgerQueue{{Name: "juno", Max: 5}}, nil)
	require.NoError(f, err)
	s, err := NewServer(ledger)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, line []byte) {
		line = bytes.TrimSpace(line)
		_, array, err := parseRequest(line)
		answer, last := s.reply(line)
		require.False(t, last, "without a token every line is answered and the connection stays")
		require.True(t, bytes.HasSuffix(answer, []byte("\n")) && bytes.Count(answer, []byte("\n")) == 1, "one line")
		require.True(t, utf8.Valid(answer))
		require.Equal(t, array, bytes.HasPrefix(answer, []byte("[")), "the answer has the shape of the request")
		var r Response
		require.NoError(t, json.Unmarshal(bytes.Trim(answer, "[]\n"), &r))
		require.True(t, err == nil || r.Error != "", "an error is said")
		require.Zero(t, r.Available, "nothing was observed, so nothing is free")
	})
}
