package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const good = `version: 2
builds:
  - {id: one, main: ./cmd/one, binary: one, env: [CGO_ENABLED=0], flags: [-trimpath], ldflags: [-s], goos: [linux, darwin], goarch: [arm64]}
`

func TestTargets(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want, err string }{
		{
			name: "platforms", text: good,
			want: "one linux arm64 ./cmd/one -trimpath -ldflags=-s\none darwin arm64 ./cmd/one -trimpath -ldflags=-s\n",
		},
		{name: "misspelt key", text: strings.Replace(good, "goarch:", "goarches:", 1), err: "goarches not found"},
		{name: "not static", text: strings.Replace(good, "=0]", "=1]", 1), err: "static"},
		{name: "no main", text: strings.Replace(good, "main: ./cmd/one, ", "", 1), err: "must be there"},
		{name: "tags", text: strings.Replace(good, "goos:", "tags: [x], goos:", 1), err: "not passed on"},
		{name: "template", text: strings.Replace(good, "[-s]", `["-X=main.v={{.Version}}"]`, 1), err: "filled in"},
		{name: "nothing", text: "version: 2\n", err: "nothing is built"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "config.yaml")
			if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			err := run([]string{file}, &out)
			if out.String() != test.want {
				t.Errorf("printed %q, want %q", &out, test.want)
			}
			if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("error %v, want %q", err, test.err)
			}
		})
	}
}
