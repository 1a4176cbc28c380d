package condor

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// rule is what the stand-in for HTCondor's tools prints for a call.
type rule struct {
	Tool    string   // base name; empty: any
	With    []string // texts that the arguments must have
	Once    bool     // only the first time
	Out     string
	OutFile string // of testdata
	Err     string
	Exit    int
	Hang    bool // it sleeps, with a child that holds its output
	Die     bool // it kills itself after Out
	Jobs    int  // so many ads of jobs instead of Out
}

// recordedCall is one run of a stand-in.
type recordedCall struct {
	Args  []string // the tool's base name first
	Stdin string
}

const fakeDir = "CONDOR_FAKE_DIR"

// TestMain is the test binary's second life as HTCondor's tools: so the tests run real processes.
func TestMain(m *testing.M) {
	if dir := os.Getenv(fakeDir); dir != "" {
		os.Exit(fakeTool(dir, os.Args[1:]))
	}
	os.Exit(m.Run())
}

func fakeTool(dir string, argv []string) int {
	if argv[0] == "sleep" {
		time.Sleep(20 * time.Second)
		return 0
	}
	argv[0] = filepath.Base(argv[0])
	text, err := os.ReadFile(filepath.Join(dir, "rules"))
	var rules []rule
	if err == nil {
		err = json.Unmarshal(text, &rules)
	}
	stdin, _ := io.ReadAll(os.Stdin)
	line, _ := json.Marshal(recordedCall{Args: argv, Stdin: string(stdin)})
	log, logErr := os.OpenFile(filepath.Join(dir, "calls"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil || logErr != nil {
		fmt.Fprintln(os.Stderr, "Error: fake:", err, logErr)
		return 99
	}
	_, _ = log.Write(append(line, '\n'))
	for i, r := range rules {
		if !r.matches(argv) {
			continue
		}
		if r.Once {
			used, err := os.OpenFile(filepath.Join(dir, fmt.Sprint("used", i)), os.O_CREATE|os.O_EXCL, 0o600)
			if err != nil {
				continue
			}
			_ = used.Close()
		}
		return r.play(dir)
	}
	return 0 // HTCondor's empty answer
}

func (r rule) matches(argv []string) bool {
	joined := strings.Join(argv[1:], " ")
	return (r.Tool == "" || r.Tool == argv[0]) && !slices.ContainsFunc(r.With, func(text string) bool { return !strings.Contains(joined, text) })
}

func (r rule) play(dir string) int {
	fmt.Fprint(os.Stderr, r.Err)
	out := bufio.NewWriter(os.Stdout)
	fmt.Fprint(out, r.Out)
	if r.OutFile != "" {
		text, err := os.ReadFile(filepath.Join(dir, "testdata", r.OutFile))
		if err != nil {
			return 98
		}
		_, _ = out.Write(text)
	}
	writeJobs(out, r.Jobs)
	_ = out.Flush()
	if r.Hang {
		self, _ := os.Executable()
		child, err := os.StartProcess(self, []string{self, "sleep"}, &os.ProcAttr{Files: []*os.File{nil, os.Stdout, nil}})
		if err == nil {
			_, _ = child.Wait()
		}
	}
	if r.Die {
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill()
		time.Sleep(10 * time.Second)
	}
	return r.Exit
}

// writeJobs writes ads of jobs as condor_q -json prints them without -attributes: 2.4 kB each.
func writeJobs(out io.Writer, n int) {
	if n == 0 {
		return
	}
	padding := strings.Repeat("x", 2200)
	separator := "[\n"
	for i := range n {
		fmt.Fprintf(out, `%s{
  "AcctGroup": "group_q%d", "ClusterId": %d, "ProcId": %d, "JobStatus": %d, "JobUniverse": 5, "MinHosts": 1, "QDate": %d,
  "RequestCpus": %d, "RequestMemory": 2048, "RequestDisk": 1048576, "Environment": %q
}
`, separator, i%10, i/1000, i%1000, 1+i%2, 1796000000+i, 1+i%4, padding)
		separator = ",\n"
	}
	fmt.Fprint(out, "]\n")
}

// fake is a folder of rules and recorded calls.
type fake struct {
	dir string
}

func newFake(t testing.TB, rules ...rule) fake {
	t.Helper()
	f := fake{dir: t.TempDir()}
	text, err := json.Marshal(rules)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(f.dir, "rules"), text, 0o600))
	here, err := filepath.Abs("testdata")
	require.NoError(t, err)
	require.NoError(t, os.Symlink(here, filepath.Join(f.dir, "testdata")))
	return f
}

// pool returns a pool whose tools are the stand-in.
func (f fake) pool(t testing.TB, change func(*Config)) *Pool {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	config := Config{
		Command: []string{"/usr/bin/env", fakeDir + "=" + f.dir, self}, Schedds: []string{"central.realstack"}, Prefix: "group_",
		Timeout: elasticpool.Duration(30 * time.Second),
	}
	if change != nil {
		change(&config)
	}
	p, err := New(config)
	require.NoError(t, err)
	return p
}

// calls returns what was run, in order.
func (f fake) calls(t testing.TB) []recordedCall {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(f.dir, "calls"))
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	var calls []recordedCall
	for line := range strings.Lines(string(text)) {
		var c recordedCall
		require.NoError(t, json.Unmarshal([]byte(line), &c))
		calls = append(calls, c)
	}
	return calls
}

// tools returns the names of the tools that were run.
func (f fake) tools(t testing.TB) []string {
	t.Helper()
	var names []string
	for _, c := range f.calls(t) {
		names = append(names, c.Args[0])
	}
	return names
}
