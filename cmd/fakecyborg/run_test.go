package main

import (
	"bytes"
	"flag"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is wrong with flags and variables is one line, and exit code 2.
func TestUsage(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name          string
		args, environ []string
		want          string
	}{
		{name: "misspelled flag", args: []string{"-plasement", "embedded"}, want: "flag provided but not defined: -plasement; did you mean -placement?"},
		{name: "flag like none", args: []string{"-color"}, want: "flag provided but not defined: -color"},
		{name: "no value", args: []string{"-seed"}, want: "flag needs an argument: -seed"},
		{name: "argument", args: []string{"seed.yaml"}, want: `unexpected argument "seed.yaml"`},
		{name: "bad value", args: []string{"-journal-entries", "x"}, want: `invalid value "x" for flag -journal-entries: parse error`},
		{name: "negative limit", args: []string{"-journal-bytes", "-1"}, want: "journal: limit of bytes is -1, want more than 0, or 0 for 67108864"},
		{name: "misspelled variable", environ: []string{"FAKECYBORG_RELEASES=train"}, want: "the environment has FAKECYBORG_RELEASES, which no flag has; did you mean FAKECYBORG_RELEASE?"},
		{name: "variable like none", environ: []string{"FAKECYBORG_COLOUR="}, want: "the environment has FAKECYBORG_COLOUR, which no flag has"},
		{name: "bad value of a variable", environ: []string{"FAKECYBORG_EXPOSE=maybe"}, want: `the environment has FAKECYBORG_EXPOSE="maybe": parse error`},
		{name: "log level", args: []string{"-log-level", "loud"}, want: `-log-level "loud": unknown, known are debug, info, warn, error`},
		{name: "log format", args: []string{"-log-format", "xml"}, want: `-log-format "xml": unknown, known are json, text`},
		{name: "clock", args: []string{"-clock", "noon"}, want: `-clock "noon": want a time such as 2026-01-02T03:04:05Z or a duration such as +24h`},
		{name: "two certificates", args: []string{"-tls-ca-file", "a", "-tls-cert", "b", "-tls-key", "c"}, want: "-tls-ca-file makes a certificate, -tls-cert brings one: take one of the two"},
		{name: "certificate without key", args: []string{"-tls-cert", "b"}, want: "-tls-cert and -tls-key need each other: give both"},
		{name: "names without certificate", args: []string{"-tls-names", "b"}, want: "-tls-names is about the certificate of -tls-ca-file: add that"},
		{name: "placement", args: []string{"-placement", "memory"}, want: `-placement "memory": want embedded, or an URL such as http://127.0.0.1:8778`},
		{name: "placement that is almost embedded", args: []string{"-placement", "embed"}, want: `-placement "embed": want embedded, or an URL such as http://127.0.0.1:8778`},
		{name: "placement with a socket", args: []string{"-placement", "unix:/run/placement.sock"}, want: `-placement "unix:/run/placement.sock": want embedded, or an URL such as http://127.0.0.1:8778`},
		{name: "token without placement", args: []string{"-placement-token", "x"}, want: "-placement-token is for the Placement at an URL: add -placement URL"},
		{name: "wait without placement", args: []string{"-placement-wait", "30s"}, want: "-placement-wait is for the Placement at an URL: add -placement URL"},
		{name: "wait for the embedded placement", args: []string{"-placement", "embedded"}, environ: []string{"FAKECYBORG_PLACEMENT_WAIT=3s"}, want: "-placement-wait is for the Placement at an URL: add -placement URL"},
		{name: "token life without mini Keystone", args: []string{"-token-life", "1h"}, want: "-token-life: add -auth mini-keystone"},
		{name: "clouds of a socket", args: []string{"-listen", "unix:s", "-auth", "mini-keystone", "-clouds-file", "c"}, want: "-clouds-file: what reads a clouds.yaml cannot call a socket: take an address such as -listen 127.0.0.1:0"},
		{name: "nova", args: []string{"-nova", "ftp://x"}, want: `-nova "ftp://x": want an URL such as http://127.0.0.1:8774/v2.1`},
		{name: "keystone", args: []string{"-auth", "keystone", "-keystone", "cloud"}, want: `-keystone "cloud": want an URL such as http://127.0.0.1:5000`},
		{name: "password", args: []string{"-nova", "http://u:secret@127.0.0.1:1"}, want: "-nova: the URL must hold neither user nor password, which logs would show"},
		{name: "password in what is none", args: []string{"-nova", "htp://u:secret@127.0.0.1:1"}, want: `-nova "(hidden)@127.0.0.1:1": want an URL such as http://127.0.0.1:8774/v2.1`},
		{name: "check", args: []string{"-check", "127.0.0.1:6666"}, want: `-check "127.0.0.1:6666": want an URL such as http://127.0.0.1:6666, or a socket such as unix:/run/fakecyborg.sock`},
		{name: "check of a socket without prefix", args: []string{"-check", "fake.socket"}, want: `-check "fake.socket": want an URL such as http://127.0.0.1:6666, or a socket such as unix:/run/fakecyborg.sock`},
		{name: "check of a socket without path", args: []string{"-check", "unix:"}, want: `-check "unix:": want an URL such as http://127.0.0.1:6666, or a socket such as unix:/run/fakecyborg.sock`},
		{name: "event form", args: []string{"-event-form", "plural"}, want: `-event-form "plural": unknown, known are profile, request, spec`},
		{name: "ids of a kept state", args: []string{"-uuid-seed", "a", "-state", "s"}, want: "-uuid-seed gives the same ids after a restart, -state has them already: take one of the two"},
		{name: "public endpoint", args: []string{"-public-endpoint", "cloud"}, want: `-public-endpoint "cloud": want an URL such as https://cloud.example.org/accelerator`},
		{name: "socket without path", args: []string{"-listen", "unix:"}, want: `listen "unix:": it has no path, such as unix:/run/fakecyborg.sock`},
		{name: "negative wait", args: []string{"-shutdown-wait", "-1s"}, want: "-shutdown-wait -1s: want 0s or more"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			assert.Equal(t, 2, run(test.args, test.environ, &stdout, &stderr))
			assert.Empty(t, stdout.String())
			assert.Equal(t, "fakecyborg: "+test.want+"; see -h\n", stderr.String())
		})
	}
}

