package novacyborg_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// run says which scripts run the fenced blocks of a kind, on the pages named; without any on all. "" as script: the blocks hold no
// commands.
type runBlocks struct {
	kind, by string
	pages    []string
}

var blocksThatRun = []runBlocks{
	{kind: "sh", by: ".ci/docs.sh"},
	{kind: "go", by: ".ci/docs.sh"},
	{kind: "bash", by: ".ci/recipes.sh", pages: []string{"docs/ci.md"}},
	{kind: "bash", by: "cmd/fakecyborg/page_test.go", pages: []string{"docs/fake-auth.md"}},
	{kind: "python", by: ".ci/recipes.sh", pages: []string{"docs/ci.md"}},
	{kind: "go client", by: ".ci/recipes.sh", pages: []string{"docs/ci.md"}},
	{kind: "go test", by: "functional/pages_go_test.go", pages: []string{"docs/ci.md", "docs/fake-auth.md", "docs/faults.md"}},
	{kind: "yaml", by: ".ci/recipes.py", pages: []string{"docs/ci.md"}},
	{kind: "yaml", pages: []string{"docs/fake-auth.md", "docs/faults.md"}},
	{kind: "json"},
}

// commandsElsewhere are blocks of text with commands in them. Each command is run by the file named, which has all the words listed,
// or is not run, for the reason given.
var commandsElsewhere = []struct{ page, begins, by, words, reason string }{
	{page: "README.md", begins: "$ go run ./examples/boot", by: "recording_test.go", words: "./examples/boot"},
	{page: "docs/compute-tooling.md", begins: "go mod init try", by: ".ci/docs.sh", words: "go mod init|go mod edit -require|go mod tidy|go run ."},
	{
		page: "docs/operator.md", begins: "openstack flavor create", by: "functional/novastories", words: "accel:device_profile",
		reason: "the command is Nova's, and there is none beside the fake; the stories make such flavors in a real one by HTTP",
	},
	{
		page: "docs/reconcile.md", begins: "go build -o reconcile", by: "docs/operator.md", words: "./examples/reconcile -records",
		reason: "operator.md has the same against the fake; clouds.yaml is examples/reconcile's own test",
	},
	{
		page: "docs/fake-coverage.md", begins: "go test ./functional", by: ".ci/race.sh", words: "./...",
		reason: "they write into the checkout; without -update the same tests are in the race stage, and fail where the table is wrong",
	},
	{
		page: "docs/differences.md", begins: "go test ./functional/differential", by: ".ci/race.sh", words: "./...",
		reason: "it writes into the checkout; without the flag the same test is in the race stage, and fails where the page is wrong",
	},
	{page: "docs/performance.md", begins: "REALSTACK_STAGE=1", reason: "figures of a machine without other work; the same program, without the real peers and in short, is the page's first block"},
	{page: "docs/performance.md", begins: "go run ./cmd/elasticpool simulate", reason: "minutes; docs/elasticpool.md runs a shorter one"},
	{page: "docs/elasticpool.md", begins: "export ELASTICPOOL_CONFIG", by: "cmd/elasticpool/testdata/script", words: "elasticpool run|elasticpool plan|elasticpool status|elasticpool explain|elasticpool drain|elasticpool freeze|elasticpool thaw|elasticpool quota"},
	{page: "docs/fake-auth.md", begins: "fakecyborg -seed recorded", by: "cmd/fakecyborg/testdata/script", words: "-seed recorded -auth tokens -tokens recorded"},
	{page: "docs/fake-auth.md", begins: "fakecyborg -auth keystone", by: ".ci/realstack.sh", words: "-auth keystone -keystone"},
	{page: "examples/localworkers/README.md", begins: "localworkers -state", by: "functional/pool", words: "functional/condor|-start"},
	{page: "functional/condor/README.md", begins: "./bootstrap.sh", by: ".ci/htcondor.sh", words: "functional/condor/bootstrap.sh|functional/condor/down.sh|./functional/condor"},
	{page: "functional/realstack/README.md", begins: "./bootstrap.sh DIR", by: ".ci/realstack.sh", words: "cloud bootstrap.sh|cloud up.sh|cloud down.sh|openrc|cloud libvirt.sh"},
	{page: "functional/realstack/README.md", begins: "export OS_CLIENT_CONFIG_FILE", by: ".ci/realstack.sh", words: "OS_CLIENT_CONFIG_FILE=|NOVACYBORG_CYBORG_CLOUD=admin|NOVACYBORG_KEYSTONE_URL=|TestRealKeystone|TestSuiteWithARealCyborg|TestLibvirt"},
	{page: "functional/realstack/README.md", begins: "./down.sh DIR cyborg-agent", by: ".ci/realstack.sh", words: "cloud down.sh cyborg-agent|prove ./functional/differential TestCyborgDifferential"},
	{page: "functional/realstack/README.md", begins: "export NOVACYBORG_CYBORG_OF_NOVA", by: ".ci/realstack.sh", words: "NOVACYBORG_CYBORG_OF_NOVA=|fake-cards.yaml|-no-chunked-bodies|REALSTACK_NOVA_CYBORG_URL=|TestRealEvents|TestNovaStories"},
	{page: "functional/realstack/README.md", begins: "fakecyborg -listen", by: ".ci/realstack.sh", words: "-listen|cloud tempest.sh"},
}

