package lifecycle

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/requestspec"
)

func TestSnapshotHash(t *testing.T) {
	t.Parallel()
	hash := func(groups ...requestspec.ProfileGroup) string {
		s, err := snapshot(&cyborgclient.DeviceProfile{Groups: groups})
		require.NoError(t, err)
		return s.Hash
	}
	one := requestspec.GroupOf(map[string]string{"resources:PGPU": "1"})
	two := requestspec.GroupOf(map[string]string{"resources:PGPU": "2"})
	again := requestspec.GroupOf(map[string]string{"resources:PGPU": "1"})
	assert.Equal(t, hash(one, two), hash(again, two))
	assert.NotEqual(t, hash(one, two), hash(two, one), "the index of a group is part of its requester id")
	assert.NotEqual(t, hash(one), hash(two))
	assert.Len(t, hash(one), 64)
}

// draw makes records as operations make them: ids that differ, and a state, holdings and tasks that fit together.
type draw struct {
	*rapid.T

	ids int
}

func (d *draw) id() string {
	d.ids++
	return fmt.Sprintf("%08x-0000-4000-8000-%012x", d.ids, d.ids)
}

func (d *draw) yes(label string) bool { return rapid.Bool().Draw(d.T, label) }

func (d *draw) text(label string) string { return rapid.String().Draw(d.T, label) }

func (d *draw) time(label string) time.Time {
	return time.Unix(rapid.Int64Range(0, 1<<33).Draw(d.T, label), rapid.Int64Range(0, 1e9-1).Draw(d.T, label)).UTC()
}

func (d *draw) amounts(label string) map[string]map[string]int64 {
	return rapid.MapOfN(rapid.StringMatching(`rp[0-3]`),
		rapid.MapOfN(rapid.StringMatching(`[A-Z_]{1,9}`), rapid.Int64Range(1, 1<<40), 1, 3), 0, 3).Draw(d.T, label)
}

func (d *draw) groups() []requestspec.ProfileGroup {
	value := rapid.OneOf(rapid.Just[any](nil), rapid.Just[any](true), rapid.Just[any](json.Number("12345678901234567890.5")),
		rapid.Map(rapid.String(), func(s string) any { return s }))
	key := func(p requestspec.Property) string { return p.Key }
	property := rapid.Custom(func(t *rapid.T) requestspec.Property {
		return requestspec.Property{Key: rapid.String().Draw(t, "key"), Value: value.Draw(t, "value")}
	})
	group := rapid.Map(rapid.SliceOfNDistinct(property, 0, 4, key), func(p []requestspec.Property) requestspec.ProfileGroup { return p })
	return rapid.SliceOfN(group, 0, 3).Draw(d.T, "groups")
}

func (d *draw) set(source Source, owner string) Set {
	set := Set{Source: source, Owner: owner, Profile: ProfileSnapshot{
		UUID: d.id(), Name: d.text("profile"), Groups: d.groups(), Hash: d.text("hash"),
	}}
	for range rapid.IntRange(0, 3).Draw(d.T, "arqs") {
		arq := BoundARQ{UUID: d.id(), Group: rapid.IntRange(0, 3).Draw(d.T, "group")}
		if d.yes("matched") {
			arq.Provider = d.id()
		}
		set.ARQs = append(set.ARQs, arq)
	}
	if d.yes("claimed") {
		set.Allocations = d.amounts("set")
	}
	return set
}

func (d *draw) holding() Holding {
	h := Holding{Host: d.text("host"), Root: d.id(), Domain: d.text("domain"), Allocations: d.amounts("own")}
	h.Spec.Flavor = requestspec.Flavor{
		Name: d.text("flavor"), VCPUs: rapid.IntRange(0, 64).Draw(d.T, "vcpus"),
		ExtraSpecs: rapid.MapOf(rapid.String(), rapid.String()).Draw(d.T, "extra specs"),
	}
	if d.yes("with hints") {
		h.Spec.Hints = map[string]any{"group": d.text("hint")}
	}
	for _, owner := range []struct {
		source Source
		name   string
	}{{SourceFlavor, ""}, {SourceRequest, "-request"}, {SourcePort, d.id()}, {SourceGiven, "-given-0"}, {SourceAttached, "-attached-1"}} {
		if owner.source == SourcePort {
			h.Spec.Ports = append(h.Spec.Ports, requestspec.Port{ID: owner.name, VNICType: "accelerator-direct", DeviceProfile: d.text("port's")})
			h.Interfaces = map[string]Interface{owner.name: {MAC: d.text("mac"), VLAN: 7}}
		}
		if d.yes(string(owner.source)) {
			set := d.set(owner.source, owner.name)
			h.Sets, h.Allocations = append(h.Sets, set), addAllocations(h.Allocations, set.Allocations)
		}
	}
	return h
}

