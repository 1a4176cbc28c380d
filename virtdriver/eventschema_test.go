package virtdriver_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/virtdriver"
)

// TestReceiverAnswersWereRecorded plays requests for which Nova 31.0.0's schema, validator, version parsing and the
// codes of its handler were recorded: the status, the message and every event of the answer are Nova's.
func TestReceiverAnswersWereRecorded(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/nova-event-answers.jsonl")
	require.NoError(t, err)
	defer file.Close()
	receiver := newReceiver(t, virtdriver.WithInstances(func(uuid string) virtdriver.InstanceState {
		switch {
		case strings.HasPrefix(uuid, "b754"):
			return virtdriver.InstanceUnknown
		case strings.HasPrefix(uuid, "2d93"):
			return virtdriver.InstanceWithoutHost
		}
		return virtdriver.InstanceOnHost
	}))
	lines := bufio.NewScanner(file)
	count, delivered := 0, 0
	for ; lines.Scan(); count++ {
		var recorded struct {
			Request struct {
				Headers [][2]string
				Body    string
			}
			Answer struct {
				Status  int
				Message string
				Events  json.RawMessage
			}
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &recorded))
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, eventPath, strings.NewReader(recorded.Request.Body))
		for _, header := range recorded.Request.Headers {
			req.Header.Add(header[0], header[1])
		}
		answer := httptest.NewRecorder()
		receiver.ServeHTTP(answer, req)
		require.Equal(t, recorded.Answer.Status, answer.Code, "%s: %s", lines.Text(), answer.Body)
		if recorded.Answer.Events != nil {
			delivered++
			require.JSONEq(t, `{"events":`+string(recorded.Answer.Events)+`}`, answer.Body.String(), "%s", lines.Text())
			continue
		}
		var fault map[string]struct{ Message string }
		require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &fault))
		if recorded.Answer.Message != "" && !strings.Contains(recorded.Answer.Message, "{") { // a dict has no order here
			assert.Equal(t, recorded.Answer.Message, fault["badRequest"].Message, "%s", lines.Text())
		}
	}
	require.NoError(t, lines.Err())
	assert.Greater(t, delivered, 100)
	t.Logf("%d requests, %d of them taken", count, delivered)
}
