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
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/placement/placementtest"
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

// providerOfRecorded is the resource provider of the recorded device.
const providerOfRecorded = "f3827af2-e6ff-374b-9d29-4b424658c25d"

// placementPort ends the address of the recorded Placement.
var placementPort = regexp.MustCompile(`^http://127\.0\.0\.1:\d*8778/`)

// The whole of what real services answered, in order. What may differ is in
// testdata/differences.yaml.
//
//nolint:paralleltest // the subtests share the differences
func TestRecordedExchanges(t *testing.T) {
	t.Parallel()
	d := readDifferences(t)
	for _, test := range []struct {
		recording, release string
		exchanges          int
		taken              int
		options            []fakecyborg.Option
	}{
		{recording: "stage1-no-nova", release: "14.1.0", exchanges: 240, options: []fakecyborg.Option{fakecyborg.WithoutNova()}},
		{recording: "stage1-nova-stub", release: "14.1.0", exchanges: 240},
		{recording: "stage2-with-nova", release: "14.1.0", exchanges: 240, options: []fakecyborg.Option{
			fakecyborg.WithNova("http://nova.invalid/v2.1"), fakecyborg.WithNovaTransport(strangeInstances{}),
		}},
		{recording: "sid-stage1-nova-stub", release: "17.0.0", exchanges: 240},
		{recording: "nova-wire", release: "14.1.0", exchanges: 40, taken: 1},
		{recording: "sid-nova-wire", release: "17.0.0", exchanges: 62},
		{recording: "clients-wire", release: "14.1.0", exchanges: 42},
	} {
		t.Run(test.recording, func(t *testing.T) {
			release, err := fakecyborg.FindRelease(test.release)
			require.NoError(t, err)
			p := newReplayer(t, d, append(test.options, fakecyborg.WithRelease(release))...)
			exchanges := readRecorded(t, "testdata/"+test.recording+".jsonl")
			p.restore(t, exchanges)
			p.takeHandles(t, test.taken)
			compared := 0
			for i, exchange := range exchanges {
				if exchange.Name == "233-bind-no-handle-left" {
					deletion := slices.IndexFunc(exchanges[i:], func(e recordedExchange) bool { return e.Name == "235-delete-many" })
					p.useUpHandles(t, idForm.FindAllString(exchanges[i+deletion].URL, -1))
				}
				if !d.skips(exchange.Name) {
					p.replay(t, exchange)
					compared++
				}
			}
			assert.Equal(t, test.exchanges, compared)
		})
	}
	assert.Empty(t, d.idle(), "differences that no recording needs")
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

// strangeInstances is a Nova that has none of the instances that binds name.
type strangeInstances struct{}

func (strangeInstances) RoundTrip(request *http.Request) (*http.Response, error) {
	var sent struct {
		Events []map[string]any `json:"events"`
	}
	if err := json.NewDecoder(request.Body).Decode(&sent); err != nil {
		return nil, err
	}
	answer := &http.Response{StatusCode: http.StatusMultiStatus, Request: request, Header: make(http.Header)}
	text := `{"badRequest": {"code": 400, "message": "Invalid input for field/attribute server_uuid. Value: abc. 'abc' is not a 'uuid'"}}`
	for _, event := range sent.Events {
		if event["server_uuid"] == "abc" {
			answer.StatusCode = http.StatusBadRequest
			answer.Body = io.NopCloser(strings.NewReader(text))
			return answer, nil
		}
		event["code"] = http.StatusNotFound
	}
	body, err := json.Marshal(sent)
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return answer, err
}

// replayer sends recorded requests; ids maps recorded ids to those of the fake.
type replayer struct {
	differences *differences
	server      *fakecyborg.Server
	placement   http.RoundTripper
	ids         map[string]string
}

func newReplayer(t *testing.T, d *differences, options ...fakecyborg.Option) *replayer {
	t.Helper()
	inMemory, err := placementtest.New(placementtest.WithoutAuth())
	require.NoError(t, err)
	client, err := placement.New(t.Context(), placement.WithEndpoint("http://placement.invalid"), placement.WithTransport(inMemory.Transport()))
	require.NoError(t, err)
	options = append([]fakecyborg.Option{
		fakecyborg.WithPresetSeed("recorded"), fakecyborg.WithPresetTokens("recorded"),
		fakecyborg.WithMount(fakecyborg.MountBare), fakecyborg.WithConnectionClose(), fakecyborg.WithPlacement(client),
	}, options...)
	return &replayer{differences: d, server: fakecyborg.Start(t, options...), placement: inMemory.Transport(), ids: make(map[string]string)}
}

var (
	idForm = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{32}\b`)
	// baseForm is the address of the recorded server or of the fake.
	baseForm = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
)

func (p *replayer) replay(t *testing.T, recorded recordedExchange) {
	t.Helper()
	status, header, body := p.send(t, recorded)
	if placementPort.MatchString(recorded.URL) {
		recorded.Answer, body = sameForm(t, recorded.Answer), sameForm(t, body)
	}
	want, got := p.differences.normalise(recorded.Answer), p.differences.normalise(body)
	p.learn(want, got)
	if !assert.Equal(t, recorded.Status, status, "%s: %s", recorded.Name, body) {
		return
	}
	if diff := cmp.Diff(p.translate(want), got); diff != "" {
		t.Errorf("%s: answer (-recorded +fake)\n%s", recorded.Name, diff)
	}
	if placementPort.MatchString(recorded.URL) {
		return
	}
	if diff := cmp.Diff(p.steady(recordedHeader(recorded)), p.steady(header)); diff != "" {
		t.Errorf("%s: header (-recorded +fake)\n%s", recorded.Name, diff)
	}
	require.Equal(t, strconv.Itoa(len(body)), header.Get("Content-Length"), recorded.Name)
}

// sameForm writes a body of Placement, which is no part of this package, in one
// order of keys.
func sameForm(t *testing.T, body string) string {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal([]byte(body), &value), body)
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return string(text)
}

func (p *replayer) send(t *testing.T, recorded recordedExchange) (int, http.Header, string) {
	t.Helper()
	base := p.server.URL()
	var transport http.RoundTripper
	if placementPort.MatchString(recorded.URL) {
		base, transport = "http://placement.invalid", p.placement
	}
	path := p.translate(baseForm.ReplaceAllString(recorded.URL, base))
	request, err := http.NewRequestWithContext(t.Context(), recorded.Method, path, strings.NewReader(p.translate(recorded.Body)))
	require.NoError(t, err)
	for name, value := range recorded.Headers {
		request.Header.Set(name, value)
	}
	if host := recorded.Headers["Host"]; host != "" {
		request.Host = host
	}
	response, err := (&http.Client{Transport: transport}).Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	if response.Close { // net/http takes the header away
		response.Header.Set("Connection", "close")
	}
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
func (p *replayer) steady(header http.Header) http.Header {
	header = header.Clone()
	for _, ignored := range p.differences.Headers {
		if header.Get(ignored.Name) != "" {
			header.Set(ignored.Name, "<set>")
		}
	}
	for name, values := range header {
		for i := range values {
			header[name][i] = p.differences.normalise(values[i])
		}
	}
	return header
}

// restore makes the device profiles that were there before the recording began,
// those in lists that no recorded creation answered with, and switches a device
// off and on that had been switched.
func (p *replayer) restore(t *testing.T, exchanges []recordedExchange) {
	t.Helper()
	devices := slices.IndexFunc(exchanges, func(e recordedExchange) bool {
		return strings.HasSuffix(e.URL, "/v2/devices") && e.Status == http.StatusOK
	})
	if devices >= 0 && strings.Contains(exchanges[devices].Answer, `"updated_at": "`) {
		p.switchDevice(t)
	}
	made := make(map[string]bool)
	for _, exchange := range exchanges {
		if exchange.Method == http.MethodPost && exchange.Status == http.StatusCreated {
			made[idForm.FindString(exchange.Answer)] = true
		}
	}
	for _, exchange := range exchanges {
		var list struct {
			Profiles []struct {
				UUID        string            `json:"uuid"`
				Name        string            `json:"name"`
				Description *string           `json:"description"`
				Groups      []json.RawMessage `json:"groups"`
			} `json:"device_profiles"`
		}
		if exchange.Method != http.MethodGet || exchange.Status != http.StatusOK || json.Unmarshal([]byte(exchange.Answer), &list) != nil {
			continue
		}
		for _, profile := range list.Profiles {
			if made[profile.UUID] {
				continue
			}
			made[profile.UUID] = true
			body, err := json.Marshal([]any{profile})
			require.NoError(t, err)
			status, _, answer := p.send(t, p.call(http.MethodPost, "/v2/device_profiles", string(body), "admin", ""))
			require.Equal(t, http.StatusCreated, status, answer)
		}
	}
}

