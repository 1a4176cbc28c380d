package condor

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// amounts is how many jobs of a queue wait for the same, run, or are held.
type amounts struct{ idle, hidden, running, held int }

func counted(groups []elasticpool.JobGroup) map[string]amounts {
	found := map[string]amounts{}
	for _, g := range groups {
		key := fmt.Sprintf("%s %d/%d/%d/%d", g.Queue, g.Request["cpus"], g.Request["memory_mb"], g.Request["gpus"], g.Request["fpgas"])
		a := found[key]
		found[key] = amounts{a.idle + g.Idle, a.hidden + g.Hidden, a.running + g.Running, a.held + g.Held}
	}
	return found
}

// TestQueuesOfTheCaptures reads every JSON form in which condor_q has printed jobs as a schedd's answer.
func TestQueuesOfTheCaptures(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		file string
		want map[string]amounts
	}{
		{file: "condor_q.json", want: map[string]amounts{
			"juno 1/512/0/0": {idle: 1, running: 2}, "lhaaso 1/1024/1/0": {running: 1}, "lhaaso 1/1024/0/1": {running: 1}, "lhaaso 1/1024/8/1": {idle: 1},
		}},
		{file: "condor_q_full_job.json", want: map[string]amounts{"lhaaso 1/1024/1/0": {running: 1}}},
		{file: "condor_history.json", want: map[string]amounts{}}, // they have ended
	} {
		t.Run(test.file, func(t *testing.T) {
			t.Parallel()
			groups, err := newFake(t, rule{With: []string{"-group-by"}, OutFile: test.file}).pool(t, nil).Jobs(t.Context())
			require.NoError(t, err)
			assert.Equal(t, test.want, counted(groups))
		})
	}
}

// TestOtherFormsAreNoQueue: what is not the asked form is an error. Groups by autocluster name neither queue nor state.
func TestOtherFormsAreNoQueue(t *testing.T) {
	t.Parallel()
	for _, file := range []string{
		"condor_q.long", "condor_q.xml", "condor_q_autocluster.json", "condor_q_autocluster.long", "condor_userprio.long", "condor_version.txt",
		"condor_status_schedd.json", "condor_status_negotiator.json",
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			p := newFake(t, rule{OutFile: file}).pool(t, nil)
			groups, err := p.Jobs(t.Context())
			require.ErrorIs(t, err, ErrOutput)
			assert.Nil(t, groups)
			_, err = p.Workers(t.Context())
			require.ErrorIs(t, err, ErrOutput)
		})
	}
}

// TestSubmitterAdsAreNoMeasure: the ads of submitters are late by the schedd's interval (trap 10). Nothing asks for them,
// and they are neither a queue nor workers.
func TestSubmitterAdsAreNoMeasure(t *testing.T) {
	t.Parallel()
	f := newFake(t, rule{OutFile: "condor_status_submitters.json"})
	p := f.pool(t, nil)
	_, err := p.Jobs(t.Context())
	require.ErrorIs(t, err, ErrOutput)
	_, err = p.Workers(t.Context())
	require.ErrorIs(t, err, ErrOutput)

	f = newFake(t, rule{With: []string{"-group-by"}, Out: oneGroup}, rule{Tool: "condor_status", OutFile: "workers.json"})
	p = f.pool(t, nil)
	_, err = p.Jobs(t.Context())
	require.NoError(t, err)
	_, err = p.Workers(t.Context())
	require.NoError(t, err)
	for _, c := range f.calls(t) {
		assert.NotContains(t, strings.ToLower(strings.Join(c.Args, " ")), "submitter")
	}
}

// TestFactoryOfTheCapture counts what a real factory keeps back: 500 jobs are asked for, of which it has made 7.
func TestFactoryOfTheCapture(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/condor_q_factory.json")
	require.NoError(t, err)
	var line string
	require.NoError(t, eachAd(strings.NewReader(string(text)), func(a ad) error {
		line = fmt.Sprintf(`0, %d, %d, undefined, undefined, undefined, %d, %d, undefined, undefined, undefined, "%s", "", ""`,
			a.integer("JobMaterializeLimit")-a.integer("JobMaterializeNextProcId"), a.integer("ClusterId"), a.integer("RequestCpus"), a.integer("RequestMemory"), a.text("AcctGroup"))
		return nil
	}))
	groups, err := newFake(t, rule{With: []string{"-factory"}, Out: line + "\n"}).pool(t, nil).Jobs(t.Context())
	require.NoError(t, err)
	assert.Equal(t, map[string]amounts{"lhaaso 1/256/0/0": {hidden: 493}}, counted(groups))
}

// TestValuesOfAutoformat reads the values that condor_q -af:V, printed of the jobs that wait in the grouped capture, with
// requests that it has computed (trap 2) and those that are absent (trap 3): both ways give the same.
func TestValuesOfAutoformat(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/condor_q_autoformat.txt")
	require.NoError(t, err)
	var lines strings.Builder
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSpace(line), separator)
		require.Len(t, f, 7) // AcctGroup, RequestCpus, RequestMemory, RequestGPUs, RequestFPGA, RequireGPUs, QDate
		fmt.Fprintln(&lines, strings.Join([]string{"1", f[6], "1", "0", "5", "1", f[1], f[2], "undefined", f[4], f[3], f[0], f[5], f[5]}, separator))
	}
	one, err := newFake(t, rule{With: []string{"-group-by"}, Err: "Error: unrecognized argument -group-by\n", Exit: 1},
		rule{With: []string{"-constraint " + inQueue + " -af"}, Out: lines.String()}).pool(t, nil).Jobs(t.Context())
	require.NoError(t, err)
	grouped, err := newFake(t, rule{With: []string{"-group-by"}, OutFile: "condor_q_groupby.json"}).pool(t, nil).Jobs(t.Context())
	require.NoError(t, err)
	want := counted(grouped)
	for key, a := range want {
		want[key] = amounts{idle: a.idle} // those that run were not printed
	}
	assert.Equal(t, want, counted(one))
}

// TestEveryCaptureIsRead: no recording lies about unread.
func TestEveryCaptureIsRead(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir("testdata")
	require.NoError(t, err)
	tests, err := os.ReadDir(".")
	require.NoError(t, err)
	var code strings.Builder
	for _, test := range tests {
		if strings.HasSuffix(test.Name(), "_test.go") {
			text, err := os.ReadFile(test.Name())
			require.NoError(t, err)
			code.Write(text)
		}
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			assert.Contains(t, code.String(), entry.Name()+`"`)
		}
	}
}
