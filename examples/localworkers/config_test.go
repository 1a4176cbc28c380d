package main

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

func TestFlags(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		args string // divided by |
		want string
	}{
		{"no state", "-start|x", "-state is missing"},
		{"no start", "-state|d", "-start is missing"},
		{"empty start", "-state|d|-start| ", "empty command"},
		{"bad template", "-state|d|-start|x {{.VM", "unclosed action"},
		{"unknown value", "-state|d|-start|x {{.Colour}}", "can't evaluate field Colour"},
		{"bad limit", "-state|d|-start|x|-max|vms", `"vms" is not NAME=AMOUNT`},
		{"negative limit", "-state|d|-start|x|-max|vms=-1", `"vms=-1" is not NAME=AMOUNT`},
		{"bad variable", "-state|d|-start|x|-env|A", `"A" is not KEY=VALUE`},
		{"negative delay", "-state|d|-start|x|-boot-delay|-1s", "-boot-delay -1s is negative"},
		{"argument", "-state|d|-start|x|y", `unexpected argument "y"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := parseFlags(strings.Split(test.args, "|"), io.Discard)
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	v := valuesOf(elasticpool.ServerSpec{
		VM: "01J", Queue: "a b; rm -rf *", Class: elasticpool.Class{Takes: elasticpool.Resources{"memory_mb": 2000, "fpgas": 1}, Extra: map[string]string{"k": "v"}},
	})
	for _, test := range []struct {
		name, line string
		want       []string
	}{
		{"plain", " up.sh  worker\t{{.VM}} ", []string{"up.sh", "worker", "01J"}},
		{"values are not divided", "x {{.Queue}}", []string{"x", "a b; rm -rf *"}},
		{"blanks in an action", `x --{{ if eq .VM "01J" }}yes{{ else }}no{{ end }}-{{ .CPUs }} z`, []string{"x", "--yes-1", "z"}},
		{"sizes of what it takes", "x {{.CPUs}} {{.MemoryMB}} {{.GPUs}} {{.FPGAs}}", []string{"x", "1", "2000", "0", "1"}},
		{"extra", "x {{.Extra.k}}", []string{"x", "v"}},
		{"braces", "x {a} }}", []string{"x", "{a}", "}}"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var c command
			require.NoError(t, c.set(test.line))
			got, err := c.fill(v)
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
	var c command
	require.NoError(t, c.set("x {{.Extra.nothing}}"))
	_, err := c.fill(v)
	require.ErrorContains(t, err, `map has no entry for key "nothing"`)
}

func FuzzCommand(f *testing.F) {
	f.Add("up.sh {{.VM}} {{ printf \"%d\" .CPUs }}")
	f.Add("{{}} }} {{")
	f.Fuzz(func(t *testing.T, line string) {
		var c command
		if strings.Contains(line, "{{") || c.set(line) != nil {
			return // what templates do is their own matter
		}
		got, err := c.fill(values{})
		require.NoError(t, err)
		assert.Equal(t, strings.Fields(line), got)
	})
}
