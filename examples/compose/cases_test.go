package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/beevik/etree"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recorded is what Nova made of the handles of one case.
type recorded struct {
	answer
	Error string
}

type recordedCase struct {
	ID       string
	Input    json.RawMessage
	Expected recorded
	In2026   recorded `json:"expected_2026_2"`
}

// recordedCases reads the cases, from the shared folder if it is there.
func recordedCases(t *testing.T) []recordedCase {
	t.Helper()
	text, err := os.ReadFile("../../../shared/cases/hostdev-cases.jsonl")
	if err != nil {
		text, err = os.ReadFile("../../virtdriver/testdata/hostdev-cases.jsonl")
	}
	require.NoError(t, err)
	var cases []recordedCase
	for line := range bytes.Lines(text) {
		var c recordedCase
		require.NoError(t, json.Unmarshal(line, &c))
		cases = append(cases, c)
	}
	require.Len(t, cases, 40)
	return cases
}

// answers runs the program over the inputs of the cases.
func answers(t *testing.T, cases []recordedCase, args ...string) []recorded {
	t.Helper()
	var stdin strings.Builder
	for _, c := range cases {
		stdin.Write(c.Input)
		stdin.WriteString("\n\n")
	}
	out, _, err := compose(t, stdin.String(), append([]string{"-jsonl"}, args...)...)
	require.NoError(t, err)
	var list []recorded
	for line := range strings.Lines(out) {
		var r recorded
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		list = append(list, r)
	}
	require.Len(t, list, len(cases))
	return list
}

// facts are the elements of the devices in order, with their attributes sorted. By value, numbers are read as such.
func (r recorded) facts(t *testing.T, byValue bool) []string {
	t.Helper()
	if r.Error != "" {
		return []string{r.Error}
	}
	list := []string{fmt.Sprint("ignored ", r.Ignored)}
	for _, device := range r.Devices {
		doc := etree.NewDocument()
		require.NoError(t, doc.ReadFromString(device))
		for _, element := range doc.FindElements("//*") {
			var attrs []string
			for _, attr := range element.Attr {
				value := attr.Value
				if n, err := strconv.ParseUint(strings.TrimPrefix(value, "0x"), 16, 64); err == nil && byValue {
					value = strconv.FormatUint(n, 16)
				}
				attrs = append(attrs, attr.Key+"="+value)
			}
			slices.Sort(attrs)
			list = append(list, element.GetPath()+" "+strings.Join(attrs, " "))
		}
	}
	for _, m := range r.Mediated {
		list = append(list, fmt.Sprintf("%s of %s on %s", m.UUID, m.Type, m.Parent))
	}
	return list
}

// TestReleases compares the answers of Nova's releases with what those releases answered.
func TestReleases(t *testing.T) {
	t.Parallel()
	cases := recordedCases(t)
	old, current := answers(t, cases, "-release", "2025.1"), answers(t, cases, "-release", "2026.2")
	for i, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			assert.Empty(t, cmp.Diff(c.Expected.facts(t, false), old[i].facts(t, false)))
			assert.Empty(t, cmp.Diff(c.In2026.facts(t, false), current[i].facts(t, false)))
		})
	}
}

// TestOwnAnswers wants this program's own answers to be Nova's, except where docs/hostdev-cases.md says so.
func TestOwnAnswers(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/hostdev-cases.md")
	require.NoError(t, err)
	listed := make(map[string]string)
	for line := range strings.Lines(string(page)) {
		if id, rest, ok := strings.Cut(strings.TrimPrefix(line, "| "), " | "); ok && strings.HasPrefix(id, "hd-") {
			cells := strings.Split(strings.TrimSuffix(rest, " |\n"), " | ")
			require.Len(t, cells, 4, line)
			assert.NotEmpty(t, cells[3], line)
			listed[id] = strings.Join(cells[:3], " | ")
		}
	}
	computed := make(map[string]string)
	cases := recordedCases(t)
	for i, own := range answers(t, cases) {
		c := cases[i]
		if !cmp.Equal(own.facts(t, true), c.Expected.facts(t, true)) || !cmp.Equal(own.facts(t, true), c.In2026.facts(t, true)) {
			computed[c.ID] = strings.Join([]string{c.Expected.summary(), c.In2026.summary(), own.summary()}, " | ")
		}
	}
	assert.Empty(t, cmp.Diff(computed, listed), "the table in docs/hostdev-cases.md (-: computed, +: listed)")
}

// summary is a cell of the table.
func (r recorded) summary() string {
	if r.Error != "" {
		return "`" + r.Error + "`"
	}
	cell := fmt.Sprint(len(r.Devices), " devices")
	switch len(r.Devices) {
	case 0:
		cell = "no device"
	case 1:
		cell = "1 device"
	}
	cells := []string{cell}
	for _, m := range r.Mediated {
		cells = append(cells, "one on `"+m.Parent+"`")
	}
	return strings.Join(cells, ", ")
}
