package lifecycle

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/placement"
)

func TestParseRecordIsStrict(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(sampleRecord())
	require.NoError(t, err)
	good := string(text)
	for _, test := range []struct {
		name, text, want string
	}{
		{"nothing", ``, "read the record: byte 0: unexpected end of JSON input"},
		{"null", `null`, "read the record: the record has version 0, this program knows version 1"},
		{"a list", `[]`, "read the record: byte 1: json: cannot unmarshal array"},
		{"no version", `{}`, "version 0"},
		{"an older version", `{"version":0}`, "read the record: the record has version 0, this program knows version 1"},
		{
			"a newer version, whatever is in it", `{"version":2,"state":"dreaming","shape":{}}`,
			"read the record: the record has version 2, this program knows version 1: a newer program wrote it",
		},
		{"half of it", good[:len(good)/2], "byte " + strconv.Itoa(len(good)/2) + ": unexpected end of JSON input"},
		{"two", good + good, "byte " + strconv.Itoa(len(good)+1) + ": invalid character '{' after top-level value"},
		{"text behind it", good + "x", "after top-level value"},
		{"an unknown key", strings.Replace(good, `"state"`, `"colour":1,"state"`, 1), `unknown field "colour"`},
		{"an unknown key deep inside", strings.Replace(good, `"source"`, `"sauce":1,"source"`, 1), `unknown field "sauce"`},
		{"a key that stands twice", strings.Replace(good, `"state"`, `"state":"none","state"`, 1), `the key "state" stands twice`},
		{"twice, deep inside", strings.Replace(good, `"arqs"`, `"arqs":[],"arqs"`, 1), `the key "arqs" stands twice`},
		{"a wrong type", strings.Replace(good, `"host":"cn1"`, `"host":5`, 1), "now.host"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := ParseRecord([]byte(test.text))
			require.ErrorContains(t, err, test.want)
			assert.Empty(t, sameRecord(Record{}, got))
		})
	}
	_, err = ParseRecord([]byte("\n " + good + "\n"))
	require.NoError(t, err)
}

