package main

import (
	"bytes"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A second start with the same flags fails and leaves the running fake alone: its
// address, its CA and its state.
func TestSecondStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := []string{filepath.Join(dir, "address"), filepath.Join(dir, "ca.pem"), filepath.Join(dir, "state")}
	flags := func(listen string) []string {
		return []string{"-listen", listen, "-address-file", files[0], "-tls-ca-file", files[1], "-state", files[2]}
	}
	first := launch(t, flags("127.0.0.1:0")...)
	address := first.addressIn(t, files[0])
	read := func() (texts []string) {
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			texts = append(texts, string(text))
		}
		return texts
	}
	want := read()
	for _, args := range [][]string{
		flags(strings.TrimPrefix(address, "https://")),
		append(flags("127.0.0.1:0"), "-faults", filepath.Join(dir, "none")),
	} {
		second := launch(t, args...)
		assert.Equal(t, 1, second.wait(t).ExitCode(), second.log.String())
		assert.Equal(t, want, read())
	}
	check := launch(t, "-check", address, "-tls-ca-file", files[1])
	assert.Equal(t, 0, check.wait(t).ExitCode(), check.log.String())

	// What is another's by now stays at the end.
	require.NoError(t, os.WriteFile(files[0], []byte("https://127.0.0.1:1\n"), 0o600))
	require.Equal(t, 0, first.signal(t, syscall.SIGTERM).ExitCode())
	assert.FileExists(t, files[0])
}

// What is wrong with a file is told, though the port is taken as well.
func TestFilesBeforePort(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "address")
	first := launch(t, "-listen", "127.0.0.1:0", "-address-file", file)
	taken := strings.TrimPrefix(first.addressIn(t, file), "http://")
	state := filepath.Join(dir, "state")
	for _, test := range []struct {
		args []string
		want string
	}{
		{args: []string{"-seed", "nosuch.yaml"}, want: "read seed: open nosuch.yaml: "},
		{args: []string{"-seed", "nosuch.yaml", "-state", state}, want: "read seed: open nosuch.yaml: "},
		{args: []string{"-faults", "nosuch.yaml"}, want: "read faults: open nosuch.yaml: "},
		{args: []string{"-auth", "tokens", "-tokens", "nosuch.yaml"}, want: "read tokens: open nosuch.yaml: "},
		{args: []string{"-tls-cert", "nosuch.pem", "-tls-key", "nosuch.pem"}, want: "-tls-cert nosuch.pem "},
		{args: []string{"-state", state}, want: "address already in use"},
	} {
		second := launch(t, append(test.args, "-listen", taken)...)
		assert.Equal(t, 1, second.wait(t).ExitCode())
		assert.Contains(t, second.log.String(), test.want)
		assert.NoFileExists(t, state, "it may be that of the fake which has the port")
	}
}

// A file that holds something else than an address is not replaced.
func TestAddressFileOfAnotherKind(t *testing.T) {
	t.Parallel()
	for text, taken := range map[string]bool{
		"": true, "http://127.0.0.1:1\n": true, "unix:/run/s\n": true, "secret\n": false, "http://127.0.0.1:1\nhttp://127.0.0.1:2\n": false,
	} {
		path := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		err := checkAddressFile(path)
		assert.Equal(t, taken, err == nil, "%q: %v", text, err)
	}
	path := filepath.Join(t.TempDir(), "notes")
	require.NoError(t, os.WriteFile(path, []byte("mine"), 0o600))
	var stdout, stderr bytes.Buffer
	assert.Equal(t, 1, run([]string{"-listen", "127.0.0.1:0", "-address-file", path}, nil, &stdout, &stderr))
	assert.Contains(t, stderr.String(), "there is a file that holds no address")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "mine", string(text))
}

// A Placement that takes connections and says nothing is given up.
func TestSilentPlacement(t *testing.T) {
	t.Parallel()
	silent, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = silent.Close() })
	p := launch(t, "-listen", "127.0.0.1:0", "-placement", "http://"+silent.Addr().String(), "-placement-wait", "300ms")
	began := time.Now()
	assert.Equal(t, 1, p.wait(t).ExitCode())
	assert.Less(t, time.Since(began), 30*time.Second)
	assert.Contains(t, p.log.String(), "does not answer within 300ms: ")
}

// The state behind a symbolic link is written there, and the link stays.
func TestStateBehindALink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link, target, file := filepath.Join(dir, "link"), filepath.Join(dir, "target"), filepath.Join(dir, "address")
	require.NoError(t, os.Symlink("target", link))
	for range 2 {
		p := launch(t, "-listen", "127.0.0.1:0", "-address-file", file, "-state", link)
		say(t, &http.Client{}, http.MethodPost, p.addressIn(t, file)+"/_fake/reset", "")
		require.Equal(t, 0, p.signal(t, syscall.SIGTERM).ExitCode(), p.log.String())
		info, err := os.Lstat(link)
		require.NoError(t, err)
		assert.Equal(t, os.ModeSymlink, info.Mode().Type())
		assert.FileExists(t, target)
	}
}