func TestVariables(t *testing.T) {
	t.Parallel()
	environ := []string{
		"PATH=/bin", "FAKECYBORG_RELEASE=2025.1", "FAKECYBORG_PLACEMENT_WAIT=7s", "FAKECYBORG_EXPOSE=true", "FAKECYBORG_SEED=",
		// What Kubernetes adds for a service called fakecyborg.
		"FAKECYBORG_SERVICE_HOST=192.0.2.1", "FAKECYBORG_SERVICE_PORT=6666", "FAKECYBORG_SERVICE_PORT_API=6666",
		"FAKECYBORG_PORT=tcp://192.0.2.1:6666", "FAKECYBORG_PORT_6666_TCP_ADDR=192.0.2.1",
	}
	s, err := parseFlags([]string{"-placement-wait", "9s", "-placement", "http://127.0.0.1:1"}, environ, io.Discard)
	require.NoError(t, err)
	assert.Equal(t, "2025.1", s.release)
	assert.Equal(t, "9s", s.placementWait.String(), "the command line goes first")
	assert.True(t, s.expose)

	var stdout, stderr bytes.Buffer
	assert.Equal(t, 0, run([]string{"-version", "-placement", "http://127.0.0.1:1"}, environ, &stdout, &stderr))
	assert.Contains(t, stdout.String(), "plays Cyborg 14.1.0 (2025.1)")
}

// Help is printed on standard output, and stands in the command's documentation.
func TestHelp(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	require.Equal(t, 0, run([]string{"-h"}, []string{"FAKECYBORG_COLOUR=red"}, &stdout, &stderr))
	assert.Empty(t, stderr.String())
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	(&settings{}).define(flags)
	for _, name := range flagNames(flags) {
		assert.Contains(t, stdout.String(), "\n  -"+name+" ")
		assert.False(t, ofKubernetes(variable(name)), name)
	}
	source, err := os.ReadFile("main.go")
	require.NoError(t, err)
	var documented strings.Builder
	for line := range strings.Lines(stdout.String()) {
		if row, ok := strings.CutPrefix(line, "  "); ok {
			documented.WriteString("//\t" + row)
		}
	}
	assert.Contains(t, string(source), documented.String())
}
