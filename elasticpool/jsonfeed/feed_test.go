package jsonfeed

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

const whole = `{
  "jobs": [
    {"queue": "juno", "request": {"cpus": 4, "gpus": 1}, "require": {"gpus": "Capability >= 7.0"},
     "idle": 120, "running": 40, "held": 2, "oldest": "2026-11-30T18:00:00Z", "runtime": "4h", "jobs": ["17.0"]}
  ],
  "workers": [
    {"vm": "01JX", "name": "wn1", "queue": "juno", "joined": true, "total": {"cpus": 8}, "free": {"cpus": 4},
     "jobs": [{"id": "17.3", "queue": "juno", "since": "2026-11-30T18:05:00Z", "runtime": "90m"}], "heard": "2026-11-30T18:09:30Z"},
    {"vm": "01JY", "name": "wn2", "heard": "2026-11-30T18:09:31Z"}
  ],
  "since": "48h",
  "interval": "30s"
}`

func at(text string) time.Time {
	parsed, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return parsed
}

// TestFeed reads the same document from each kind of place.
func TestFeed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "feed.json")
	require.NoError(t, os.WriteFile(path, []byte(whole), 0o600))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(whole)) }))
	t.Cleanup(server.Close)
	for _, test := range []struct {
		name string
		from From
	}{
		{name: "file", from: From{File: path}},
		{name: "command", from: From{Command: []string{"cat", path}}},
		{name: "url", from: From{URL: server.URL}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			feed, err := New(Config{Jobs: test.from, Workers: test.from})
			require.NoError(t, err)
			jobs, err := feed.Jobs(t.Context())
			require.NoError(t, err)
			assert.Empty(t, cmp.Diff([]elasticpool.JobGroup{{
				Queue: "juno", Request: elasticpool.Resources{"cpus": 4, "gpus": 1}, Require: map[string]string{"gpus": "Capability >= 7.0"},
				Idle: 120, Running: 40, Held: 2, Oldest: at("2026-11-30T18:00:00Z"), Runtime: 4 * time.Hour, Jobs: []string{"17.0"},
			}}, jobs))
			workers, err := feed.Workers(t.Context())
			require.NoError(t, err)
			assert.Empty(t, cmp.Diff(elasticpool.Workers{Since: 48 * time.Hour, Interval: 30 * time.Second, List: []elasticpool.Worker{
				{
					VM: "01JX", Name: "wn1", Queue: "juno", Joined: true, Total: elasticpool.Resources{"cpus": 8}, Free: elasticpool.Resources{"cpus": 4},
					Jobs: []elasticpool.Job{{ID: "17.3", Queue: "juno", Since: at("2026-11-30T18:05:00Z"), Runtime: 90 * time.Minute}}, Heard: at("2026-11-30T18:09:30Z"),
				},
				{VM: "01JY", Name: "wn2", Heard: at("2026-11-30T18:09:31Z")},
			}}, workers))
		})
	}
}

// TestBadDocuments: a document that does not say all is an error with its place, and never an empty queue.
func TestBadDocuments(t *testing.T) {
	t.Parallel()
	const w = `"vm": "a", "name": "a", "heard": "2026-11-30T18:09:31Z"`
	for _, test := range []struct{ name, text, jobs, workers string }{
		{name: "empty", text: "", jobs: "feed.json:1:1: it is empty"},
		{name: "null", text: "null", jobs: "it is null"},
		{name: "cut off", text: whole[:200], jobs: "unexpected EOF"},
		{name: "two", text: "{\"jobs\": []}\n{}", jobs: "more after the document"},
		{name: "syntax", text: "{\n  \"jobs\": [}\n}", jobs: "feed.json:2:13"},
		{name: "kind", text: "{\n\"jobs\": [{\"queue\": 7}]}", jobs: "feed.json:2:"},
		{name: "unknown key", text: `{"jobs": [{"queue": "a", "idel": 1}]}`, jobs: `unknown field "idel"`},
		{name: "no unit", text: `{"jobs": [{"queue": "a", "runtime": "90"}]}`, jobs: "missing unit"},
		{name: "no parts", text: `{}`, jobs: "jobs are missing", workers: "workers are missing"},
		{name: "no names", text: `{"jobs": [{"queue": "a"}, {"idle": 1}], "workers": [{"vm": "a"}]}`, jobs: "jobs[1]: queue is missing", workers: "workers[0]: vm and name"},
		{name: "negative", text: `{"jobs": [{"queue": "a", "idle": -1}], "workers": [{` + w + `, "free": {"cpus": -1}}]}`, jobs: "jobs[0]: a number is negative", workers: "cpus is negative"},
		{name: "negative request", text: `{"jobs": [{"queue": "a", "request": {"cpus": -1}}], "workers": [{` + w + `, "total": {"gpus": -1}}]}`, jobs: "request: cpus is negative", workers: "gpus is negative"},
		{name: "too many", text: `{"jobs": [{"queue": "a", "hidden": 99999999999}]}`, jobs: "more than 2147483648 jobs", workers: "workers are missing"},
		{name: "twice", text: `{"jobs": null, "workers": [{` + w + `}, {` + w + `}]}`, jobs: "jobs are missing", workers: "workers[1]: vm a is workers[0] too"},
		{name: "no report", text: `{"workers": [{"vm": "a", "name": "a"}]}`, jobs: "jobs are missing", workers: "workers[0]: heard is missing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "feed.json")
			require.NoError(t, os.WriteFile(path, []byte(test.text), 0o600))
			feed, err := New(Config{Jobs: From{File: path}, Workers: From{File: path}})
			require.NoError(t, err)
			jobs, err := feed.Jobs(t.Context())
			require.ErrorContains(t, err, test.jobs)
			assert.Nil(t, jobs)
			workers, err := feed.Workers(t.Context())
			require.ErrorContains(t, err, either(test.workers, test.jobs))
			assert.Empty(t, workers)
		})
	}
}

