package differential_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// golden is where the recordings are that the fake is held against.
const golden = "../../fakecyborg/testdata"

var (
	recorded  = flag.String("drift.recorded", "", "the `folder` with what functional/realstack/capture.py has recorded just now")
	recording = flag.String("drift.recording", "stage1-nova-stub", "the `name` of the recording in fakecyborg/testdata that it is compared with")
	update    = flag.Bool("drift.update", false, "write that recording anew instead")
)

// exchange is a line of a recording.
type exchange struct {
	Name          string            `json:"name"`
	Method        string            `json:"method"`
	URL           string            `json:"url"`
	Headers       map[string]string `json:"headers"`
	Body          string            `json:"body"`
	Status        int               `json:"status"`
	AnswerHeaders [][2]string       `json:"answer_headers"`
	Answer        string            `json:"answer"`
}

// TestRecordedDrift compares what a real Cyborg says today with what was recorded once. functional/realstack/rerecord.sh makes the recording.
func TestRecordedDrift(t *testing.T) {
	t.Parallel()
	if *recorded == "" {
		t.Skip("-drift.recorded names no new recording: functional/realstack/rerecord.sh makes one")
	}
	today := readCaptures(t, *recorded)
	path := filepath.Join(golden, *recording+".jsonl")
	if *update {
		writeRecording(t, path, today)
		return
	}
	for _, place := range drift(t, readRecording(t, path), today) {
		t.Error(place)
	}
	t.Logf("%d exchanges compared with %s", len(today), path)
}

// drift tells where two recordings of the same walk differ.
func drift(t *testing.T, once, today []exchange) []string {
	t.Helper()
	written := readDifferences(t)
	ids := newNames()
	var places []string
	for i := range max(len(once), len(today)) {
		if i >= len(once) || i >= len(today) || once[i].Name != today[i].Name {
			return append(places, "the walk itself is another one from exchange "+number(i+1)+" on")
		}
		if written.unrecorded(once[i].Name) {
			continue
		}
		before, onceMet := hide(written.sameWalk(once[i].text()), ids.real)
		now, todayMet := hide(written.sameWalk(today[i].text()), ids.fake)
		if len(onceMet) == len(todayMet) {
			for j := range onceMet {
				ids.pair(onceMet[j], todayMet[j])
			}
		}
		if diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(now, "\n")); diff != "" {
			places = append(places, once[i].Name+": (-recorded +today)\n"+diff)
		}
	}
	return places
}

// text is an exchange as text.
func (e exchange) text() string {
	var text strings.Builder
	text.WriteString(e.Method + " " + e.URL + "\n" + e.Body + "\n" + number(e.Status) + "\n")
	for _, header := range e.AnswerHeaders {
		value := header[1]
		if strings.EqualFold(header[0], "Content-Length") || strings.EqualFold(header[0], "x-openstack-request-id") {
			value = "<set>"
		}
		text.WriteString(header[0] + ": " + value + "\n")
	}
	return text.String() + "\n" + e.Answer
}

// sameWalk puts the same text in place of what differs between two walks.
func (d *differences) sameWalk(text string) string {
	text = d.text(text)
	for _, difference := range d.Drift {
		text = difference.form.ReplaceAllString(text, difference.As)
	}
	return text
}

// anyID is a uuid as Cyborg and Keystone write it.
var anyID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{32}\b`)

// unrecorded says whether an exchange of the walk is not compared, see the list of the recordings.
func (d *differences) unrecorded(name string) bool {
	for _, e := range d.Exchanges {
		if slices.Contains(e.Names, name) {
			return true
		}
	}
	return false
}

func readRecording(t *testing.T, path string) []exchange {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var exchanges []exchange
	for line := range bytes.Lines(data) {
		var e exchange
		require.NoError(t, json.Unmarshal(line, &e))
		exchanges = append(exchanges, e)
	}
	return exchanges
}

// cutForm is what follows the first line of an error's text.
var cutForm = regexp.MustCompile(`(\\\\n)Traceback .*?(\\", \\"debuginfo\\")`)

// readCaptures reads the files of a folder in order.
func readCaptures(t *testing.T, folder string) []exchange {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*-*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files, folder)
	exchanges := make([]exchange, 0, len(files))
	for _, file := range files {
		var c struct {
			Request struct {
				Method, URL string
				Headers     map[string]string
				Sent        string
			}
			Response struct {
				Status  int
				Headers [][2]string
				Body    string
			}
		}
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, &c), file)
		for name, value := range c.Request.Headers {
			c.Request.Headers[name] = strings.TrimSuffix(strings.TrimPrefix(value, "<token of "), ">")
		}
		exchanges = append(exchanges, exchange{
			Name: strings.TrimSuffix(filepath.Base(file), ".json"), Method: c.Request.Method, URL: c.Request.URL, Headers: c.Request.Headers,
			Body: c.Request.Sent, Status: c.Response.Status, AnswerHeaders: c.Response.Headers,
			Answer: cutForm.ReplaceAllString(c.Response.Body, "$1$2"),
		})
	}
	return exchanges
}

func writeRecording(t *testing.T, path string, exchanges []exchange) {
	t.Helper()
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false)
	for _, e := range exchanges {
		require.NoError(t, encoder.Encode(e))
	}
	require.NoError(t, os.WriteFile(path, data.Bytes(), 0o600))
}

// TestDrift compares a recording with itself, and sees that what changes in it is told with its place.
func TestDrift(t *testing.T) {
	t.Parallel()
	once := readRecording(t, filepath.Join(golden, "stage1-nova-stub.jsonl"))
	require.Empty(t, drift(t, once, readRecording(t, filepath.Join(golden, "stage1-nova-stub.jsonl"))))

	today := readRecording(t, filepath.Join(golden, "stage1-nova-stub.jsonl"))
	ids := make(map[string]string) // other uuids, ports and times are no drift
	for i := range today {
		for _, text := range []*string{&today[i].URL, &today[i].Body, &today[i].Answer} {
			*text = anyID.ReplaceAllStringFunc(*text, func(id string) string {
				if ids[id] == "" {
					ids[id] = strings.Repeat("0", len(id)-4) + number(1000+len(ids))
					if len(id) == 36 {
						ids[id] = "00000000-0000-4000-8000-00000000" + number(1000+len(ids))
					}
				}
				return ids[id]
			})
			*text = strings.NewReplacer("127.0.0.1:16666", "127.0.0.1:6666", "2026-", "2027-").Replace(*text)
		}
	}
	require.Empty(t, drift(t, once, today))

	changed := slices.IndexFunc(today, func(e exchange) bool { return strings.Contains(e.Answer, `"arqs": [{"uuid"`) })
	today[40].Status = 418
	today[changed].Answer = strings.Replace(today[changed].Answer, `"uuid"`, `"id"`, 1)
	today[200].AnswerHeaders = append(today[200].AnswerHeaders, [2]string{"X-New", "1"})
	places := drift(t, once, today)
	require.Len(t, places, 3)
	for i, at := range []int{40, changed, 200} {
		assert.True(t, strings.HasPrefix(places[i], once[at].Name+":"), places[i])
	}
	require.Len(t, drift(t, once, today[:100]), 2)
}