// Each of these would have an operation free, or keep, what it must not.
func TestCheckRefusesWhatNoOperationMakes(t *testing.T) {
	t.Parallel()
	other := (&draw{ids: 100}).id()
	for _, test := range []struct {
		name  string
		spoil func(*Record)
		want  string
	}{
		{"another version", func(r *Record) { r.Version = 0 }, "the record has version 0"},
		{"an uuid in capitals", func(r *Record) { r.Consumer.UUID = "ABCDEF00-0000-4000-8000-000000000001" }, "write it as abcdef00-"},
		{"the claim of another", func(r *Record) { r.Claim.Consumer.UUID = other }, "belongs to another consumer"},
		{"a claim that gives", func(r *Record) { r.Claim.Allocations = map[string]map[string]int64{"rp": {"PGPU": -1}} }, "claim.allocations: provider rp has -1 of PGPU"},
		{"no state", func(r *Record) { r.State = "" }, `state: "" is not known`},
		{"moved from nowhere", func(r *Record) { r.State, r.Was = StateMoved, StateActive }, "before: "},
		{"moved and active", func(r *Record) { r.Before = &Holding{} }, "before: "},
		{"moved, and was nothing", func(r *Record) { r.State, r.Before = StateMoved, &Holding{} }, `was: "" does not fit`},
		{"moved, and was shelved", func(r *Record) { r.State, r.Before, r.Was = StateMoved, &Holding{}, StateShelved }, `was: "shelved" does not fit`},
		{"active, and was stopped", func(r *Record) { r.Was = StateStopped }, `was: "stopped" does not fit`},
		{"nothing, with ARQs", func(r *Record) { r.State = StateNone }, "now: an instance that is none has nothing"},
		{"offloaded, and on a host", func(r *Record) { r.State, r.Now.Sets = StateOffloaded, nil }, "now: an instance that is offloaded"},
		{"offloaded, with ARQs", func(r *Record) { r.State, r.Now.Host, r.Now.Allocations = StateOffloaded, "", nil }, "now: an instance that is offloaded"},
		{"unknown source", func(r *Record) { r.Now.Sets[0].Source = "luck" }, `now.sets[0].source: "luck" is not known`},
		{"a flavor's set of somebody", func(r *Record) { r.Now.Sets[0].Owner = "x" }, `now.sets[0].owner: "x" does not fit`},
		{"attached to the flavor", func(r *Record) { r.Now.Sets[2].Owner = "" }, `now.sets[2].owner: "" does not fit`},
		{"two sets of one owner", func(r *Record) { r.Now.Sets[2].Source, r.Now.Sets[2].Owner = SourcePort, r.Now.Sets[1].Owner }, "now.sets: two have the owner"},
		{"a port that is not there", func(r *Record) { r.Now.Spec.Ports = nil }, "now.sets[1].owner: there is no port"},
		{"an ARQ twice", func(r *Record) { r.Now.Sets[0].ARQs = append(r.Now.Sets[0].ARQs, r.Now.Sets[2].ARQs...) }, "stands twice"},
		{"an ARQ without uuid", func(r *Record) { r.Now.Sets[1].ARQs[0].UUID = "" }, `now.sets[1].arqs[0]: uuid ""`},
		{"a group below all", func(r *Record) { r.Now.Sets[1].ARQs[0].Group = -1 }, "now.sets[1].arqs[0].group: -1"},
		{"sets beyond the holding", func(r *Record) {
			r.Now.Sets[0].Allocations = map[string]map[string]int64{"rp": {"PGPU": 2, "VCPU": 1}}
		}, "now.allocations: the sets have more than the holding, by map[rp:map[VCPU:1]]"},
		{"a broken holding before", func(r *Record) {
			r.State, r.Was, r.Before = StateMoved, StateActive, &Holding{Sets: []Set{{Source: "luck"}}}
		}, "before.sets[0].source"},
		{"a broken holding next", func(r *Record) { r.Operation = &Operation{Op: OpStop, Next: &Holding{Sets: []Set{{}}}} }, "operation.next.sets[0].source"},
		{"unknown operation", func(r *Record) { r.Operation = &Operation{Op: "dance"} }, `operation.op: "dance" is not known`},
		{"unknown task", func(r *Record) { r.Pending = []Task{{Kind: TaskStrays}, {Kind: "sing"}} }, `pending[1].kind: "sing" is not known`},
		{"all deleted of an active one", func(r *Record) { r.Pending = []Task{{Kind: TaskDeleteAll}} }, `pending[0].kind: "delete all" is for an instance that is deleted`},
		{"an ARQ deleted that it has", func(r *Record) {
			r.Operation = &Operation{Op: OpMigrate, Undo: []Task{{Kind: TaskDeleteARQs, ARQs: []string{other, r.ARQs()[0]}}}}
		}, "operation.undo[0].arqs: it deletes ARQ"},
		{"a claim given up that it needs", func(r *Record) {
			r.Operation = &Operation{Op: OpConfirm, Todo: []Task{{Kind: TaskAllocate, Keep: map[string]map[string]int64{"rp": {"PGPU": 1}}}}}
		}, "operation.todo[0].keep: it lacks what the instance has, map[rp:map[PGPU:1]]"},
		{"a claim given up that it may go back to", func(r *Record) {
			r.State, r.Was, r.Before = StateMoved, StateActive, &Holding{Allocations: map[string]map[string]int64{"old": {"PGPU": 1}}}
			r.Pending = []Task{{Kind: TaskAllocate, Keep: r.Now.Allocations}}
		}, "pending[0].keep: it lacks what the instance has, map[old:map[PGPU:1]]"},
		{"a task with a name for a uuid", func(r *Record) { r.Pending = []Task{{Kind: TaskUnbindARQs, ARQs: []string{"a1"}}} }, `pending[0].arqs[0]: uuid "a1"`},
		{"known amounts below zero", func(r *Record) {
			r.Pending = []Task{{Kind: TaskAllocate, Keep: r.Now.Allocations, Known: []map[string]map[string]int64{{"rp": {"PGPU": -2}}}}}
		}, "pending[0].known: provider rp has -2 of PGPU"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := sampleRecord()
			require.NoError(t, r.check())
			test.spoil(&r)
			require.ErrorContains(t, r.check(), test.want)
			text, err := json.Marshal(r)
			require.NoError(t, err)
			_, err = ParseRecord(text)
			require.ErrorContains(t, err, test.want)
		})
	}
}

