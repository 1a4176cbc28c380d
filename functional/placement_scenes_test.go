package functional_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/novacyborg/novacyborg/placement/placementtest"
)

// scene is a row of requests that build upon each other.
type scene struct {
	Name  string    `yaml:"name"`
	Steps yaml.Node `yaml:"steps"`
}

// sceneStep is one request and what the answer to it must be; the file tells what the fields mean.
type sceneStep struct {
	Ask       string            `yaml:"ask"`
	Body      any               `yaml:"body"`
	Send      map[string]string `yaml:"send"`
	Status    int               `yaml:"status"`
	Code      *string           `yaml:"code"`
	Answer    any               `yaml:"answer"`
	Exact     bool              `yaml:"exact"`
	Empty     bool              `yaml:"empty"`
	Absent    []string          `yaml:"absent"`
	Headers   map[string]string `yaml:"headers"`
	NoHeaders []string          `yaml:"no-headers"`
}

// TestPlacementScenes plays the scenes of testdata/placement-scenes.yaml to placementtest and to a real Placement.
func TestPlacementScenes(t *testing.T) {
	t.Parallel()
	t.Run("placementtest", func(t *testing.T) {
		t.Parallel()
		playScenes(t, placementtest.Start(t, placementtest.WithStrictCapacity()).URL())
	})
	t.Run("real Placement", func(t *testing.T) {
		t.Parallel()
		url, _ := freshPlacement(t) // the scenes leave things behind
		playScenes(t, url)
	})
}

// playScenes plays all scenes to one service.
func playScenes(t *testing.T, base string) {
	t.Helper()
	raw, err := os.ReadFile("testdata/placement-scenes.yaml")
	require.NoError(t, err)
	var scenes []scene
	require.NoError(t, yaml.Unmarshal(raw, &scenes))
	client := &http.Client{}
	t.Cleanup(client.CloseIdleConnections)
	for _, s := range scenes {
		t.Run(s.Name, func(t *testing.T) {
			for _, step := range s.cast(t) {
				step.play(t, client, base)
			}
		})
	}
}

// cast gives the steps of a scene with its own uuids in them.
func (s scene) cast(t *testing.T) []sceneStep {
	t.Helper()
	ids := map[string]string{"{n}": uuid.NewString()[:6]}
	ids["{N}"] = strings.ToUpper(ids["{n}"])
	var walk func(*yaml.Node)
	walk = func(n *yaml.Node) {
		n.Value = placeholder.ReplaceAllStringFunc(n.Value, func(name string) string {
			if ids[name] == "" {
				ids[name] = uuid.NewString()
			}
			return ids[name]
		})
		for _, child := range n.Content {
			walk(child)
		}
	}
	walk(&s.Steps)
	var steps []sceneStep
	require.NoError(t, s.Steps.Decode(&steps))
	return steps
}

var placeholder = regexp.MustCompile(`\{[A-Za-z]+\}`)

// play sends the request and checks the answer.
func (s sceneStep) play(t *testing.T, client *http.Client, base string) {
	t.Helper()
	resp, err := client.Do(s.request(t, base))
	require.NoError(t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, max(s.Status, http.StatusOK), resp.StatusCode, "%s: %s", s.Ask, raw)
	for key, want := range s.Headers {
		assert.Contains(t, strings.Join(resp.Header.Values(key), ", "), want, "%s: %s", s.Ask, key)
	}
	for _, key := range s.NoHeaders {
		assert.Empty(t, resp.Header.Values(key), "%s: %s", s.Ask, key)
	}
	if s.Empty {
		assert.Empty(t, raw, s.Ask)
		return
	}
	var body any
	if len(raw) > 0 && strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
		require.NoError(t, json.Unmarshal(raw, &body), "%s: %s", s.Ask, raw)
	}
	s.check(t, body)
}

// request makes the step's request.
func (s sceneStep) request(t *testing.T, base string) *http.Request {
	t.Helper()
	fields := strings.Fields(s.Ask)
	require.Len(t, fields, 3, s.Ask)
	text, isText := s.Body.(string)
	if s.Body != nil && !isText {
		b, err := json.Marshal(s.Body)
		require.NoError(t, err)
		text = string(b)
	}
	r, err := http.NewRequestWithContext(t.Context(), fields[0], base+fields[2], strings.NewReader(text))
	require.NoError(t, err)
	r.Header.Set("X-Auth-Token", adminToken)
	r.Header.Set("X-Roles", "admin,service")
	r.Header.Set("OpenStack-API-Version", "placement "+fields[1])
	if text != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for key, value := range s.Send {
		r.Header.Set(key, value)
		if value == "" {
			r.Header.Del(key)
		}
	}
	return r
}

// check looks at the body.
func (s sceneStep) check(t *testing.T, body any) {
	t.Helper()
	if s.Code != nil {
		object, _ := body.(map[string]any)
		list, _ := object["errors"].([]any)
		require.Len(t, list, 1, "%s: %v", s.Ask, body)
		item, _ := list[0].(map[string]any)
		code, _ := item["code"].(string)
		assert.Equal(t, *s.Code, code, "%s: %v", s.Ask, body)
	}
	for _, key := range s.Absent {
		assert.NotContains(t, fmt.Sprint(body), key+":", s.Ask)
	}
	if s.Answer == nil {
		return
	}
	b, err := json.Marshal(s.Answer)
	require.NoError(t, err)
	var want any
	require.NoError(t, json.Unmarshal(b, &want))
	got := body
	if !s.Exact {
		got = only(want, body)
	}
	assert.Empty(t, cmp.Diff(comparableForm(want), comparableForm(got)), "%s: %v (-want +got)", s.Ask, body)
}

// only cuts a body down to the keys that the wanted one has. Elements of lists are cut by the first wanted element that they can be
// cut to, otherwise they stay as they are.
func only(want, body any) any {
	switch want := want.(type) {
	case map[string]any:
		have, ok := body.(map[string]any)
		if !ok {
			return body
		}
		out := map[string]any{}
		for key, value := range want {
			if got, ok := have[key]; ok {
				out[key] = only(value, got)
			}
		}
		return out
	case []any:
		have, ok := body.([]any)
		if !ok {
			return body
		}
		out := slices.Clone(have)
		for i := range out {
			for _, w := range want {
				if cut := only(w, out[i]); cmp.Equal(comparableForm(cut), comparableForm(w)) {
					out[i] = cut
					break
				}
			}
		}
		return out
	}
	return body
}
