package placementtest_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// sharedInputs is where trees and queries from public sources lie, beside the checkout; they are read, never copied.
const sharedInputs = "../../../shared/real-inputs/allocation_candidates"

// candidateCase is a query over a tree with what the real service answered.
type candidateCase struct {
	Tree           string `json:"tree"`
	Query          string `json:"query"`
	Microversion   string `json:"microversion"`
	Status         int    `json:"status"`
	CandidateCount int    `json:"candidate_count"`
	Response       obj    `json:"response"`
	Error          *struct {
		Code  string `json:"code"`
		Title string `json:"title"`
	} `json:"error"`
}

func canonical(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

func readJSON(t testing.TB, path string, into any) {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, into), path)
}

// caseFiles lists the cases of a folder, or skips; where peers are required their absence is a failure.
func caseFiles(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "case-*.json"))
	require.NoError(t, err)
	if len(files) == 0 {
		if os.Getenv("NOVACYBORG_PEERS") == "required" {
			t.Fatalf("no cases in %s", folder)
		}
		t.Skipf("no cases in %s: they are not part of the repository", folder)
	}
	return files
}

func TestSharedInputs(t *testing.T) {
	t.Parallel()
	for _, file := range caseFiles(t, sharedInputs) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			t.Parallel()
			checkCase(t, file)
		})
	}
}

// checkCase runs one case in a server of its own.
func checkCase(t *testing.T, file string) {
	t.Helper()
	var c candidateCase
	readJSON(t, file, &c)
	var tree treeFile
	readJSON(t, filepath.Join(filepath.Dir(file), c.Tree), &tree)
	_, a := newAPI(t)
	a.load(tree)
	got := a.at(c.Microversion).do(http.MethodGet, "/allocation_candidates?"+c.Query, nil)
	require.Equal(t, c.Status, got.status, "%s", got.raw)
	if c.Error != nil {
		require.Equal(t, c.Error.Code, got.code(t))
		require.Equal(t, c.Error.Title, got.refused(t)["title"])
		return
	}
	require.Len(t, got.json["allocation_requests"], c.CandidateCount)
	if c.Response == nil || strings.Contains(c.Query, "limit=") {
		return
	}
	if diff := cmp.Diff(normalized(t, c.Response), normalized(t, got.json)); diff != "" {
		t.Errorf("candidates differ (-real +got):\n%s", diff)
	}
}