func either(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// TestPlacesThatFail: what cannot be read is an error.
func TestPlacesThatFail(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "feed.json")
	require.NoError(t, os.WriteFile(path, []byte(whole), 0o600))
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	for _, test := range []struct {
		name string
		from From
		max  int64
		want string
	}{
		{name: "no file", from: From{File: path + "x"}, want: "no such file"},
		{name: "no command", from: From{Command: []string{path + "x"}}, want: "no such file"},
		{name: "bad end", from: From{Command: []string{"sh", "-c", "cat " + path + "; echo oops >&2; exit 1"}}, want: "exit status 1: oops"},
		{name: "killed", from: From{Command: []string{"sh", "-c", "cat " + path + "; kill -KILL $$"}}, want: "killed"},
		{name: "too long", from: From{Command: []string{"sh", "-c", "sleep 30"}}, want: "took more than"},
		{name: "not found", from: From{URL: server.URL}, want: "404"},
		{name: "large file", from: From{File: path}, max: 100, want: "too large"},
		{name: "large output", from: From{Command: []string{"cat", path}}, max: 100, want: "too large"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			feed, err := New(Config{Jobs: test.from, Workers: test.from, MaxSize: test.max, Timeout: elasticpool.Duration(3 * time.Second)})
			require.NoError(t, err)
			_, err = feed.Jobs(t.Context())
			require.ErrorContains(t, err, test.want)
			_, err = feed.Workers(t.Context())
			require.ErrorContains(t, err, test.want)
		})
	}
}

// TestCommands: what is run, with what, and what its exit codes mean.
func TestCommands(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "said")
	say := []string{"sh", "-c", `echo "$@" >>` + file + `; cat >>` + file, "sh", "{vm} {name}", "{queue}", "{only_idle}"}
	from := From{Command: []string{"true"}}
	feed, err := New(Config{Jobs: from, Workers: from, Join: say, Bind: say, Drain: say, CancelDrain: say, Free: say})
	require.NoError(t, err)
	w := elasticpool.Worker{VM: "v", Name: "n $(x)", Heard: at("2026-11-30T18:09:31Z")}
	require.NoError(t, feed.Join(t.Context(), w, "q"))
	require.NoError(t, feed.Bind(t.Context(), w, "r"))
	require.NoError(t, feed.Drain(t.Context(), w, true))
	require.NoError(t, feed.CancelDrain(t.Context(), w))
	require.NoError(t, feed.Free(t.Context(), w))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	const worker = `{"vm":"v","name":"n $(x)","heard":"2026-11-30T18:09:31Z"}`
	assert.Equal(t, "v n $(x) q false\n"+worker+"v n $(x) r false\n"+worker+"v n $(x)  true\n"+worker+"v n $(x)  false\n"+worker+"v n $(x)  false\n"+worker, string(text))
}

func TestCommandsThatFail(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		command []string
		want    error
		text    string
	}{
		{name: "none", want: elasticpool.ErrUnsupported},
		{name: "busy", command: []string{"sh", "-c", "exit 3"}, want: elasticpool.ErrBusy},
		{name: "no worker", command: []string{"sh", "-c", "exit 4"}, want: elasticpool.ErrNoWorker},
		{name: "other", command: []string{"sh", "-c", "echo no room >&2; exit 1"}, text: "drain n: exit status 1: no room"},
		{name: "not there", command: []string{"/nonexistent"}, want: os.ErrNotExist},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			from := From{Command: []string{"true"}}
			feed, err := New(Config{Jobs: from, Workers: from, Drain: test.command})
			require.NoError(t, err)
			err = feed.Drain(t.Context(), elasticpool.Worker{Name: "n"}, true)
			require.Error(t, err)
			if test.want != nil {
				require.ErrorIs(t, err, test.want)
			}
			require.ErrorContains(t, err, test.text)
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			require.Error(t, feed.Drain(ctx, elasticpool.Worker{}, true))
		})
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	one := From{File: "x"}
	for _, test := range []struct {
		name   string
		config Config
		want   string
	}{
		{name: "nothing", want: "jobs: give one of"},
		{name: "two", config: Config{Jobs: one, Workers: From{File: "x", URL: "y"}}, want: "workers: give one of"},
		{name: "negative", config: Config{Jobs: one, Workers: one, Timeout: -1}, want: "negative"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := New(test.config)
			require.ErrorContains(t, err, test.want)
		})
	}
}

// FuzzParse: a document is either read or refused with its place.
func FuzzParse(f *testing.F) {
	for _, text := range []string{whole, "", "{}", "null", `{"jobs": []}`, `{"jobs": [{"runtime": "1h"}]}`, "{\n\n[", `{"workers": [{"vm": "a"}]}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		found, err := parse(text, "fuzz")
		if err != nil {
			require.ErrorContains(t, err, "jsonfeed: fuzz:")
			return
		}
		if jobs, err := found.jobs("fuzz"); err == nil {
			for _, group := range jobs {
				assert.GreaterOrEqual(t, group.Waiting(), 0)
			}
		}
		if workers, err := found.workers("fuzz"); err == nil {
			assert.Len(t, workers.List, len(*found.Workers))
		}
	})
}
