package fakecyborg_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

// recordedExchange is one line of the files in testdata.
type recordedExchange struct {
	Name          string            `json:"name"`
	Method        string            `json:"method"`
	URL           string            `json:"url"`
	Headers       map[string]string `json:"headers"`
	Body          string            `json:"body"`
	Status        int               `json:"status"`
	AnswerHeaders [][2]string       `json:"answer_headers"`
	Answer        string            `json:"answer"`
}

func TestRecordedExchanges(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"14.1.0", "17.0.0"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			release, err := fakecyborg.FindRelease(version)
			require.NoError(t, err)
			p := &replayer{
				server: fakecyborg.Start(t, fakecyborg.WithRelease(release), fakecyborg.WithSeed(recordedStack())),
				ids:    make(map[string]string),
			}
			exchanges := readRecorded(t, "testdata/recorded-"+version+".jsonl")
			for i, exchange := range exchanges {
				if exchange.Name == "233-bind-no-handle-left" {
					deletion := slices.IndexFunc(exchanges[i:], func(e recordedExchange) bool { return e.Name == "235-delete-many" })
					p.useUpHandles(t, idForm.FindAllString(exchanges[i+deletion].URL, -1))
				}
				p.replay(t, exchange)
			}
		})
	}
}

// recordedStack is the one host that the recorded services had.
func recordedStack() fakecyborg.Seed {
	return fakecyborg.Seed{Hosts: []fakecyborg.Host{{
		Name:    "realstack-cn1",
		Devices: []fakecyborg.Device{{Driver: "fake"}},
	}}}
}

func readRecorded(t *testing.T, path string) []recordedExchange {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var exchanges []recordedExchange
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data))
	for lines.Scan() {
		var exchange recordedExchange
		require.NoError(t, json.Unmarshal(lines.Bytes(), &exchange))
		exchanges = append(exchanges, exchange)
	}
	require.NotEmpty(t, exchanges)
	return exchanges
}

// replayer sends recorded requests; ids maps recorded ids to those of the fake.
type replayer struct {
	server *fakecyborg.Server
	ids    map[string]string
}

var (
	idForm = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{32}\b`)
	// timeForm has fractions of a second only where the database was not asked.
	timeForm  = regexp.MustCompile(`\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d(\.\d{6})?\+00:00`)
	moreLines = regexp.MustCompile(`\\\\n.*(\\", \\"debuginfo\\")`)
	oneOf     = regexp.MustCompile(`(Value should be one of: ).*?(\\", \\"debuginfo\\")`)
	// baseForm is the address of the recorded server or of the fake.
	baseForm = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
)

func normalise(text string) string {
	text = timeForm.ReplaceAllString(text, "<time$1>")
	text = moreLines.ReplaceAllString(text, "<more lines>$1")
	text = oneOf.ReplaceAllString(text, "$1<names>$2")
	return baseForm.ReplaceAllString(text, "<base>")
}

func (p *replayer) replay(t *testing.T, recorded recordedExchange) {
	t.Helper()
	status, header, body := p.send(t, recorded)
	want, got := normalise(recorded.Answer), normalise(body)
	p.learn(want, got)
	require.Equal(t, recorded.Status, status, "%s: %s", recorded.Name, body)
	if diff := cmp.Diff(p.translate(want), got); diff != "" {
		t.Fatalf("%s: answer (-recorded +fake)\n%s", recorded.Name, diff)
	}
	if diff := cmp.Diff(steady(recordedHeader(recorded)), steady(header)); diff != "" {
		t.Fatalf("%s: header (-recorded +fake)\n%s", recorded.Name, diff)
	}
	require.Equal(t, strconv.Itoa(len(body)), header.Get("Content-Length"), recorded.Name)
}

func (p *replayer) send(t *testing.T, recorded recordedExchange) (int, http.Header, string) {
	t.Helper()
	path := p.translate(baseForm.ReplaceAllString(recorded.URL, p.server.URL()))
	request, err := http.NewRequestWithContext(t.Context(), recorded.Method, path, strings.NewReader(p.translate(recorded.Body)))
	require.NoError(t, err)
	for name, value := range recorded.Headers {
		request.Header.Set(name, value)
	}
	if host := recorded.Headers["Host"]; host != "" {
		request.Host = host
	}
	response, err := (&http.Client{}).Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, response.Header, string(body)
}

// learn pairs the ids of two answers that have as many of them.
func (p *replayer) learn(want, got string) {
	theirs, ours := idForm.FindAllString(want, -1), idForm.FindAllString(got, -1)
	if len(theirs) != len(ours) {
		return
	}
	for i, id := range theirs {
		if _, known := p.ids[id]; !known {
			p.ids[id] = ours[i]
		}
	}
}

// translate puts the fake's ids in place of recorded ones.
func (p *replayer) translate(text string) string {
	return idForm.ReplaceAllStringFunc(text, func(id string) string {
		if ours, known := p.ids[id]; known {
			return ours
		}
		return id
	})
}

func recordedHeader(recorded recordedExchange) http.Header {
	header := make(http.Header)
	for _, pair := range recorded.AnswerHeaders {
		header.Add(pair[0], pair[1])
	}
	return header
}

// steady leaves out what differs between any two answers.
func steady(header http.Header) http.Header {
	header = header.Clone()
	for _, name := range []string{"Content-Length", "X-Openstack-Request-Id"} {
		if header.Get(name) != "" {
			header.Set(name, "<set>")
		}
	}
	return header
}

// useUpHandles does what the recorder did between two recorded exchanges: it
// made 17 requests and bound all but the last. Their recorded ids are known from
// the exchange that deletes them.
func (p *replayer) useUpHandles(t *testing.T, recorded []string) {
	t.Helper()
	require.Len(t, recorded, 17)
	call := recordedExchange{
		URL:     p.server.URL() + "/v2/accelerator_requests",
		Headers: map[string]string{"Content-Type": "application/json"},
	}
	for i, theirs := range recorded {
		call.Method, call.Body = http.MethodPost, `{"device_profile_name": "cap-one"}`
		_, _, body := p.send(t, call)
		id := idForm.FindString(body)
		require.NotEmpty(t, id)
		p.ids[theirs] = id
		if i == len(recorded)-1 {
			return
		}
		call.Method = http.MethodPatch
		call.Body = bindBody(binding{arq: id, host: "realstack-cn1", provider: "f3827af2-e6ff-374b-9d29-4b424658c25d", instance: uuid.NewString()})
		p.send(t, call)
	}
}