// switchDevice switches the device off and on.
func (p *replayer) switchDevice(t *testing.T) {
	t.Helper()
	_, _, devices := p.send(t, p.call(http.MethodGet, "/v2/devices", "", "admin", ""))
	for _, action := range []string{"/disable", "/enable"} {
		status, _, answer := p.send(t, p.call(http.MethodPost, "/v2/devices/"+idForm.FindString(devices)+action, "", "admin", ""))
		require.Equal(t, http.StatusNoContent, status, answer)
	}
}

// takeHandles makes and binds that many requests, which somebody else had while
// the recording was made.
func (p *replayer) takeHandles(t *testing.T, number int) {
	t.Helper()
	for range number {
		p.send(t, p.call(http.MethodPost, "/v2/device_profiles", `[{"name": "taken", "groups": [{"resources:FPGA": "1"}]}]`, "admin", ""))
		_, _, body := p.send(t, p.call(http.MethodPost, "/v2/accelerator_requests", `{"device_profile_name": "taken"}`, "admin", ""))
		bind := bindBody(binding{arq: idForm.FindString(body), host: "realstack-cn1", provider: providerOfRecorded, instance: uuid.NewString()})
		status, _, answer := p.send(t, p.call(http.MethodPatch, "/v2/accelerator_requests", bind, "admin", "nova"))
		require.Equal(t, http.StatusAccepted, status, answer)
	}
}

// call is an exchange that was not recorded.
func (p *replayer) call(method, path, body, user, service string) recordedExchange {
	headers := map[string]string{"Content-Type": "application/json", "X-Auth-Token": user}
	if service != "" {
		headers["X-Service-Token"] = service
	}
	return recordedExchange{Method: method, URL: p.server.URL() + path, Headers: headers, Body: body}
}

// useUpHandles does what the recorder did between two recorded exchanges: it
// made 17 requests and bound all but the last. Their recorded ids are known from
// the exchange that deletes them.
func (p *replayer) useUpHandles(t *testing.T, recorded []string) {
	t.Helper()
	require.Len(t, recorded, 17)
	for i, theirs := range recorded {
		_, _, body := p.send(t, p.call(http.MethodPost, "/v2/accelerator_requests", `{"device_profile_name": "cap-one"}`, "demo", ""))
		id := idForm.FindString(body)
		require.NotEmpty(t, id)
		p.ids[theirs] = id
		if i == len(recorded)-1 {
			return
		}
		bind := bindBody(binding{arq: id, host: "realstack-cn1", provider: providerOfRecorded, instance: uuid.NewString()})
		p.send(t, p.call(http.MethodPatch, "/v2/accelerator_requests", bind, "demo", "nova"))
	}
}
