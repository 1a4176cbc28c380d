package fault_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg/fault"
)

func TestParse(t *testing.T) {
	t.Parallel()
	want := []fault.Rule{
		{Operation: "arq:update", Instance: instance, First: 2, Fault: fault.Status{Code: 503, RetryAfter: 3, After: 1500 * time.Millisecond}},
		{Name: "n", Operation: fault.Event, Scope: "s", Sequence: []fault.Fault{fault.Pass{}, fault.EventEarly{When: fault.BeforeBind}}},
		{Operation: "arq:create", Nth: 2, Fault: fault.DropAfter{Reset: true}},
	}
	for _, test := range []struct{ name, text string }{
		{name: "yaml", text: `
- operation: arq:update
  instance: ` + instance + `
  first: 2
  fault: {kind: status, code: 503, retry_after: 3, after: 1.5s}
- {name: n, operation: event, scope: s, sequence: [pass, {kind: event_early, when: before_bind}]}
- operation: arq:create
  nth: 2
  fault: {reset: true, kind: drop_after}
`},
		{name: "json", text: `[{"operation": "arq:update", "instance": "` + instance + `", "first": 2, "fault": {"kind": "status", "code": 503, "retry_after": 3, "after": "1500ms"}},
{"name": "n", "operation": "event", "scope": "s", "sequence": [{"kind": "pass"}, {"kind": "event_early", "when": "before_bind"}]},
{"operation": "arq:create", "nth": 2, "fault": {"kind": "drop_after", "reset": true}}]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := fault.Parse("f", []byte(test.text))
			require.NoError(t, err)
			assert.Empty(t, cmp.Diff(want, got))
			text, err := json.Marshal(got)
			require.NoError(t, err)
			again, err := fault.Parse("f", text)
			require.NoError(t, err)
			assert.Empty(t, cmp.Diff(want, again), "what is written can be read")
		})
	}
}

// What only a set can find wrong has its place in the text too.
func TestAddText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{name: "one rule", text: "operation: bind\nfirst: -1\nfault: stuck\n", want: `f:2: first: unusable value "-1", want 0 or more`},
		{name: "list", text: "- {operation: bind, fault: stuck}\n- operation: bind\n  fault: stuck\n  nth: -1\n", want: `f:4: [1].nth: unusable value "-1", want 0 or more`},
		{name: "missing key", text: "- operation: bind\n  scope: s\n", want: `f:1: [0].fault: contradiction: want either fault or sequence`},
		{name: "in a sequence", text: "operation: event\nsequence:\n  - pass\n  - stuck\n", want: `f:4: sequence[1]: the fault cannot happen there: stuck is for bind and program, not for event`},
		{name: "syntax", text: "[", want: `f:1: not a rule: did not find expected node content`},
		{name: "nothing", text: "[]", want: `f: not a rule: it is empty`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			set := fault.NewSet("arq:update")
			_, err := set.AddText("f", []byte(test.text))
			require.EqualError(t, err, test.want)
			assert.True(t, set.Empty())
		})
	}
	set := fault.NewSet("arq:update")
	added, err := set.AddText("f", []byte("{operation: bind, fault: stuck}"))
	require.NoError(t, err)
	assert.Equal(t, "fault-1", added[0].Name)
}

func TestParseOneOrNone(t *testing.T) {
	t.Parallel()
	one, err := fault.Parse("f", []byte(`{"operation": "bind", "fault": "stuck"}`))
	require.NoError(t, err)
	assert.Empty(t, cmp.Diff([]fault.Rule{{Operation: fault.Bind, Fault: fault.Stuck{}}}, one))
	for _, empty := range []string{"", "# nothing\n", "null", "[]"} {
		none, err := fault.Parse("f", []byte(empty))
		require.NoError(t, err)
		assert.Empty(t, none, empty)
	}
}

func TestParseErrorsNameThePlace(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text, want string
		is               error
	}{
		{name: "no list", text: "a", want: `f:1: not a rule: want a list of rules, got "a"`, is: fault.ErrSyntax},
		{name: "unknown key", text: "- operation: bind\n  fault: stuck\n  probability: 0.5\n", want: `f:3: [0].probability: not a rule: unknown key "probability", known are name, operation, scope, arq, host, instance, first, nth, fault, sequence`, is: fault.ErrSyntax},
		{name: "twice", text: "- first: 1\n  first: 2\n", want: `f:2: [0].first: not a rule: the key is there twice`, is: fault.ErrSyntax},
		{name: "first of none", text: "- operation: bind\n  first: 0\n  fault: stuck\n", want: `f:2: [0].first: unusable value: want 1 or more, or leave it out to hit all that matches, got "0"`, is: fault.ErrValue},
		{name: "nth of none", text: `{"nth": 0}`, want: `f:1: nth: unusable value: want 1 or more, or leave it out to hit all that matches, got "0"`, is: fault.ErrValue},
		{name: "form", text: "{operation: x, fault: {kind: status, code: 503, form: html}}", want: `f:1: fault.form: unusable value "html", known are controller, conductor, routing, lock, keystone, gateway`, is: fault.ErrValue},
		{name: "no number", text: "- first: many\n", want: `f:1: [0].first: unusable value: want a whole number, got "many"`, is: fault.ErrValue},
		{name: "unknown kind", text: "- fault: {kind: explode}\n", want: `f:1: [0].fault.kind: unknown kind of fault: "explode", known are ` + strings.Join(fault.Kinds(), ", "), is: fault.ErrUnknownKind},
		{name: "no kind", text: "- fault: {code: 503}\n", want: `f:1: [0].fault.kind: unknown kind of fault: "", known are ` + strings.Join(fault.Kinds(), ", "), is: fault.ErrUnknownKind},
		{name: "unknown parameter", text: "- fault:\n    kind: status\n    status: 503\n", want: `f:3: [0].fault.status: not a rule: unknown key "status", known are code, text, form, retry_after, after, after_effect`, is: fault.ErrSyntax},
		{name: "bad parameter", text: "- fault:\n    kind: status\n    code: 200\n", want: `f:2: [0].fault.code: unusable value "200", want 400 to 599`, is: fault.ErrValue},
		{name: "no time", text: "- fault: {kind: latency, for: 2}\n", want: `f:1: [0].fault.for: unusable value: want a time such as "2s", got "2"`, is: fault.ErrValue},
		{name: "no flag", text: "- fault: {kind: drop_after, reset: yes}\n", want: `f:1: [0].fault.reset: unusable value: want true or false, got "yes"`, is: fault.ErrValue},
		{name: "empty sequence", text: "- sequence: []\n", want: `f:1: [0].sequence: not a rule: want a list of faults, got a list`, is: fault.ErrSyntax},
		{name: "null", text: "- fault: ~\n", want: `f:1: [0].fault: not a rule: want keys and values, got nothing`, is: fault.ErrSyntax},
		{name: "no yaml", text: "- a: [\n", is: fault.ErrSyntax},
		{name: "two documents", text: "[]\n---\n[]\n", want: `f:2: not a rule: a second document`, is: fault.ErrSyntax},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := fault.Parse("f", []byte(test.text))
			require.ErrorIs(t, err, test.is)
			if test.want != "" {
				assert.EqualError(t, err, test.want)
			}
		})
	}
}

// TestParametersHaveTypesThatParseKnows keeps new faults readable from files.
func TestParametersHaveTypesThatParseKnows(t *testing.T) {
	t.Parallel()
	values := map[string]string{"string": "before_bound", "int": "404", "bool": "true", "Duration": "2s"}
	for _, kind := range fault.Kinds() {
		require.NotNil(t, fault.Parameters(kind), kind)
		text := "fault: {kind: " + kind
		empty, err := fault.Parse("f", []byte("{operation: x, "+text+", "+defaults[kind]+"}}"))
		require.NoError(t, err, kind)
		of := reflect.TypeOf(empty[0].Fault)
		assert.Equal(t, kind, empty[0].Fault.Kind())
		parts := []string{text}
		for field := range of.Fields() {
			name := field.Tag.Get("json")
			value := values[field.Type.Name()]
			if field.Type.Kind() == reflect.String {
				value = values["string"]
			}
			require.NotEmpty(t, value, "%s.%s has a type that no text can have", kind, name)
			if name == "form" {
				value = "gateway"
			}
			parts = append(parts, name+": "+value)
		}
		text = strings.Join(parts, ", ")
		rules, err := fault.Parse("f", []byte("{operation: x, "+text+"}}"))
		require.NoError(t, err, text)
		written, err := json.Marshal(rules)
		require.NoError(t, err)
		for _, name := range fault.Parameters(kind) {
			assert.Contains(t, string(written), `"`+name+`":`, kind)
		}
	}
	assert.Nil(t, fault.Parameters("explode"))
}

// defaults are the parameters that faults cannot do without.
var defaults = map[string]string{
	"status": "code: 404", "latency": "for: 1s", "late": "after: 1s", "fails": "after: 1s", "event_delay": "for: 1s",
}

// FuzzParse reads anything: an error has a place, and what is taken can be
// written and read again.
func FuzzParse(f *testing.F) {
	f.Add("- {operation: \"arq:update\", first: 2, fault: {kind: status, code: 503}}")
	f.Add(`[{"operation": "event", "sequence": ["pass", {"kind": "event_tag", "tag": "x"}]}]`)
	f.Add("&a [*a]")
	f.Add("- fault: {kind: latency, for: -1s}\n? [a]\n: b")
	f.Fuzz(func(t *testing.T, text string) {
		rules, err := fault.Parse("f", []byte(text))
		if err != nil {
			assert.Regexp(t, `^f:[1-9][0-9]*: `, err.Error())
			return
		}
		written, err := json.Marshal(rules)
		require.NoError(t, err)
		again, err := fault.Parse("f", written)
		require.NoError(t, err, "%s", written)
		if len(rules) > 0 {
			assert.Empty(t, cmp.Diff(rules, again))
		}
	})
}