func (d *draw) tasks(r Record) []Task {
	keep := r.Now.Allocations
	if r.Before != nil {
		keep = addAllocations(keep, r.Before.Allocations)
	}
	var tasks []Task
	for _, kind := range rapid.SliceOfN(rapid.SampledFrom(knownTasks), 0, 5).Draw(d.T, "tasks") {
		task := Task{Kind: kind, Step: StepID(rapid.IntRange(1, 12).Draw(d.T, "step")), Failure: d.text("failure")}
		switch kind {
		case TaskAllocate:
			task.Keep = addAllocations(keep, d.amounts("more"))
			task.Known = append(task.Known, d.amounts("known"))
		case TaskDeleteAll:
			if r.State != StateNone {
				continue
			}
		case TaskDeleteARQs, TaskUnbindARQs, TaskDetach:
			task.ARQs = []string{d.id(), d.id()}
		case TaskStrays:
			task.Profile, task.Since = d.text("stray"), d.time("since")
		default:
			task.Host = d.text("task's host")
		}
		tasks = append(tasks, task)
	}
	return tasks
}

func (d *draw) record() Record {
	r := Record{
		Version: RecordVersion, State: rapid.SampledFrom(knownStates).Draw(d.T, "state"),
		Consumer: placement.Consumer{UUID: d.id(), ProjectID: d.text("project"), UserID: d.text("user")},
		Rescue:   d.text("rescue"), Left: rapid.SliceOfN(rapid.String(), 0, 2).Draw(d.T, "left"),
	}
	r.Claim = placement.Claim{Consumer: r.Consumer, Generation: rapid.Int64Range(0, 9).Draw(d.T, "generation"), Allocations: d.amounts("claim")}
	switch r.State {
	case StateNone:
	case StateOffloaded:
		r.Now = d.holding().unplaced()
	case StateMoved:
		before := d.holding()
		r.Now, r.Before, r.Was = d.holding(), &before, rapid.SampledFrom(placed).Draw(d.T, "was")
	default:
		r.Now = d.holding()
	}
	r.Pending = d.tasks(r)
	if d.yes("in progress") {
		next := d.holding()
		r.Operation = &Operation{
			Op: rapid.SampledFrom(knownOps).Draw(d.T, "op"), Started: d.time("started"), Step: StepBind, Committed: d.yes("committed"),
			Undo: d.tasks(r), Todo: d.tasks(r), Next: &next,
		}
	}
	return r
}

// anyRecord draws a record that an operation can make.
var anyRecord = rapid.Custom(func(t *rapid.T) Record { return (&draw{T: t}).record() })

func sameRecord(a, b Record) string { return cmp.Diff(a, b, cmpopts.EquateEmpty()) }

func TestRecordSurvivesJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := anyRecord.Draw(t, "record")
		text, err := json.Marshal(want)
		require.NoError(t, err)
		got, err := ParseRecord(text)
		require.NoError(t, err, "%s", text)
		assert.Empty(t, sameRecord(want, got))
	})
}

// A clone shares nothing with its original that operations change in place.
func TestCloneStaysAsItWas(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		record := anyRecord.Draw(t, "record")
		before, err := json.Marshal(record)
		require.NoError(t, err)
		kept := record.clone()
		for _, h := range []*Holding{&record.Now, record.Before} {
			if h == nil {
				continue
			}
			for i := range h.Sets {
				for j := range h.Sets[i].ARQs {
					h.Sets[i].ARQs[j].UUID = "changed"
				}
				h.Sets[i].Profile.Name, h.Sets[i].ARQs = "changed", nil
			}
			h.Host = "changed"
		}
		for i := range record.Pending {
			record.Pending[i].Failure = "changed"
		}
		for i := range record.Left {
			record.Left[i] = "changed"
		}
		if o := record.Operation; o != nil {
			o.Op, o.Next.Host = "changed", "changed"
			for i := range o.Undo {
				o.Undo[i].Host = "changed"
			}
		}
		after, err := json.Marshal(kept)
		require.NoError(t, err)
		assert.Equal(t, string(before), string(after))
	})
}

