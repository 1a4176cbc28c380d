package classad

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// truths are the four outcomes of a condition, in the order of the tables below.
var truths = []string{"true", "false", "undefined", "error"}

func TestLogic(t *testing.T) {
	t.Parallel()
	for op, table := range map[string][4][4]string{
		"&&": {
			{"true", "false", "undefined", "error"},
			{"false", "false", "false", "false"},
			{"undefined", "false", "undefined", "error"},
			{"error", "error", "error", "error"},
		},
		"||": {
			{"true", "true", "true", "true"},
			{"true", "false", "undefined", "error"},
			{"true", "undefined", "undefined", "error"},
			{"error", "error", "error", "error"},
		},
		"=?=": {
			{"true", "false", "false", "false"},
			{"false", "true", "false", "false"},
			{"false", "false", "true", "false"},
			{"false", "false", "false", "true"},
		},
		"==": {
			{"true", "false", "undefined", "error"},
			{"false", "true", "undefined", "error"},
			{"undefined", "undefined", "undefined", "error"},
			{"error", "error", "error", "error"},
		},
	} {
		for i, left := range truths {
			for j, right := range truths {
				text := left + " " + op + " " + right
				assert.Equal(t, table[i][j], evaluated(text, Ad{}, Ad{}), text)
			}
		}
	}
}

// TestTruth shows which values meet a constraint.
func TestTruth(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		value Value
		want  bool
	}{
		{Bool(true), true},
		{Bool(false), false},
		{Int(2), true},
		{Int(0), false},
		{Int(-1), true},
		{Real(0.5), true},
		{Real(0), false},
		{Text("true"), false},
		{Undefined(), false},
		{Failed(), false},
		{List(Bool(true)), false},
		{Nested(Ad{}), false},
	} {
		assert.Equal(t, tt.want, tt.value.IsTrue(), tt.value.String())
	}
}
