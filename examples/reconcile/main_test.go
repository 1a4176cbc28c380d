package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/lifecycle"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/placement/placementtest"
	"github.com/novacyborg/novacyborg/requestspec"
)

// program runs the program.
func program(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, faults bytes.Buffer
	code = run(t.Context(), args, &out, &faults)
	return code, out.String(), faults.String()
}

// reported is the program's JSON.
func reported(t *testing.T, args ...string) (int, report) {
	t.Helper()
	code, out, faults := program(t, append(args, "-json")...)
	require.Empty(t, faults)
	var r report
	require.NoError(t, json.Unmarshal([]byte(out), &r), out)
	return code, r
}

func kinds(findings []lifecycle.Finding) []lifecycle.FindingKind {
	found := []lifecycle.FindingKind{}
	for _, f := range findings {
		found = append(found, f.Kind)
	}
	return found
}

var trouble = []lifecycle.FindingKind{
	lifecycle.FindingStray, lifecycle.FindingInterrupted, lifecycle.FindingOrphan, lifecycle.FindingIdle, lifecycle.FindingUnallocated,
	lifecycle.FindingNotBound, lifecycle.FindingForeign,
}

func TestBuiltInCloud(t *testing.T) {
	t.Parallel()
	code, r := reported(t)
	assert.Equal(t, wrong, code)
	assert.Equal(t, trouble, kinds(r.Findings))
	assert.Empty(t, r.Repaired)

	code, out, faults := program(t)
	assert.Equal(t, wrong, code)
	assert.Empty(t, faults)
	assert.Regexp(t, `^KIND +INSTANCE +ARQ +PROVIDER +HOST +WHY +REPAIR\n`, out)
	assert.Regexp(t, `(?m)^stray +- +[0-9a-f-]{36} +- +- +it is Initial, of device profile gpu, and nobody has bound it for 1h0m\d*s +delete it$`, out)
	assert.Regexp(t, `(?m)^foreign .* it may be Nova's +-$`, out)
}

func TestBuiltInCloudIsRepaired(t *testing.T) {
	t.Parallel()
	code, r := reported(t, "-repair")
	assert.Equal(t, allWell, code)
	assert.Equal(t, trouble, kinds(r.Findings))
	require.Len(t, r.Repaired, len(trouble))
	for _, o := range r.Repaired {
		assert.Empty(t, o.Error)
		assert.Equal(t, o.Finding.Kind == lifecycle.FindingForeign, o.Left != "", "%+v", o)
	}
	assert.Equal(t, []lifecycle.FindingKind{lifecycle.FindingForeign}, kinds(r.Remaining))

	code, out, _ := program(t, "-repair")
	assert.Equal(t, allWell, code)
	assert.Regexp(t, `(?m)^orphan +ARQ [0-9a-f-]{36}  repaired$`, out)
	assert.Regexp(t, `(?m)^foreign +ARQ [0-9a-f-]{36}  left: it is for people to decide$`, out)
	assert.Contains(t, out, "\nafterwards\n\nKIND ")
}

func TestGraceOfTheBuiltInCloud(t *testing.T) {
	t.Parallel()
	_, r := reported(t, "-grace", "2h")
	assert.NotContains(t, kinds(r.Findings), lifecycle.FindingStray)
	assert.NotContains(t, kinds(r.Findings), lifecycle.FindingInterrupted)
}

// served is a cloud with listening services and a directory of records.
type served struct {
	dir    string
	args   []string
	cyborg *cyborgclient.Client
	record lifecycle.Record
}

func serve(t *testing.T) *served {
	t.Helper()
	places := placementtest.Start(t)
	client, err := placement.New(t.Context(), placement.WithEndpoint(places.URL()), placement.WithToken("admin"))
	require.NoError(t, err)
	fake := fakecyborg.Start(t, fakecyborg.WithPlacement(client), fakecyborg.WithSeedYAML("seed.yaml", seed))
	s := &served{dir: t.TempDir()}
	s.args = []string{"-records", s.dir, "-cyborg", fake.URL() + "/v2", "-placement", places.URL()}
	s.cyborg, err = cyborgclient.New(t.Context(), cyborgclient.WithEndpoint(fake.URL()+"/v2"))
	require.NoError(t, err)
	store, err := lifecycle.NewFileStore(s.dir)
	require.NoError(t, err)
	manager, err := lifecycle.New(client, s.cyborg, lifecycle.WithStore(store))
	require.NoError(t, err)
	created, err := manager.Create(t.Context(), lifecycle.CreateRequest{
		Consumer: placement.Consumer{UUID: uuid.NewString(), ProjectID: "demo", UserID: "demo"}, Spec: requestspec.Input{Flavor: flavor()},
		Domain: []byte("<domain type='kvm'><name>guest</name><devices></devices></domain>"),
	})
	require.NoError(t, err)
	require.NoError(t, store.Close())
	s.record = created.Record
	return s
}

func TestServices(t *testing.T) {
	t.Parallel()
	s := serve(t)
	code, out, faults := program(t, s.args...)
	assert.Equal(t, allWell, code, faults)
	assert.Equal(t, "nothing is wrong\n", out)

	require.NoError(t, s.cyborg.Unbind(t.Context(), s.record.ARQs()...))
	code, r := reported(t, append(s.args, "-repair")...)
	assert.Equal(t, wrong, code)
	assert.Equal(t, []lifecycle.FindingKind{lifecycle.FindingNotBound}, kinds(r.Remaining))
	assert.Contains(t, r.Repaired[0].Left, "see -guests")

	code, out, faults = program(t, append(s.args, "-repair", "-guests")...)
	assert.Equal(t, allWell, code, faults)
	assert.Regexp(t, `(?m)^not bound +ARQ `+s.record.ARQs()[0]+`  repaired\n<domain `, out)
	assert.Contains(t, out, "<hostdev")
	code, _, _ = program(t, s.args...)
	assert.Equal(t, allWell, code)
}

