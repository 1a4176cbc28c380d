package differential_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var updatePage = flag.Bool("differences.update", false, "write docs/differences.md anew")

// pageOf is docs/differences.md.
const pageOf = "../../docs/differences.md"

const pageHead = `# Where the fake is not the real Cyborg

This page lists every difference between ` + "`fakecyborg`" + ` and the real service of the same release that is known to be left, and why. What is not
here is compared, to the byte of the body and with all headers: recordings of the real service are replayed against the fake, and random
sequences of requests, 3,000 in all, go to both at once. CI does both; the recordings are made anew and compared by hand: see
[functional/realstack](../functional/realstack/README.md). What is found and not listed here is a defect of the fake.

The tables are made from the lists that these tests read, ` + "`fakecyborg/testdata/differences.yaml` and `functional/differential/testdata/differences.yaml`" + `:

` + "```text" + `
go test ./functional/differential -run TestDifferencesPage -differences.update
` + "```" + `

CI sends the requests of one seed; others are sent by hand, and may still find something. In a run of 20,000 requests or more, an entry of the first two
tables that no answer needed fails too. Compared are Debian's 14.0.0-3+deb13u1 with release 14.1.0 and, by hand, 17.0.0-4 with release 17.0.0; what else is
only read from source is in [limits.md](limits.md).
`

// TestDifferencesPage keeps docs/differences.md what the lists say.
func TestDifferencesPage(t *testing.T) {
	t.Parallel()
	want := readDifferences(t).page()
	if *updatePage {
		require.NoError(t, os.WriteFile(pageOf, []byte(want), 0o600))
	}
	got, err := os.ReadFile(pageOf)
	require.NoError(t, err)
	assert.Equal(t, want, string(got), "write it anew: go test ./functional/differential -run TestDifferencesPage -differences.update")
}

func (d *differences) page() string {
	var text strings.Builder
	text.WriteString(pageHead)
	table := func(title, head string) {
		fmt.Fprintf(&text, "\n## %s\n\n| %s | why |\n|---|---|\n", title, head)
	}
	row := func(what, why string) {
		fmt.Fprintf(&text, "| %s | %s |\n", strings.ReplaceAll(what, "|", `\|`), strings.ReplaceAll(why, "|", `\|`))
	}
	table("In any answer", "what (a regular expression of the answer's text)")
	for _, difference := range d.Texts {
		row("`"+difference.Pattern+"`", difference.Why)
	}
	row("the values of `X-Openstack-Request-Id` and `Content-Length`", "the first is random, the second differs with the lines above; that they are there, and that the length is right, is compared")
	row("`Date`", "the real front end sends none, nor does the fake")
	if len(d.Answers) > 0 {
		table("In the answers to some requests", "request; real answer; the fake's")
		for _, a := range d.Answers {
			row("`"+a.Step+"`; `"+a.Real+"`; `"+a.Fake+"`", a.Why)
		}
	}
	table("Between recordings", "what")
	for _, difference := range d.Drift {
		row("`"+difference.Pattern+"`", difference.Why)
	}
	for _, e := range d.Exchanges {
		row("exchanges "+strings.Join(e.Names, ", "), e.Why)
	}
	table("Never asked", "what")
	for _, u := range d.Unasked {
		row(u.What, u.Why)
	}
	return text.String()
}