// TestEveryCommandInDocsIsRun: a fenced block of a document is run by CI, holds no commands, or is listed above with who runs
// its commands or why nobody does.
func TestEveryCommandInDocsIsRun(t *testing.T) {
	t.Parallel()
	listed := make([]bool, len(commandsElsewhere))
	for _, page := range documents(t) {
		content, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, block := range fencedBlocks(string(content)) {
			if runs(page, block.kind) || !hasCommand(block.text) && (block.kind == "text" || block.kind == "") {
				continue
			}
			assert.Contains(t, []string{"text", ""}, block.kind, "%s:%d: nobody runs blocks of this kind", page, block.line)
			explained := false
			for i, e := range commandsElsewhere {
				if e.page == page && strings.HasPrefix(block.text, e.begins) {
					listed[i], explained = true, true
				}
			}
			assert.True(t, explained, "%s:%d: run these commands in CI, by a block marked sh, or list them in commands_test.go", page, block.line)
		}
	}
	for i, e := range commandsElsewhere {
		assert.True(t, listed[i], "%s has no block that begins with %q any more", e.page, e.begins)
	}
}

// TestCommandsElsewhereAreThere: who is said to run commands has them.
func TestCommandsElsewhereAreThere(t *testing.T) {
	t.Parallel()
	for _, e := range commandsElsewhere {
		t.Run(e.page+" "+e.begins, func(t *testing.T) {
			t.Parallel()
			require.NotEmpty(t, e.by+e.reason)
			if e.by == "" {
				return
			}
			text := readAll(t, e.by)
			require.NotEmpty(t, e.words)
			for word := range strings.SplitSeq(e.words, "|") {
				assert.Contains(t, text, word, e.by)
			}
		})
	}
	for _, r := range blocksThatRun {
		if r.by == "" {
			continue
		}
		text := readAll(t, r.by)
		for _, page := range r.pages {
			assert.Contains(t, text, strings.TrimSuffix(strings.TrimPrefix(page, "docs/"), ".md"), "%s runs the blocks of %s", r.by, page)
		}
	}
}

// TestCommandsAreSeen: what is taken for a command.
func TestCommandsAreSeen(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"go test ./...\n":                       true,
		"$ openstack server list\n":             true,
		"A=1 B=$(x) ./up.sh\n":                  true,
		"what\n  follows\nnice go build\n":      true,
		"user_data: |\n  #cloud-config\n":       false,
		"flavor -> groups\n   |\n   v\n":        false,
		"fakecyborg \\   drawn\n":               false,
		"going on is not go\nexports are not\n": false,
	} {
		assert.Equal(t, want, hasCommand(text), text)
	}
	blocks := fencedBlocks("x\n```sh\na\n```\ny\n```\nb\nc\n```\n")
	assert.Equal(t, []fenced{{line: 2, kind: "sh", text: "a\n"}, {line: 6, text: "b\nc\n"}}, blocks)
}

// fenced is a block between lines of three backticks.
type fenced struct {
	line       int
	kind, text string
}

func fencedBlocks(page string) []fenced {
	var blocks []fenced
	open, number := false, 0
	for line := range strings.Lines(page) {
		number++
		mark, fence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case fence && !open:
			blocks = append(blocks, fenced{line: number, kind: mark})
			open = true
		case fence:
			open = false
		case open:
			blocks[len(blocks)-1].text += line
		}
	}
	return blocks
}

func runs(page, kind string) bool {
	for _, r := range blocksThatRun {
		if r.kind != kind {
			continue
		}
		if r.pages == nil || slices.Contains(r.pages, page) {
			return true
		}
	}
	return false
}

var command = regexp.MustCompile(`(?m)^\s*(\$ )?([A-Z_]+=\S* )*(nice .*)?((fakecyborg|elasticpool|localworkers) [-a-z]+|go|curl|openstack|export|make|bash|sh|docker|git|apt-get|python3|cd|sudo|\.|\.{1,2}/\S+|virsh|condor_\w+)( |$)`)

func hasCommand(text string) bool { return command.MatchString(text) }

// readAll returns a file, or all files of a folder.
func readAll(t *testing.T, path string) string {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	files := []string{path}
	if info.IsDir() {
		files, err = filepath.Glob(filepath.Join(path, "*.*"))
		require.NoError(t, err)
	}
	var text strings.Builder
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		text.Write(content)
	}
	return text.String()
}