func TestGoneAndPrepared(t *testing.T) {
	t.Parallel()
	s := serve(t)
	arqs, err := s.cyborg.CreateARQs(t.Context(), "gpu")
	require.NoError(t, err)
	deployables, err := s.cyborg.Deployables(t.Context(), cyborgclient.DeployableFilter{})
	require.NoError(t, err)
	gone := uuid.NewString()
	require.NoError(t, s.cyborg.Bind(t.Context(), []cyborgclient.Binding{{
		ARQ: arqs[0].UUID, Hostname: "cn1", DeviceRP: deployables[5].RPUUID, Instance: gone,
	}}))
	code, r := reported(t, append(s.args, "-repair")...)
	assert.Equal(t, wrong, code)
	assert.Equal(t, []lifecycle.FindingKind{lifecycle.FindingUnallocated}, kinds(r.Remaining), "it may be Nova's, but Placement offers its device")

	list := filepath.Join(t.TempDir(), "gone")
	require.NoError(t, os.WriteFile(list, []byte("# deleted\n\n"+gone+"\n"), 0o600))
	code, r = reported(t, append(s.args, "-gone", list)...)
	assert.Equal(t, wrong, code)
	assert.Equal(t, []lifecycle.FindingKind{lifecycle.FindingOrphan}, kinds(r.Findings))
	assert.Equal(t, "delete it", r.Findings[0].Repair)

	prepared := filepath.Join(t.TempDir(), "prepared")
	require.NoError(t, os.WriteFile(prepared, []byte(arqs[0].UUID), 0o600))
	code, r = reported(t, append(s.args, "-gone", list, "-prepared", prepared, "-repair")...)
	assert.Equal(t, allWell, code)
	assert.Empty(t, r.Remaining)
	arq, err := s.cyborg.ARQ(t.Context(), arqs[0].UUID)
	require.NoError(t, err)
	assert.Equal(t, cyborgclient.StateUnbound, arq.State)
}

func TestIncompleteList(t *testing.T) {
	t.Parallel()
	s := serve(t)
	_, err := s.cyborg.DeleteARQs(t.Context(), s.record.ARQs()...)
	require.NoError(t, err)
	code, out, faults := program(t, append(s.args, "-repair", "-guests")...)
	assert.Equal(t, noAnswer, code)
	assert.Empty(t, out)
	assert.Regexp(t, `^reconcile: the list of ARQs may be incomplete: it lacks ARQ `+s.record.ARQs()[0]+`.* say so by -all-projects\n$`, faults)
	code, _, faults = program(t, append(s.args, "-repair", "-guests", "-all-projects")...)
	assert.Equal(t, allWell, code, faults)
}

func TestHelpNamesEveryFlagAndCode(t *testing.T) {
	t.Parallel()
	code, out, _ := program(t, "-h")
	assert.Equal(t, allWell, code)
	for _, word := range []string{
		"-records directory", "-cloud name", "-service-cloud", "-cyborg URL", "-placement URL", "-gone file", "-prepared file", "-grace duration",
		"-all-projects", "-repair", "-guests", "-json", "OS_TOKEN", "OS_SERVICE_TOKEN", "0 nothing is wrong, 1 something is, 2 bad input",
		"foreign may be Nova's and do not count", "stop such guests before the run",
	} {
		assert.Contains(t, out, word)
	}
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	bad := filepath.Join(t.TempDir(), "bad")
	require.NoError(t, os.WriteFile(bad, []byte("# one\nx\n"), 0o600))
	held := t.TempDir()
	store, err := lifecycle.NewFileStore(held)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	services := []string{"-cyborg", "http://127.0.0.1:1/v2", "-placement", "http://127.0.0.1:1"}
	for _, test := range []struct {
		name, want string
		args       []string
	}{
		{"unknown flag", "flag provided but not defined: -x; -h lists the flags", []string{"-x"}},
		{"argument", `unexpected argument "dir"`, []string{"dir"}},
		{"guests without repair", "-guests goes with -repair", []string{"-guests"}},
		{"service without cloud", "-service-cloud goes with -cloud", []string{"-service-cloud", "nova"}},
		{"no records", "-records is missing", []string{"-cloud", "admin"}},
		{"list without records", "-records is missing", []string{"-gone", bad}},
		{"no services", "-records needs -cloud, or both", []string{"-records", "."}},
		{"one service", "-records needs -cloud, or both", []string{"-records", ".", "-cyborg", "http://127.0.0.1:1"}},
		{"cloud and URL", "-cloud goes with neither", []string{"-records", ".", "-cloud", "a", "-cyborg", "http://127.0.0.1:1"}},
		{"no directory", "no such file or directory", append(services, "-records", "nowhere")},
		{"no list", "no such file or directory", append(services, "-records", ".", "-gone", "nowhere")},
		{"no uuid", bad + `:2: "x" is no uuid`, append(services, "-records", ".", "-prepared", bad)},
		{"records in use", "in use by another process", append(services, "-records", held)},
		{"nobody answers", "127.0.0.1:1", append(services, "-records", t.TempDir())},
		{"negative grace", "must not be negative", []string{"-grace", "-1s"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			code, out, faults := program(t, test.args...)
			assert.Equal(t, noAnswer, code)
			assert.Empty(t, out)
			assert.Regexp(t, `^reconcile: `, faults)
			assert.NotContains(t, faults, "reconcile: reconcile: ")
			assert.Contains(t, faults, test.want)
		})
	}
}
