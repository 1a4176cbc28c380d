package cyborgclient_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// store deletes ARQs as a Cyborg does whose rule for missing ones is one of
// those that releases had.
type store struct {
	arqs  []string
	bound string // this one needs a service token
	rule  deletion
}

type deletion int

const (
	looksFirst deletion = iota // nothing is deleted when one is missing (fix of CVE-2026-40214)
	goesOn                     // past the missing ones (Xena)
	stops                      // at the first missing one (Train)
)

func (s *store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	list := strings.Split(r.URL.Query().Get("arqs"), ",")
	if s.rule == looksFirst && s.refuses(w, r, list) {
		return
	}
	var missing []string
	for _, arq := range list {
		i := slices.Index(s.arqs, arq)
		switch {
		case i >= 0:
			s.arqs = slices.Delete(s.arqs, i, i+1)
		case s.rule == stops:
			s.notFound(w, r, "ExtArq not found with uuid="+arq)
			return
		default:
			missing = append(missing, arq)
		}
	}
	if missing != nil {
		s.notFound(w, r, "ARQ not found with uuids ['"+strings.Join(missing, "', '")+"']")
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *store) refuses(w http.ResponseWriter, r *http.Request, list []string) bool {
	for _, arq := range list {
		switch {
		case !slices.Contains(s.arqs, arq):
			s.notFound(w, r, "ExtArq not found with uuid="+arq)
			return true
		case arq == s.bound:
			respond(403, `{"error_message": "{\"faultstring\": \"ARQ is bound. Use the Compute API to manage instance accelerators.\"}"}`)(w, r)
			return true
		}
	}
	return false
}

func (*store) notFound(w http.ResponseWriter, r *http.Request, fault string) {
	respond(404, `{"error_message": "{\"faultcode\": \"Client\", \"faultstring\": \"`+fault+`\"}"}`)(w, r)
}

func TestDeleteARQs(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		store  store
		delete []string
		gone   []string
		kind   error
		left   []string
		sent   int
	}{
		{name: "all there", store: store{arqs: []string{arq1, arq2}}, delete: []string{arq1, arq2}, sent: 1},
		{name: "one is gone", store: store{arqs: []string{arq1, arq3}}, delete: []string{arq1, arq2}, gone: []string{arq2}, left: []string{arq3}, sent: 3},
		{name: "the only one is gone", delete: []string{arq2}, gone: []string{arq2}, sent: 1},
		{name: "all are gone", delete: []string{arq1, arq2}, gone: []string{arq1, arq2}, sent: 3},
		{name: "one is gone, the others go at once", store: store{arqs: []string{arq1, arq3}, rule: goesOn}, delete: []string{arq1, arq2, arq3}, gone: []string{arq2}, sent: 1},
		{name: "one is gone, those before it go at once", store: store{arqs: []string{arq1, arq3}, rule: stops}, delete: []string{arq1, arq2, arq3}, gone: []string{arq2}, sent: 4},
		{name: "named twice", store: store{arqs: []string{arq1}}, delete: []string{arq1, arq1}, sent: 1},
		{name: "nothing", sent: 0},
		{name: "one is bound", store: store{arqs: []string{arq1, arq2}, bound: arq1}, delete: []string{arq1, arq2}, kind: cyborgclient.ErrServiceTokenNeeded, left: []string{arq1, arq2}, sent: 1},
		{name: "one is bound, one is gone: the third goes", store: store{arqs: []string{arq1, arq3}, bound: arq1}, delete: []string{arq2, arq1, arq3}, gone: []string{arq2}, kind: cyborgclient.ErrServiceTokenNeeded, left: []string{arq1}, sent: 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client, server := newClient(t, tt.store.ServeHTTP)
			gone, err := client.DeleteARQs(t.Context(), tt.delete...)
			if tt.kind == nil {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, tt.kind)
			}
			assert.Equal(t, tt.gone, gone)
			assert.ElementsMatch(t, tt.left, tt.store.arqs)
			assert.Len(t, server.sent, tt.sent)
		})
	}
}

// Whatever is there and whatever is named: afterwards nothing that was named is
// left, nothing else is touched, and gone is what was not there.
func TestDeleteARQsProperty(t *testing.T) {
	t.Parallel()
	var all []string
	for i := range 100 {
		all = append(all, fmt.Sprintf("00000000-0000-0000-0000-%012d", i))
	}
	rapid.Check(t, func(r *rapid.T) {
		there := rapid.SliceOfDistinct(rapid.SampledFrom(all), rapid.ID).Draw(r, "there")
		named := rapid.SliceOf(rapid.SampledFrom(all)).Draw(r, "named")
		s := &store{arqs: slices.Clone(there), rule: rapid.SampledFrom([]deletion{looksFirst, goesOn, stops}).Draw(r, "rule")}
		client, server := newClient(t, s.ServeHTTP)
		gone, err := client.DeleteARQs(t.Context(), named...)
		require.NoError(r, err)
		for _, arq := range all {
			assert.Equal(r, slices.Contains(there, arq) && !slices.Contains(named, arq), slices.Contains(s.arqs, arq))
			assert.Equal(r, !slices.Contains(there, arq) && slices.Contains(named, arq), slices.Contains(gone, arq))
		}
		for _, request := range server.sent {
			assert.Less(r, len(request.URI), 3000, "uwsgi's buffer holds 4096 bytes")
		}
	})
}

func TestDeleteARQsByInstanceTwice(t *testing.T) {
	t.Parallel()
	client, _ := newClient(t, respond(http.StatusNoContent, ""))
	require.NoError(t, client.DeleteARQsByInstance(t.Context(), instance))
	require.NoError(t, client.DeleteARQsByInstance(t.Context(), instance))
}

// A 404 of something in front of Cyborg, as an ingress gives whose backend
// restarts, must not pass for ARQs that are gone.
func TestDeleteARQsThroughSomethingElse(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"empty": "", "page": "<html>404</html>", "text": "default backend - 404",
		"router": `{"error_message": "{\"code\": 404, \"title\": \"Not Found\", \"description\": \"\"}"}`,
	} {
		client, server := newClient(t, respond(http.StatusNotFound, body))
		gone, err := client.DeleteARQs(t.Context(), arq1, arq2)
		require.Error(t, err, name)
		require.NotErrorIs(t, err, cyborgclient.ErrNotFound, name)
		assert.Empty(t, gone, name)
		assert.Len(t, server.sent, 1, name)
	}
}
