package fault_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/fakecyborg/fault"
)

const (
	instance = "aaaaaaaa-0000-4000-8000-000000000001"
	arq      = "11111111-0000-4000-8000-000000000001"
)

func newSet(t testing.TB, rules ...fault.Rule) *fault.Set {
	t.Helper()
	set := fault.NewSet("arq:create", "arq:update", "arq:update")
	require.NoError(t, set.Add(rules...))
	return set
}

// hits asks n times and writes what happened: "x" for a hit, "." for none.
func hits(set *fault.Set, n int, subject fault.Subject) string {
	var out strings.Builder
	for range n {
		if _, met := set.Exchange(subject); met != nil {
			out.WriteByte('x')
		} else {
			out.WriteByte('.')
		}
	}
	return out.String()
}

func TestSelection(t *testing.T) {
	t.Parallel()
	status := fault.Status{Code: 503}
	update := fault.Subject{Operation: "arq:update"}
	for _, test := range []struct {
		name string
		rule fault.Rule
		want string
	}{
		{name: "all", rule: fault.Rule{Fault: status}, want: "xxxxx"},
		{name: "first two", rule: fault.Rule{Fault: status, First: 2}, want: "xx..."},
		{name: "third", rule: fault.Rule{Fault: status, Nth: 3}, want: "..x.."},
		{name: "sequence", rule: fault.Rule{Sequence: []fault.Fault{fault.Pass{}, status, fault.Pass{}, fault.Hang{}}}, want: ".x.x."},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.rule.Operation = "arq:update"
			set := newSet(t, test.rule)
			assert.Equal(t, test.want, hits(set, 5, update))
			assert.Equal(t, strings.Count(test.want, "x"), set.Hits("fault-1"))
			assert.Equal(t, 5, set.Counts()[0].Matches)
		})
	}
}

func TestWhatNarrowsARule(t *testing.T) {
	t.Parallel()
	subject := fault.Subject{Operation: "arq:update", Scope: "one", ARQs: []string{"other", arq}, Hosts: []string{"rack1"}, Instances: []string{instance}}
	for _, test := range []struct {
		name string
		rule fault.Rule
		want string
	}{
		{name: "nothing", want: "x"},
		{name: "any operation", rule: fault.Rule{Operation: fault.Any}, want: "x"},
		{name: "other operation", rule: fault.Rule{Operation: "arq:create"}, want: "."},
		{name: "scope", rule: fault.Rule{Scope: "one"}, want: "x"},
		{name: "other scope", rule: fault.Rule{Scope: "two"}, want: "."},
		{name: "request", rule: fault.Rule{ARQ: arq}, want: "x"},
		{name: "other request", rule: fault.Rule{ARQ: instance}, want: "."},
		{name: "host", rule: fault.Rule{Host: "rack1"}, want: "x"},
		{name: "other host", rule: fault.Rule{Host: "rack"}, want: "."},
		{name: "instance", rule: fault.Rule{Instance: instance}, want: "x"},
		{name: "other instance", rule: fault.Rule{Instance: arq}, want: "."},
		{name: "all at once", rule: fault.Rule{Scope: "one", ARQ: arq, Host: "rack1", Instance: instance}, want: "x"},
		{name: "all but one", rule: fault.Rule{Scope: "one", ARQ: arq, Host: "rack2", Instance: instance}, want: "."},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if test.rule.Operation == "" {
				test.rule.Operation = "arq:update"
			}
			test.rule.Fault = fault.Hang{}
			assert.Equal(t, test.want, hits(newSet(t, test.rule), 1, subject))
		})
	}
}

// TestRulesAreAQueue: the first rule that hits is the only one that counts.
func TestRulesAreAQueue(t *testing.T) {
	t.Parallel()
	set := newSet(t,
		fault.Rule{Name: "a", Operation: "arq:update", First: 1, Fault: fault.Status{Code: 503}},
		fault.Rule{Name: "b", Operation: "arq:update", First: 2, Fault: fault.DropAfter{}},
		fault.Rule{Name: "c", Operation: "arq:create", Fault: fault.Hang{}})
	var order []string
	for range 4 {
		hit, _ := set.Exchange(fault.Subject{Operation: "arq:update"})
		order = append(order, hit.Rule)
	}
	assert.Equal(t, []string{"a", "b", "b", ""}, order)
	assert.Zero(t, set.Hits("c"))
	assert.Zero(t, set.Hits("no such rule"))
}

