package cyborgclient_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// sent is a request as it arrived.
type sent struct {
	Method, Origin, URI, Body string
	Header                    http.Header
}

// server answers in memory and keeps what it was asked.
type server struct {
	handler http.HandlerFunc

	mu   sync.Mutex
	sent []sent
}

func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
	}
	s.mu.Lock()
	s.sent = append(s.sent, sent{r.Method, r.URL.Scheme + "://" + r.URL.Host, r.URL.RequestURI(), string(body), r.Header.Clone()})
	s.mu.Unlock()
	recorder := httptest.NewRecorder()
	s.handler(recorder, r)
	resp := recorder.Result()
	resp.Request = r
	return resp, nil
}

// lines are the requests as "METHOD URI body".
func (s *server) lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []string
	for _, r := range s.sent {
		lines = append(lines, strings.TrimSpace(r.Method+" "+r.URI+" "+r.Body))
	}
	return lines
}

// newClient makes a client of a server that answers with the handler.
func newClient(t *testing.T, handler http.HandlerFunc, opts ...cyborgclient.Option) (*cyborgclient.Client, *server) {
	t.Helper()
	s := &server{handler: handler}
	opts = append([]cyborgclient.Option{
		cyborgclient.WithEndpoint("http://cyborg.example/accelerator/v2"),
		cyborgclient.WithTransport(s),
	}, opts...)
	client, err := cyborgclient.New(t.Context(), opts...)
	require.NoError(t, err)
	return client, s
}

// respond always gives the same answer.
func respond(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Openstack-Request-Id", "req-1")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// recording is one exchange with a real Cyborg.
type recording struct {
	Name    string `json:"name"`
	Request struct {
		Method string          `json:"method"`
		URL    string          `json:"url"`
		Path   string          `json:"path"`
		Body   json.RawMessage `json:"body"`
		JSON   json.RawMessage `json:"json"`
	} `json:"request"`
	Response struct {
		Status  int         `json:"status"`
		Headers [][2]string `json:"headers"`
		Body    string      `json:"body"`
	} `json:"response"`
}

// path is that of the request below the service's address, without query.
func (r recording) path() string {
	_, rest, _ := strings.Cut(r.Request.URL+r.Request.Path, "/v2")
	path, _, _ := strings.Cut(rest, "?")
	return "/v2" + path
}

// ServeHTTP plays the recorded answer.
func (r recording) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	for _, header := range r.Response.Headers {
		if name := header[0]; name != "Content-Length" && name != "Connection" {
			w.Header().Add(name, header[1])
		}
	}
	w.WriteHeader(r.Response.Status)
	_, _ = io.WriteString(w, r.Response.Body)
}

func readRecording(path string) (recording, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return recording{}, err
	}
	var r recording
	err = json.Unmarshal(text, &r)
	return r, err
}

// recorded reads the exchange of that number from testdata.
func recorded(t *testing.T, number string) recording {
	t.Helper()
	paths, err := filepath.Glob("testdata/captures/" + number + "-*.json")
	require.NoError(t, err)
	require.Len(t, paths, 1, "exchange %s", number)
	r, err := readRecording(paths[0])
	require.NoError(t, err)
	return r
}

// allRecordings are those of testdata and, where it exists, of the whole
// collection beside the repository.
func allRecordings(t *testing.T) map[string]recording {
	t.Helper()
	recordings, err := readAllRecordings()
	require.NoError(t, err)
	require.NotEmpty(t, recordings)
	return recordings
}

// readAllRecordings reads the many files once for all tests.
var readAllRecordings = sync.OnceValues(func() (map[string]recording, error) {
	own, err := filepath.Glob("testdata/captures/*.json")
	if err != nil {
		return nil, err
	}
	shared, err := filepath.Glob("../../shared/captures/*/*.json")
	if err != nil {
		return nil, err
	}
	if len(shared) == 0 && os.Getenv("NOVACYBORG_PEERS") == "required" {
		return nil, errors.New("the collection of recordings is required but not there")
	}
	recordings := make(map[string]recording)
	for _, path := range append(own, shared...) {
		if strings.Contains(path, "/condor/") || strings.HasPrefix(filepath.Base(path), "story") {
			continue // not exchanges
		}
		if recordings[path], err = readRecording(path); err != nil {
			return nil, err
		}
	}
	return recordings, nil
})

const (
	arq1     = "0b5ee373-a009-4b26-8f62-bbbfa5af3d1b"
	arq2     = "00c8aef0-c3e7-4c84-a54b-17dfc725885f"
	arq3     = "402a9106-1fc0-4e8a-ae6d-27a136f4c040"
	instance = "8115e6c7-9ec9-4a55-abc9-a3f630025e86"
	provider = "f3827af2-e6ff-374b-9d29-4b424658c25d"
	project  = "3458b5fabb264b8ba2808e0d40e56613"
)