func TestHolds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		record Record
		want   bool
	}{
		{"nothing", Record{State: StateNone}, false},
		{"an instance", Record{State: StateStopped}, true},
		{"an operation", Record{State: StateNone, Operation: &Operation{Op: OpCreate}}, true},
		{"a remainder", Record{State: StateNone, Pending: []Task{{Kind: TaskStrays}}}, true},
		{"a guest on a host that failed", Record{State: StateNone, Left: []string{"cn1"}}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, test.record.Holds())
		})
	}
}

// sampleRecord is a record with a bit of everything.
func sampleRecord() Record {
	d := &draw{}
	consumer := placement.Consumer{UUID: d.id(), ProjectID: "p", UserID: "u"}
	port, amounts := d.id(), map[string]map[string]int64{"rp": {"PGPU": 2}}
	now := Holding{Host: "cn1", Allocations: amounts, Sets: []Set{
		{Source: SourceFlavor, Profile: ProfileSnapshot{Name: "gpu"}, ARQs: []BoundARQ{{UUID: d.id(), Provider: "rp"}}, Allocations: map[string]map[string]int64{"rp": {"PGPU": 1}}},
		{Source: SourcePort, Owner: port, ARQs: []BoundARQ{{UUID: d.id(), Provider: "rp"}}},
		{Source: SourceGiven, Owner: "-given-0", ARQs: []BoundARQ{{UUID: d.id(), Provider: "rp"}}},
	}}
	now.Spec.Ports = []requestspec.Port{{ID: port, VNICType: "accelerator-direct"}}
	return Record{
		Version: RecordVersion, Consumer: consumer, State: StateActive, Now: now,
		Claim: placement.Claim{Consumer: consumer, Generation: 1, Allocations: amounts},
	}
}

func TestRecordNamesItsARQs(t *testing.T) {
	t.Parallel()
	r := sampleRecord()
	sets := r.Now.Sets
	assert.Equal(t, []string{sets[0].ARQs[0].UUID, sets[1].ARQs[0].UUID, sets[2].ARQs[0].UUID}, r.ARQs())
	assert.Equal(t, map[string]string{sets[1].Owner: sets[1].ARQs[0].UUID}, r.PortARQs())
	assert.Equal(t, r.ARQs()[:2], created(sets))
	assert.Equal(t, r.ARQs()[2:], given(sets))
}

// What is on no host yet keeps what others gave it, and nothing else.
func TestUnplaced(t *testing.T) {
	t.Parallel()
	r := sampleRecord()
	h := r.Now.unplaced()
	assert.Empty(t, h.Host+h.Root)
	assert.Empty(t, h.Allocations)
	assert.Empty(t, created(h.Sets))
	assert.Equal(t, map[string]string{r.ARQs()[2]: ""}, h.providers())
	assert.Equal(t, "rp", r.Now.Sets[2].ARQs[0].Provider, "the original stays as it is")
}

func TestAllocationSums(t *testing.T) {
	t.Parallel()
	amounts := rapid.MapOf(rapid.StringMatching(`[ab]`), rapid.MapOfN(rapid.StringMatching(`[CD]`), rapid.Int64Range(1, 5), 1, 2))
	rapid.Check(t, func(t *rapid.T) {
		a, b := amounts.Draw(t, "a"), amounts.Draw(t, "b")
		sum := addAllocations(a, b)
		assert.True(t, equalAllocations(sum, addAllocations(b, a)))
		assert.True(t, equalAllocations(a, subtractAllocations(sum, b)), "%v and %v", a, b)
		assert.Empty(t, subtractAllocations(a, sum))
	})
	assert.True(t, equalAllocations(nil, subtractAllocations(nil, nil)))
}

// The JSON form is what records on disk have: a change of it needs another version.
func TestRecordJSONForm(t *testing.T) {
	t.Parallel()
	r := sampleRecord()
	r.Now.Sets = r.Now.Sets[:1]
	r.Operation = &Operation{Op: OpDetach, Started: time.Unix(0, 0).UTC(), Step: StepDevices, Undo: []Task{{Kind: TaskAttach, Step: StepDevices}}}
	text, err := json.MarshalIndent(r, "", " ")
	require.NoError(t, err)
	for _, want := range []string{
		`"version": 1,`, `"state": "active",`, `"source": "flavor",`, `"group": 0,`,
		`"op": "detach",`, `"started": "1970-01-01T00:00:00Z",`, `"step": 10,`, `"kind": "attach",`,
	} {
		assert.Contains(t, string(text), want)
	}
	assert.Equal(t, 1, strings.Count(string(text), "undo"))
}