// TestAnyIsTheAPIOnly: events and binds are not operations of the API.
func TestAnyIsTheAPIOnly(t *testing.T) {
	t.Parallel()
	set := newSet(t, fault.Rule{Operation: fault.Any, Fault: fault.Hang{}})
	for _, point := range []string{fault.Bind, fault.Program, fault.Event} {
		assert.Equal(t, ".", hits(set, 1, fault.Subject{Operation: point}), point)
	}
}

// TestEarlyAndOtherEvents: a rule counts an event once, at the moment at which its
// fault can happen.
func TestEarlyAndOtherEvents(t *testing.T) {
	t.Parallel()
	set := newSet(t, fault.Rule{Operation: fault.Event, Sequence: []fault.Fault{
		fault.Pass{}, fault.EventEarly{}, fault.EventDrop{}, fault.EventEarly{When: fault.BeforeBind},
	}})
	subject := fault.Subject{Operation: fault.Event}
	var got []string
	for range 5 {
		if _, early := set.EarlyEvent(subject, fault.BeforeBind); early != nil {
			got = append(got, "before bind")
			continue
		}
		if _, early := set.EarlyEvent(subject, fault.BeforeBound); early != nil {
			got = append(got, "before bound")
			continue
		}
		hit, _ := set.Event(subject)
		got = append(got, fmt.Sprintf("%T", hit.Fault))
	}
	assert.Equal(t, []string{"<nil>", "before bound", "fault.EventDrop", "before bind", "<nil>"}, got)
}

func TestBadRules(t *testing.T) {
	t.Parallel()
	status := fault.Status{Code: 503}
	for _, test := range []struct {
		name string
		rule fault.Rule
		is   error
		text string
	}{
		{
			name: "unknown operation", rule: fault.Rule{Operation: "arq:bind", Fault: status}, is: fault.ErrUnknownOperation,
			text: `[0].operation: unknown operation "arq:bind", known are arq:create, arq:update, bind, program, event and "*" for all of the API`,
		},
		{name: "no operation", rule: fault.Rule{Fault: status}, is: fault.ErrUnknownOperation},
		{name: "no fault", rule: fault.Rule{Operation: "arq:update"}, is: fault.ErrSelection, text: `[0].fault: contradiction: want either fault or sequence`},
		{name: "both", rule: fault.Rule{Operation: "arq:update", Fault: status, Sequence: []fault.Fault{status}}, is: fault.ErrSelection},
		{name: "first and nth", rule: fault.Rule{Operation: "arq:update", Fault: status, First: 1, Nth: 2}, is: fault.ErrSelection},
		{name: "first of a sequence", rule: fault.Rule{Operation: "arq:update", Sequence: []fault.Fault{status}, First: 1}, is: fault.ErrSelection},
		{name: "negative", rule: fault.Rule{Operation: "arq:update", Fault: status, First: -1}, is: fault.ErrValue},
		{
			name: "event fault at the API", rule: fault.Rule{Operation: "arq:update", Fault: fault.EventDrop{}}, is: fault.ErrPlace,
			text: `[0].fault: the fault cannot happen there: event_drop is for event, not for arq:update`,
		},
		{
			name: "bind fault at an event", rule: fault.Rule{Operation: fault.Event, Sequence: []fault.Fault{fault.Pass{}, fault.Stuck{}}}, is: fault.ErrPlace,
			text: `[0].sequence[1]: the fault cannot happen there: stuck is for bind and program, not for event`,
		},
		{name: "status that is none", rule: fault.Rule{Operation: "arq:update", Fault: fault.Status{Code: 202}}, is: fault.ErrValue, text: `[0].fault.code: unusable value "202", want 400 to 599`},
		{name: "latency of nothing", rule: fault.Rule{Operation: "arq:update", Fault: fault.Latency{}}, is: fault.ErrValue},
		{name: "hole in a sequence", rule: fault.Rule{Operation: "arq:update", Sequence: []fault.Fault{nil}}, is: fault.ErrUnknownKind},
		{name: "name that is no name", rule: fault.Rule{Name: "a/b", Operation: "arq:update", Fault: status}, is: fault.ErrName},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			set := fault.NewSet("arq:create", "arq:update")
			err := set.Add(test.rule, fault.Rule{Operation: "arq:update", Fault: status})
			require.ErrorIs(t, err, test.is)
			if test.text != "" {
				require.EqualError(t, err, test.text)
			}
			assert.True(t, set.Empty(), "all or none")
		})
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	rule := fault.Rule{Operation: "arq:update", Fault: fault.Hang{}}
	named := rule
	named.Name = "fault-2"
	set := newSet(t, rule, named, rule)
	var names []string
	for _, c := range set.Counts() {
		names = append(names, c.Name)
	}
	assert.Equal(t, []string{"fault-1", "fault-2", "fault-3"}, names)
	require.ErrorIs(t, set.Add(named), fault.ErrName)
	assert.True(t, set.Remove("fault-2"))
	assert.False(t, set.Remove("fault-2"))
	assert.NoError(t, set.Add(named))
}

