package functional_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/journal"
)

// What became of the requests of an operation.
const (
	wasAnswered = "answered" // at least one was carried out
	wasRefused  = "refused"  // all were errors
)

// driven is what one driver asked of the fake, as its journals have it: by version of Cyborg and operation, what became
// of it. Each driver's is committed as testdata/coverage/DRIVER.json, from which docs/fake-coverage.md is made.
type driven struct {
	driver string

	mu sync.Mutex
	by map[string]map[string]string
}

func newDriven(driver string) *driven {
	return &driven{driver: driver, by: make(map[string]map[string]string)}
}

// of notes what a server was asked when the test ends.
func (d *driven) of(t *testing.T, server *fakecyborg.Server, release fakecyborg.Release) {
	t.Helper()
	t.Cleanup(func() {
		for _, entry := range server.Journal().Entries(journal.Filter{Kind: journal.Exchange}.Match) {
			d.add(release.Version, entry.Operation, entry.Status)
		}
	})
}

func (d *driven) add(version, operation string, status int) {
	if operation == "" { // no route of this release
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.by[version] == nil {
		d.by[version] = make(map[string]string)
	}
	switch {
	case status >= 200 && status < 300:
		d.by[version][operation] = wasAnswered
	case d.by[version][operation] == "":
		d.by[version][operation] = wasRefused
	}
}

func (d *driven) path() string { return filepath.Join("testdata", "coverage", d.driver+".json") }

// check compares what was driven with what is committed, or commits it.
func (d *driven) check(t *testing.T) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if *update {
		text, err := json.MarshalIndent(d.by, "", "  ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(d.path(), append(text, '\n'), 0o600))
		return
	}
	assert.Empty(t, cmp.Diff(readDriven(t, d.driver), d.by), "go test ./functional -update writes %s anew", d.path())
}

func readDriven(t *testing.T, driver string) map[string]map[string]string {
	t.Helper()
	text, err := os.ReadFile(newDriven(driver).path())
	require.NoError(t, err)
	var by map[string]map[string]string
	require.NoError(t, json.Unmarshal(text, &by))
	return by
}

// drivers are those of the table, each with its letter.
var drivers = []struct{ letter, name, what string }{
	{"R", "recorded", "a request recorded on a real Cyborg, from `fakecyborg/testdata`; that the answers are the same is shown by `TestRecordedExchanges` there"},
	{"C", "cli", "the `openstack accelerator` command, with python-cyborgclient 2.0.0"},
	{"S", "sdk", "openstacksdk 0.101.0, its accelerator proxy"},
	{"T", "tempest", "a case of the tempest plugin, written anew in Go"},
	{"N", "client", "our `cyborgclient`"},
}

const coveragePage = "../docs/fake-coverage.md"

// coverageTable is the page.
func coverageTable(t *testing.T) string {
	t.Helper()
	var page strings.Builder
	page.WriteString(coverageHead)
	seen := make(map[string]map[string]map[string]string)
	for _, driver := range drivers {
		fmt.Fprintf(&page, "| %s | %s |\n", driver.letter, driver.what)
		seen[driver.name] = readDriven(t, driver.name)
	}
	releases := fakecyborg.Releases()
	page.WriteString("\n| operation |")
	for _, release := range releases {
		page.WriteString(" " + release.Version + " |")
	}
	page.WriteString("\n|---|" + strings.Repeat("---|", len(releases)) + "\n")
	has := operationsByVersion(t)
	for _, operation := range operationNames(has) {
		fmt.Fprintf(&page, "| `%s` |", operation)
		for _, release := range releases {
			cell := "–"
			if has[release.Version][operation] {
				cell = coverageCell(seen, release.Version, operation)
			}
			page.WriteString(" " + cell + " |")
		}
		page.WriteString("\n")
	}
	return page.String()
}

func operationNames(has map[string]map[string]bool) []string {
	names := make(map[string]bool)
	for _, operations := range has {
		maps.Copy(names, operations)
	}
	return slices.Sorted(maps.Keys(names))
}

func coverageCell(seen map[string]map[string]map[string]string, version, operation string) string {
	cell := ""
	for _, driver := range drivers {
		switch seen[driver.name][version][operation] {
		case wasAnswered:
			cell += driver.letter
		case wasRefused:
			cell += strings.ToLower(driver.letter)
		}
	}
	return cell
}

// probes is one request for each operation of any release.
var probes = []struct{ method, path string }{
	{"GET", "/"},
	{"GET", "/v2"},
	{"GET", "/v2/device_profiles"},
	{"GET", "/v2/device_profiles/x"},
	{"POST", "/v2/device_profiles"},
	{"DELETE", "/v2/device_profiles/x"},
	{"GET", "/v2/accelerator_requests"},
	{"GET", "/v2/accelerator_requests/x"},
	{"POST", "/v2/accelerator_requests"},
	{"PATCH", "/v2/accelerator_requests"},
	{"DELETE", "/v2/accelerator_requests/x"},
	{"GET", "/v2/devices"},
	{"GET", "/v2/devices/x"},
	{"POST", "/v2/devices/x/enable"},
	{"POST", "/v2/devices/x/disable"},
	{"GET", "/v2/deployables"},
	{"GET", "/v2/deployables/x"},
	{"PATCH", "/v2/deployables/x/program"},
	{"GET", "/v2/attributes"},
	{"GET", "/v2/attributes/x"},
	{"POST", "/v2/attributes"},
	{"DELETE", "/v2/attributes/x"},
}

// operationsByVersion asks a fake of each release which operations it has.
func operationsByVersion(t *testing.T) map[string]map[string]bool {
	t.Helper()
	has := make(map[string]map[string]bool)
	for _, release := range fakecyborg.Releases() {
		server, err := fakecyborg.New(fakecyborg.WithRelease(release))
		require.NoError(t, err)
		c := rawClient{server: server}
		for _, probe := range probes {
			c.call(t, probe.method, probe.path, "")
		}
		has[release.Version] = make(map[string]bool)
		for _, entry := range server.Journal().Entries(journal.Filter{}.Match) {
			if entry.Operation != "" {
				has[release.Version][entry.Operation] = true
			}
		}
		server.Close()
	}
	return has
}

// The committed page is what the committed runs make, and every operation that anybody drove is in it.
func TestCoverageTable(t *testing.T) {
	t.Parallel()
	has := operationsByVersion(t)
	for _, driver := range drivers {
		for version, operations := range readDriven(t, driver.name) {
			for operation := range operations {
				assert.True(t, has[version][operation], "%s drove %s of %s, which no probe finds", driver.name, operation, version)
			}
		}
	}
	page := coverageTable(t)
	if *update {
		require.NoError(t, os.WriteFile(coveragePage, []byte(page), 0o600))
	}
	committed, err := os.ReadFile(coveragePage)
	require.NoError(t, err)
	assert.Empty(t, cmp.Diff(string(committed), page), "go test ./functional -run TestCoverageTable -update writes it anew")
}

const coverageHead = `# Who has driven what

Every operation of the API, every version of Cyborg that the fake plays, and who has asked for it there. A capital letter: at least
one such request was carried out. A small letter: all were errors, as some are meant to be. "–": the version has no such
operation. An empty cell: nobody but the fake's own tests, which are not in this table.

The table is made from the fake's journals of these runs. These write it anew; without ` + "`-update`" + ` the same tests fail where it is wrong:

` + "```text" + `
go test ./functional -run 'TestTempest|TestAccelerator|TestDriven' -update
go test ./functional -run TestCoverageTable -update
` + "```" + `

| letter | who |
|---|---|
`
