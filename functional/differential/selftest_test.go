package differential_test

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

// presetTokens are those of fakecyborg/seeds/recorded-tokens.yaml.
var presetTokens = map[string]string{"admin": "admin", "demo": "demo", "demo-reader": "demo-reader", "other": "other", "nova": "nova", "bad": "bad"}

// twoFakes are a fake in the place of the real service, and another one, perhaps with a fault in front of it.
func twoFakes(t *testing.T, release string, fault func(http.Handler) http.Handler) *lockstep {
	t.Helper()
	r, err := fakecyborg.FindRelease(release)
	require.NoError(t, err)
	options := []fakecyborg.Option{fakecyborg.WithRelease(r), fakecyborg.WithPresetSeed("recorded"), fakecyborg.WithPresetTokens("recorded")}
	real, err := newSide(startFake(t, options...).URL(), presetTokens)
	require.NoError(t, err)
	var handler http.Handler = startFake(t, options...)
	if fault != nil {
		handler = fault(handler)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	fake, err := newSide(server.URL, presetTokens)
	require.NoError(t, err)
	return newLockstep(t, real, fake, []string{"3458b5fabb264b8ba2808e0d40e56613", "59faae8c35f5485d85c16501d12b4f6e", "0d8bd6a3e2f54a1c9a6f7b1c2d3e4f50"})
}

// TestGenerator compares the fake with itself, and sees that the random steps reach every part of the service.
func TestGenerator(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"14.1.0", "17.0.0"} {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			l := twoFakes(t, release, nil)
			l.run(t, 1, 1800)
			t.Log(l.sent, l.comparer.written.account())
			for _, status := range []int{200, 201, 202, 204, 400, 401, 403, 404, 405, 406, 409, 415, 423, 500} {
				assert.NotZero(t, l.sent[status], status)
			}
		})
	}
}

// fault changes an answer of the fake.
type fault func(request *http.Request, body string, answer *httptest.ResponseRecorder)

// faulty puts a fault behind a handler.
func faulty(f fault) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
			body, err := io.ReadAll(request.Body)
			if err != nil {
				return
			}
			request.Body = io.NopCloser(bytes.NewReader(body))
			answer := httptest.NewRecorder()
			next.ServeHTTP(answer, request)
			f(request, string(body), answer)
			maps.Copy(w.Header(), answer.Header())
			w.Header()["Date"] = nil
			if w.Header().Get("Content-Length") != "" && answer.Code != http.StatusNoContent {
				w.Header().Set("Content-Length", strconv.Itoa(answer.Body.Len()))
			}
			w.WriteHeader(answer.Code)
			_, _ = w.Write(answer.Body.Bytes())
		})
	}
}

func replaceIn(answer *httptest.ResponseRecorder, from, to string) {
	answer.Body = bytes.NewBufferString(strings.ReplaceAll(answer.Body.String(), from, to))
}

// TestFaultsAreFound puts small faults into the fake: each must be found, and the sequence that shows it must become short.
func TestFaultsAreFound(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		fault   fault
		atMost  int // requests of the shortest sequence
		mention string
	}{
		{"a status", func(_ *http.Request, _ string, a *httptest.ResponseRecorder) {
			if a.Code == http.StatusNotFound {
				a.Code = http.StatusBadRequest
			}
		}, 1, "400"},
		{"a header", func(_ *http.Request, _ string, a *httptest.ResponseRecorder) {
			for name, values := range a.Header() { // the fake writes the names as the real one does
				if name == versionHeader && values[0] == "2.1" {
					a.Header().Del("Vary")
				}
			}
		}, 1, "Vary"},
		{"an order", func(r *http.Request, _ string, a *httptest.ResponseRecorder) {
			if strings.HasSuffix(r.URL.Path, "/device_profiles") {
				replaceIn(a, `"description": null, "groups"`, `"groups"`)
			}
		}, 2, "description"},
		{"a word", func(_ *http.Request, _ string, a *httptest.ResponseRecorder) {
			replaceIn(a, "Device Profile not found", "device profile not found")
		}, 1, "not found"},
		{"a uuid of another thing", func(r *http.Request, _ string, a *httptest.ResponseRecorder) {
			ids := toldForm.FindAllStringSubmatch(a.Body.String(), -1)
			if r.Header.Get("X-Auth-Token") == "demo" && strings.Contains(r.URL.Path, "accelerator_requests") && len(ids) > 1 && ids[0][1] != ids[1][1] {
				replaceIn(a, ids[1][1], ids[0][1])
			}
		}, 4, "accelerator_requests"},
		{"a state", func(_ *http.Request, _ string, a *httptest.ResponseRecorder) {
			replaceIn(a, `"state": "Unbound"`, `"state": "Initial"`)
		}, 4, "Unbound"},
		{"a handle", func(_ *http.Request, _ string, a *httptest.ResponseRecorder) {
			replaceIn(a, `"function": "2"`, `"function": "3"`)
		}, 7, "function"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := twoFakes(t, "14.1.0", faulty(test.fault))
			m := l.find(t, 40)
			assert.LessOrEqual(t, len(m.steps), test.atMost, "%s", m)
			assert.Contains(t, m.diff, test.mention)
		})
	}
}

// find is the shortest form of the first mismatch within so many sequences.
func (l *lockstep) find(t *testing.T, sequences uint64) *mismatch {
	t.Helper()
	for sequence := range sequences {
		m, err := l.random(t.Context(), 1, sequence, 60, func(*mismatch) bool { return false })
		require.NoError(t, err)
		if m == nil {
			continue
		}
		shortest, again, err := l.shrink(t.Context(), m, 400)
		require.NoError(t, err)
		require.True(t, again)
		return shortest
	}
	require.Fail(t, "the fault was not found")
	return nil
}

// TestLostWriteIsFound has a fake that says it has deleted a request, and has not: only what is asked later shows it.
func TestLostWriteIsFound(t *testing.T) {
	t.Parallel()
	var lost atomic.Bool
	l := twoFakes(t, "14.1.0", func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
			if lost.Load() && request.Method == http.MethodDelete && request.Header.Get("X-Auth-Token") == "demo" && strings.Contains(request.URL.RawQuery, "instance=") {
				request.Method, request.URL.RawQuery = http.MethodGet, ""
			}
			next.ServeHTTP(w, request)
		})
	})
	lost.Store(true)
	m := l.find(t, 40)
	assert.LessOrEqual(t, len(m.steps), 3, "%s", m)
}

// TestFreshServicesMustAgree is what a comparison begins with.
func TestFreshServicesMustAgree(t *testing.T) {
	t.Parallel()
	l := twoFakes(t, "14.1.0", faulty(func(r *http.Request, _ string, a *httptest.ResponseRecorder) {
		if r.Method == http.MethodGet && r.URL.Path == "/v2/devices" {
			replaceIn(a, "0xABCD", "0xabcd")
		}
	}))
	require.ErrorContains(t, l.clean(t.Context()), "clean services differ")
	l.fake = l.real
}