// The lists of what is known have every constant of the package.
func TestEveryConstantIsKnown(t *testing.T) {
	t.Parallel()
	known := map[string][]string{
		"State": asStrings(knownStates), "Op": asStrings(knownOps), "TaskKind": asStrings(knownTasks), "Source": asStrings(knownSources),
	}
	declared := map[string][]string{}
	for _, file := range []string{"state.go", "task.go", "record.go"} {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		for spec := range ast.Preorder(parsed) {
			value, ok := spec.(*ast.ValueSpec)
			if !ok || len(value.Values) != 1 {
				continue
			}
			name, typed := value.Type.(*ast.Ident)
			literal, plain := value.Values[0].(*ast.BasicLit)
			if typed && plain && known[name.Name] != nil {
				text, err := strconv.Unquote(literal.Value)
				require.NoError(t, err)
				declared[name.Name] = append(declared[name.Name], text)
			}
		}
	}
	for name, list := range known {
		assert.ElementsMatch(t, declared[name], list, name)
	}
}

func asStrings[T ~string](list []T) []string {
	texts := make([]string, len(list))
	for i, entry := range list {
		texts[i] = string(entry)
	}
	return texts
}

func TestOperationsRefuseABrokenRecord(t *testing.T) {
	t.Parallel()
	m := &Manager{}
	newer := sampleRecord()
	newer.Version = 2
	moved := sampleRecord()
	moved.State, moved.Was = StateMoved, StateActive
	for _, test := range []struct {
		name, want string
		run        func() error
	}{
		{"delete", "delete instance " + newer.Instance() + " on cn1: the record has version 2", func() error { return m.Delete(t.Context(), newer) }},
		{"resume", "resume instance " + newer.Instance() + " on cn1: the record has version 2", func() error {
			_, err := m.Resume(t.Context(), newer)
			return err
		}},
		{"revert", "revert instance " + moved.Instance() + " on cn1: before: ", func() error {
			_, err := m.Revert(t.Context(), moved)
			return err
		}},
		{"create", `uuid "x"`, func() error {
			_, err := m.Create(t.Context(), CreateRequest{Consumer: placement.Consumer{UUID: "x"}})
			return err
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			require.ErrorContains(t, test.run(), test.want)
		})
	}
}

func FuzzParseRecord(f *testing.F) {
	full := sampleRecord()
	full.Operation = &Operation{Op: OpStop, Undo: []Task{{Kind: TaskRestoreGuest}}, Next: &full.Now}
	moved := sampleRecord()
	moved.State, moved.Was, moved.Before = StateMoved, StateActive, &Holding{Host: "cn2"}
	for _, record := range []Record{full, moved, {Version: RecordVersion, Consumer: full.Consumer, State: StateNone}} {
		text, err := json.Marshal(record)
		require.NoError(f, err)
		f.Add(text)
	}
	f.Add([]byte(`{"version":2}`))
	f.Add([]byte(`{"version":1,"now":{"spec":{"hints":[[[[]]]]}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		record, err := ParseRecord(text)
		if err != nil {
			require.Empty(t, sameRecord(Record{}, record))
			return
		}
		again, err := json.Marshal(record)
		require.NoError(t, err)
		same, err := ParseRecord(again)
		require.NoError(t, err)
		require.Empty(t, sameRecord(record, same))
	})
}
