package functional_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recordings is the folder with what real services said, one file an exchange, of which testdata has copies.
const recordings = "../../shared/captures"

// capture is one of these files.
type capture struct {
	Request struct {
		Method, URL, Path string
		Headers           json.RawMessage // an object, or a list of pairs
		Body              json.RawMessage // the text, or the value that it is JSON of
	}
	Response struct {
		Status  int
		Headers [][2]string
		Body    string
	}
}

func readCapture(t *testing.T, recording, name string) capture {
	t.Helper()
	var c capture
	decode(t, fileText(t, filepath.Join(recordings, recording, name+".json")), &c)
	return c
}

// header is a header of the request; a token is the name of its user, if it is told.
func (c capture) header(t *testing.T, name string) string {
	t.Helper()
	pairs := make(map[string]string)
	if bytes.HasPrefix(c.Request.Headers, []byte("{")) {
		decode(t, c.Request.Headers, &pairs)
	} else {
		var list [][2]string
		decode(t, c.Request.Headers, &list)
		for _, pair := range list {
			pairs[pair[0]] = pair[1]
		}
	}
	for key, value := range pairs {
		if http.CanonicalHeaderKey(key) == http.CanonicalHeaderKey(name) {
			return strings.TrimSuffix(strings.TrimPrefix(value, "<token of "), ">")
		}
	}
	return ""
}

// body is the request's, as text if it is one.
func (c capture) body(t *testing.T) any {
	t.Helper()
	var value any
	decode(t, c.Request.Body, &value)
	if value == nil {
		return ""
	}
	return value
}

func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(text, into), "%s", text)
}

func fileText(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return text
}

// requireRecordings skips the test without them, or fails it where they are required.
func requireRecordings(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(recordings); err == nil {
		return
	}
	if os.Getenv("NOVACYBORG_PEERS") == "required" {
		t.Fatal("NOVACYBORG_PEERS=required: no " + recordings)
	}
	t.Skip("no " + recordings)
}

// TestCopiesForTheFakeAreTheRecordings compares the copies that the fake is held against with what was recorded.
func TestCopiesForTheFakeAreTheRecordings(t *testing.T) {
	t.Parallel()
	requireRecordings(t)
	for recording, want := range map[string]int{
		"stage1-no-nova": 243, "stage1-nova-stub": 243, "stage2-with-nova": 243, "sid-stage1-nova-stub": 243,
		"nova-wire": 40, "sid-nova-wire": 62, "clients-wire": 42,
	} {
		t.Run(recording, func(t *testing.T) {
			t.Parallel()
			lines := slices.Collect(bytes.Lines(fileText(t, "../fakecyborg/testdata/"+recording+".jsonl")))
			assert.Len(t, lines, want)
			for _, line := range lines {
				compareCopy(t, recording, line)
			}
		})
	}
}

func compareCopy(t *testing.T, recording string, line []byte) {
	t.Helper()
	var copied struct {
		Name, Method, URL, Body, Answer string
		Headers                         map[string]string
		Status                          int
		AnswerHeaders                   [][2]string `json:"answer_headers"`
	}
	decode(t, line, &copied)
	c := readCapture(t, recording, copied.Name)
	assert.Equal(t, c.Request.Method, copied.Method, copied.Name)
	if c.Request.URL != "" {
		assert.Equal(t, c.Request.URL, copied.URL, copied.Name)
	} else {
		assert.Equal(t, "http://127.0.0.1:1"+c.Request.Path, copied.URL, copied.Name)
	}
	for name, value := range copied.Headers {
		if recorded := c.header(t, name); recorded != "<token" { // whose it was is not told
			assert.Equal(t, recorded, value, "%s: %s", copied.Name, name)
		}
	}
	if body := c.body(t); body != any(copied.Body) { // sent as JSON
		var value any
		decode(t, []byte(copied.Body), &value)
		assert.Equal(t, body, value, copied.Name)
	}
	assert.Equal(t, c.Response.Status, copied.Status, copied.Name)
	assert.Equal(t, c.Response.Headers, copied.AnswerHeaders, copied.Name)
	assert.Equal(t, c.Response.Body, copied.Answer, copied.Name)
}

// TestCopiesOfEventsAreTheRecordings looks at what Cyborg told Nova, as the fake and the receiver are held against it.
func TestCopiesOfEventsAreTheRecordings(t *testing.T) {
	t.Parallel()
	requireRecordings(t)
	sent := make(map[string]string) // Nova's answers by what was sent
	for _, pattern := range []string{"nova-wire", "sid-nova-wire"} {
		files, err := filepath.Glob(filepath.Join(recordings, pattern, "cyborg-to-nova-*-post-*.json"))
		require.NoError(t, err)
		for _, file := range files {
			c := readCapture(t, pattern, strings.TrimSuffix(filepath.Base(file), ".json"))
			text, isText := c.body(t).(string)
			require.True(t, isText, file)
			sent[text] = c.Response.Body
		}
	}
	require.Len(t, sent, 8)
	for line := range bytes.Lines(fileText(t, "../virtdriver/testdata/nova-wire-events.jsonl")) {
		var copied struct {
			Request, Response struct{ Body string }
		}
		decode(t, line, &copied)
		assert.Equal(t, sent[copied.Request.Body], copied.Response.Body)
		delete(sent, copied.Request.Body)
	}
	assert.Empty(t, sent, "not copied")

	for line := range bytes.Lines(fileText(t, "../fakecyborg/testdata/events-to-nova.jsonl")) {
		var copied struct {
			Recording, Name, Method, Path, Body string
			Headers                             [][2]string
		}
		decode(t, line, &copied)
		c := readCapture(t, copied.Recording, copied.Name)
		assert.Equal(t, []any{c.Request.Method, c.Request.Path, c.body(t)}, []any{copied.Method, copied.Path, copied.Body})
		assert.Len(t, copied.Headers, 8)
		for _, header := range copied.Headers {
			assert.Equal(t, c.header(t, header[0]), header[1], header[0])
		}
	}
}

// TestOtherCopiesAreTheRecordings compares files that were taken as they are, but for white space.
func TestOtherCopiesAreTheRecordings(t *testing.T) {
	t.Parallel()
	requireRecordings(t)
	copies, err := filepath.Glob("../cyborgclient/testdata/captures/*.json")
	require.NoError(t, err)
	require.Greater(t, len(copies), 50)
	for _, path := range copies {
		var copied, recorded any
		decode(t, fileText(t, path), &copied)
		equal := slices.ContainsFunc([]string{"stage1-no-nova", "stage1-nova-stub", "stage2-with-nova"}, func(recording string) bool {
			decode(t, fileText(t, filepath.Join(recordings, recording, filepath.Base(path))), &recorded)
			return cmp.Equal(recorded, copied)
		})
		assert.True(t, equal, path)
	}
	assert.Equal(t, string(fileText(t, "../../shared/cases/hostdev-cases.jsonl")), string(fileText(t, "../virtdriver/testdata/hostdev-cases.jsonl")))
}
