package requestspec_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/internal/casefile"
	"github.com/novacyborg/novacyborg/requestspec"
)

var update = flag.Bool("update", false, "write the table of docs/strict-mode.md anew")

// strictPage is the page that lists each recorded case which strict mode answers differently from Nova.
const strictPage = "../docs/strict-mode.md"

const tableHead = "| case | Nova | strict | reason |\n|---|---|---|---|\n"

// TestStrictModeDiffersAsThePageSays builds every recorded case in strict mode and compares what it says, case by case,
// with the table. Cases that are not in the table are answered as Nova does.
func TestStrictModeDiffersAsThePageSays(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(strictPage)
	require.NoError(t, err)
	head, old, found := strings.Cut(string(page), tableHead)
	require.True(t, found, "the page has no table")

	var table strings.Builder
	for _, tc := range readCases[casefile.Query](t, "requestspec-cases.jsonl") {
		table.WriteString(strictRow(t, tc))
	}
	if *update {
		require.NoError(t, os.WriteFile(strictPage, []byte(head+tableHead+table.String()), 0o600))
		return
	}
	assert.Equal(t, table.String(), old, "go test ./requestspec -run TestStrictMode -update writes the table")
}

// strictRow is the row of a case, "" if strict mode gives Nova's answer.
func strictRow(t *testing.T, tc casefile.Case[casefile.Query]) string {
	t.Helper()
	request, err := tc.Input.Build(casefile.Strict)
	if err == nil {
		require.Empty(t, tc.Expected.Error, "%s: strict mode takes what Nova refuses", tc.ID)
		if request.Query() == tc.Expected.Query {
			return ""
		}
		return fmt.Sprintf("| %s | query | query | asks for %s |\n", tc.ID, changed(tc.Expected.Query, request.Query()))
	}
	code := requestspec.Code(err)
	require.NotEmpty(t, code, "%s: %v", tc.ID, err)
	if code == tc.Expected.Error {
		return ""
	}
	nova := "query"
	if tc.Expected.Error != "" {
		nova = "`" + tc.Expected.Error + "`"
	}
	var all *requestspec.Error
	require.ErrorAs(t, err, &all)
	return fmt.Sprintf("| %s | %s | `%s` | %s |\n", tc.ID, nova, code, reasons(all))
}

// changed names the parameters that only the second query has.
func changed(nova, strict string) string {
	theirs := strings.Split(nova, "&")
	var more []string
	for parameter := range strings.SplitSeq(strict, "&") {
		if !slices.Contains(theirs, parameter) {
			more = append(more, "`"+parameter+"`")
		}
	}
	return strings.Join(more, ", ")
}

// reasons are all that strict mode says of a case.
func reasons(err *requestspec.Error) string {
	var texts []string
	for _, finding := range err.Causes() {
		texts = append(texts, cell(finding.Error()))
	}
	return strings.Join(texts, "<br>")
}

// cell makes a text fit into a table. Long values are cut.
func cell(text string) string {
	const longest = 240
	text = strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;", "*", `\*`, "_", `\_`).Replace(text)
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest]) + "…"
	}
	return text
}
