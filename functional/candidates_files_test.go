package functional_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	// ownCandidates has a file for each set of trees with the questions about it.
	ownCandidates = "testdata/candidates"
	// recordedCandidates has a file of the same name for each, with what the real Placement answered.
	recordedCandidates = ownCandidates + "/answers"
	// sharedCandidates is where trees and answers from public sources lie, beside the checkout; they are read, never copied.
	sharedCandidates = "../../shared/real-inputs/allocation_candidates"
)

// candidateSet is a set of trees, questions about it, and their answers by the name of the question.
type candidateSet struct {
	name  string
	trees candidateTrees
	cases []candidateCase
	want  map[string]result
}

// readJSONFile decodes a file.
func readJSONFile(t *testing.T, path string, into any) {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, into), path)
}

// ownCandidateSets reads the sets of the repository.
func ownCandidateSets(t *testing.T) []candidateSet {
	t.Helper()
	files, err := filepath.Glob(ownCandidates + "/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var sets []candidateSet
	for _, file := range files {
		var content struct {
			Providers candidateTrees  `json:"providers"`
			Cases     []candidateCase `json:"cases"`
		}
		readJSONFile(t, file, &content)
		set := candidateSet{name: strings.TrimSuffix(filepath.Base(file), ".json"), trees: content.Providers}
		names := make(map[string]bool)
		for _, c := range content.Cases {
			require.False(t, names[c.Name], "%s: two cases are called %q", file, c.Name)
			names[c.Name] = true
			c.Microversion = cmp.Or(c.Microversion, "1.39")
			set.cases = append(set.cases, c)
		}
		if !*update {
			readJSONFile(t, set.recording(), &set.want)
			require.Len(t, set.want, len(set.cases), "%s: run this test with -update", set.recording())
		}
		sets = append(sets, set)
	}
	return sets
}

func (c candidateSet) recording() string { return filepath.Join(recordedCandidates, c.name+".json") }

// record writes the answers; that the service broke down is none.
func (c candidateSet) record(t *testing.T, answers map[string]result) {
	t.Helper()
	for name, answer := range answers {
		require.Less(t, answer.Status, http.StatusInternalServerError, name)
	}
	raw, err := json.Marshal(answers)
	require.NoError(t, err)
	var lines any
	require.NoError(t, json.Unmarshal(raw, &lines))
	require.NoError(t, os.WriteFile(c.recording(), append(layered(t, lines, 4, ""), '\n'), 0o644))
}

// layered is JSON with a line for each member of the outer levels and one line for each value below.
func layered(t *testing.T, v any, levels int, indent string) []byte {
	t.Helper()
	var members [][]byte
	opening, closing, deeper := "{", "}", indent+" "
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			members = append(members, fmt.Appendf(nil, "%s%q: %s", deeper, key, layered(t, v[key], levels-1, deeper)))
		}
	case []any:
		opening, closing = "[", "]"
		for _, item := range v {
			members = append(members, append([]byte(deeper), layered(t, item, levels-1, deeper)...))
		}
	}
	if levels == 0 || len(members) == 0 {
		b, err := json.Marshal(v)
		require.NoError(t, err)
		return b
	}
	return fmt.Appendf(nil, "%s\n%s\n%s%s", opening, bytes.Join(members, []byte(",\n")), indent, closing)
}

// sharedCandidateSets reads the sets beside the checkout, or skips the test; in CI their absence is a failure.
func sharedCandidateSets(t *testing.T) []candidateSet {
	t.Helper()
	files, err := filepath.Glob(sharedCandidates + "/case-*.json")
	require.NoError(t, err)
	if len(files) == 0 {
		if os.Getenv("NOVACYBORG_PEERS") == "required" {
			t.Fatalf("NOVACYBORG_PEERS=required: no cases in %s", sharedCandidates)
		}
		t.Skipf("no cases in %s: they are not part of the repository", sharedCandidates)
	}
	byTree := make(map[string]candidateSet)
	for _, file := range files {
		var content sharedCandidateCase
		readJSONFile(t, file, &content)
		set, known := byTree[content.Tree]
		if !known {
			set = candidateSet{name: strings.TrimSuffix(content.Tree, ".json"), want: make(map[string]result)}
			var tree struct {
				Providers candidateTrees `json:"providers"`
			}
			readJSONFile(t, filepath.Join(sharedCandidates, content.Tree), &tree)
			set.trees = tree.Providers
		}
		name := filepath.Base(file)
		set.cases = append(set.cases, candidateCase{
			Name: name, Microversion: content.Microversion, Query: content.Query, countOnly: content.Response == nil,
		})
		set.want[name] = content.answer()
		byTree[content.Tree] = set
	}
	return slices.SortedFunc(maps.Values(byTree), func(a, b candidateSet) int { return cmp.Compare(a.name, b.name) })
}

// sharedCandidateCase is a file of the shared inputs: a question about a tree, and what the real service answered.
type sharedCandidateCase struct {
	Tree           string         `json:"tree"`
	Query          string         `json:"query"`
	Microversion   string         `json:"microversion"`
	Status         int            `json:"status"`
	CandidateCount int            `json:"candidate_count"`
	Response       map[string]any `json:"response"`
	Error          *struct {
		Code  string `json:"code"`
		Title string `json:"title"`
	} `json:"error"`
}

// answer is what must be answered.
func (c sharedCandidateCase) answer() result {
	out := result{Status: c.Status}
	switch {
	case c.Error != nil:
		out.Body = map[string]any{"errors": []any{
			map[string]any{"status": float64(c.Status), "title": c.Error.Title, "code": c.Error.Code},
		}}
	case c.Response == nil || strings.Contains(c.Query, "limit="):
		out.Body = countOf(c.CandidateCount)
	default:
		out.Body = c.Response
	}
	return out
}