func TestClearOfAScope(t *testing.T) {
	t.Parallel()
	set := newSet(t,
		fault.Rule{Operation: "arq:update", Scope: "one", Fault: fault.Hang{}},
		fault.Rule{Operation: "arq:update", Fault: fault.Hang{}})
	set.Clear("one")
	require.Len(t, set.Counts(), 1)
	set.Clear("")
	assert.True(t, set.Empty())
	assert.Equal(t, []string{"arq:create", "arq:update"}, set.Operations())
}

// TestSelectionIsExact compares the first n and the nth with counting by hand.
func TestSelectionIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rule := fault.Rule{Operation: "arq:update", Fault: fault.Hang{}}
		rule.First = rapid.IntRange(0, 4).Draw(t, "first")
		if rule.First == 0 {
			rule.Nth = rapid.IntRange(0, 4).Draw(t, "nth")
		}
		matches := rapid.SliceOfN(rapid.Bool(), 0, 12).Draw(t, "matches")
		set := fault.NewSet("arq:create", "arq:update")
		require.NoError(t, set.Add(rule))
		number := 0
		for _, matching := range matches {
			subject := fault.Subject{Operation: "arq:create"}
			if matching {
				subject.Operation = "arq:update"
				number++
			}
			_, met := set.Exchange(subject)
			want := matching && (rule.First == 0 || number <= rule.First) && (rule.Nth == 0 || number == rule.Nth)
			require.Equal(t, want, met != nil)
		}
	})
}

// A set is replaced as a whole: those who ask meanwhile meet the old rules or the
// new ones, and a rule of the same name is in nobody's way.
func TestReplace(t *testing.T) {
	t.Parallel()
	rule := func(host string) fault.Rule {
		return fault.Rule{Name: "same", Operation: fault.Bind, Host: host, Fault: fault.Stuck{}}
	}
	set := newSet(t, rule("a"))
	require.NoError(t, set.Replace(rule("b"), fault.Rule{Operation: "arq:update", Fault: fault.Hang{}}))
	require.ErrorIs(t, set.Replace(rule("c"), rule("d")), fault.ErrName)
	counts := set.Counts()
	require.Len(t, counts, 2, "what is refused changes nothing")
	assert.Equal(t, []string{"b", "fault-1"}, []string{counts[0].Host, counts[1].Name})

	var writers sync.WaitGroup
	for _, host := range []string{"a", "b"} {
		writers.Go(func() {
			for range 200 {
				err := set.Replace(rule(host))
				assert.Len(t, set.Counts(), 1)
				assert.NoError(t, err)
			}
		})
	}
	writers.Wait()
	require.NoError(t, set.Replace())
	assert.True(t, set.Empty())
}
