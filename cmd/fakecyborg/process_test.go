package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// process is a running fake.
type process struct {
	*exec.Cmd
	log *bytes.Buffer
	// ended is closed when it has ended.
	ended chan struct{}
}

// launch starts the program, which this binary is under its name, see [TestMain].
// It is killed at the end of the test.
func launch(t *testing.T, args ...string) *process {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	p := &process{Cmd: exec.CommandContext(t.Context(), self, args...), log: &bytes.Buffer{}, ended: make(chan struct{})}
	p.Args[0] = "fakecyborg"
	p.Env = []string{}
	p.Stderr = p.log
	require.NoError(t, p.Start())
	go func() {
		defer close(p.ended)
		_ = p.Wait()
	}()
	t.Cleanup(func() {
		_ = p.Process.Kill()
		<-p.ended
	})
	return p
}

// signal sends a signal and waits for the end.
func (p *process) signal(t *testing.T, signal os.Signal) *os.ProcessState {
	t.Helper()
	require.NoError(t, p.Process.Signal(signal))
	return p.wait(t)
}

func (p *process) wait(t *testing.T) *os.ProcessState {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(time.Minute):
		require.Fail(t, "it does not end")
	}
	return p.ProcessState
}

// addressIn waits for the file of -address-file.
func (p *process) addressIn(t *testing.T, path string) string {
	t.Helper()
	for {
		text, err := os.ReadFile(path)
		if err == nil {
			return strings.TrimSuffix(string(text), "\n")
		}
		select {
		case <-p.ended:
			require.Fail(t, "it ended", p.log.String())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// say sends one request and returns the answer's body.
func say(t *testing.T, client *http.Client, method, url, body string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Less(t, response.StatusCode, 300, string(answer))
	return string(answer)
}

func TestAddressFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "address")
	require.NoError(t, os.WriteFile(file, []byte("http://127.0.0.1:1\n"), 0o600))
	p := launch(t, "-listen", "127.0.0.1:0", "-address-file", file, "-placement", "http://127.0.0.1:1", "-placement-wait", "1h")
	require.Eventually(t, func() bool { _, err := os.Stat(file); return err != nil }, time.Minute, 10*time.Millisecond, "that of an earlier run goes")
	require.Equal(t, 0, p.signal(t, syscall.SIGTERM).ExitCode(), p.log.String())
	assert.NoFileExists(t, file, "it never was ready")

	p = launch(t, "-listen", "127.0.0.1:0", "-address-file", file)
	address := p.addressIn(t, file)
	assert.Regexp(t, `^http://127\.0\.0\.1:[0-9]+$`, address)
	assert.Contains(t, say(t, &http.Client{}, http.MethodGet, address+healthPath, ""), `"ready"`)
	check := launch(t, "-check", address)
	assert.Equal(t, 0, check.wait(t).ExitCode(), check.log.String())
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o644), info.Mode())
	require.Equal(t, 0, p.signal(t, os.Interrupt).ExitCode())
	assert.NoFileExists(t, file)
	check = launch(t, "-check", address)
	assert.Equal(t, 1, check.wait(t).ExitCode())
	assert.Contains(t, check.log.String(), "connection refused")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
}

// viaSocket is a client of a Unix socket.
func viaSocket(path string) *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}}}
}

func TestUnixSocket(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	socket, file := filepath.Join(dir, "socket"), filepath.Join(dir, "address")
	args := []string{"-listen", "unix:" + socket, "-address-file", file}
	p := launch(t, args...)
	require.Equal(t, "unix:"+socket, p.addressIn(t, file))
	assert.Contains(t, say(t, viaSocket(socket), http.MethodGet, "http://localhost/v2/device_profiles", ""), "fakedev")
	assert.Equal(t, 0, launch(t, "-check", "unix:"+socket).wait(t).ExitCode())

	second := launch(t, "-listen", "unix:"+socket)
	assert.Equal(t, 1, second.wait(t).ExitCode())
	assert.Contains(t, second.log.String(), "somebody listens there already: end that process, or take another path\n")

	assert.Equal(t, -1, p.signal(t, os.Kill).ExitCode())
	require.FileExists(t, socket, "a killed process leaves it")
	p = launch(t, args...)
	require.Eventually(t, func() bool { return launch(t, "-check", "unix:"+socket).wait(t).Success() }, time.Minute, 10*time.Millisecond)
	p.addressIn(t, file)
	require.Equal(t, 0, p.signal(t, syscall.SIGTERM).ExitCode())
	assert.NoFileExists(t, socket)

	require.NoError(t, os.WriteFile(socket, []byte("mine"), 0o600))
	p = launch(t, args...)
	assert.Equal(t, 1, p.wait(t).ExitCode())
	assert.Contains(t, p.log.String(), "there is a file that is no socket: take another path\n")
	assert.FileExists(t, socket)
}

func TestTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ca, file := filepath.Join(dir, "ca.pem"), filepath.Join(dir, "address")
	p := launch(t, "-listen", "127.0.0.1:0", "-address-file", file, "-tls-ca-file", ca, "-tls-names", "fakecyborg, 192.0.2.7")
	address := p.addressIn(t, file)
	require.Regexp(t, "^https://", address)
	text, err := os.ReadFile(ca)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(text))
	dial := func(config *tls.Config) error {
		config.RootCAs = pool
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/v2", http.NoBody)
		require.NoError(t, err)
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		assert.Contains(t, string(body), `"href": "https://127.0.0.1:`)
		return err
	}
	for _, name := range []string{"", "localhost", "::1", "fakecyborg", "192.0.2.7"} {
		require.NoError(t, dial(&tls.Config{ServerName: name, MinVersion: tls.VersionTLS12}), name)
	}
	require.ErrorContains(t, dial(&tls.Config{ServerName: "elsewhere", MinVersion: tls.VersionTLS12}), "not elsewhere")
	require.ErrorContains(t, dial(&tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}), "protocol version")
	assert.Equal(t, 0, launch(t, "-check", address, "-tls-ca-file", ca).wait(t).ExitCode())
	untrusting := launch(t, "-check", address)
	assert.Equal(t, 1, untrusting.wait(t).ExitCode(), "nobody else trusts it")
	assert.Contains(t, untrusting.log.String(), ": add -tls-ca-file with the file that the fake has written\n")
	_, other, err := newCertificate(nil)
	require.NoError(t, err)
	otherFile := filepath.Join(dir, "other.pem")
	require.NoError(t, os.WriteFile(otherFile, other, 0o600))
	mistrusting := launch(t, "-check", address, "-tls-ca-file", otherFile)
	assert.Equal(t, 1, mistrusting.wait(t).ExitCode())
	assert.Contains(t, mistrusting.log.String(), ": it is not the one of -tls-ca-file "+otherFile+"\n")
	require.Equal(t, 0, p.signal(t, syscall.SIGTERM).ExitCode())
}

func TestOwnCertificate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key, file := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), filepath.Join(dir, "address")
	made, ca, err := newCertificate([]string{"127.0.0.1"})
	require.NoError(t, err)
	writePair(t, made, cert, key)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ca.pem"), ca, 0o600))
	p := launch(t, "-listen", "127.0.0.1:0", "-address-file", file, "-tls-cert", cert, "-tls-key", key)
	assert.Equal(t, 0, launch(t, "-check", p.addressIn(t, file), "-tls-ca-file", filepath.Join(dir, "ca.pem")).wait(t).ExitCode())
	wrong := launch(t, "-listen", "127.0.0.1:0", "-tls-cert", key, "-tls-key", key)
	assert.Equal(t, 1, wrong.wait(t).ExitCode())
	assert.Contains(t, wrong.log.String(), "fakecyborg: -tls-cert "+key)
}

// A process that is killed has kept all that it answered.
func TestStateSurvivesKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	state, file := filepath.Join(dir, "state.json"), filepath.Join(dir, "address")
	args := []string{"-listen", "127.0.0.1:0", "-address-file", file, "-state", state, "-placement", "embedded"}
	p := launch(t, args...)
	address := p.addressIn(t, file)
	client := &http.Client{}
	say(t, client, http.MethodPost, address+"/v2/accelerator_requests", `{"device_profile_name": "gpu"}`)
	want := make(map[string]string)
	paths := []string{"/v2/accelerator_requests", "/v2/deployables", "/v2/devices", "/v2/attributes", "/_fake/devices"}
	for _, path := range paths {
		want[path] = strings.ReplaceAll(say(t, client, http.MethodGet, address+path, ""), address, "")
	}
	assert.Equal(t, -1, p.signal(t, os.Kill).ExitCode())
	require.NoError(t, os.Remove(file))

	p = launch(t, append(args, "-seed", "no-such-file.yaml")...)
	address = p.addressIn(t, file)
	for _, path := range paths {
		assert.Equal(t, want[path], strings.ReplaceAll(say(t, client, http.MethodGet, address+path, ""), address, ""), path)
	}
	assert.Equal(t, 0, p.signal(t, syscall.SIGTERM).ExitCode())
	assert.Contains(t, p.log.String(), "the state is taken from its file, no seed is read")
}

// hanging starts a fake with a request that a fault lets hang.
func hanging(t *testing.T, args ...string) (p *process, cut chan error) {
	t.Helper()
	dir := t.TempDir()
	file, rules := filepath.Join(dir, "address"), filepath.Join(dir, "rules.yaml")
	require.NoError(t, os.WriteFile(rules, []byte("- {operation: \"device:get_all\", fault: hang}\n"), 0o600))
	p = launch(t, append(args, "-listen", "127.0.0.1:0", "-address-file", file, "-faults", rules, "-log-format", "json")...)
	address := p.addressIn(t, file)
	cut = make(chan error, 1)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/v2/devices", http.NoBody)
	require.NoError(t, err)
	go func() {
		response, err := (&http.Client{}).Do(request)
		if err == nil {
			err = response.Body.Close()
		}
		cut <- err
	}()
	require.Eventually(t, func() bool {
		return strings.Contains(say(t, &http.Client{}, http.MethodGet, address+"/_fake/state", ""), `"in_flight": 1`)
	}, time.Minute, 10*time.Millisecond)
	return p, cut
}

func TestHangingRequestIsCut(t *testing.T) {
	t.Parallel()
	p, cut := hanging(t, "-shutdown-wait", "200ms")
	require.Equal(t, 0, p.signal(t, syscall.SIGTERM).ExitCode(), p.log.String())
	require.Error(t, <-cut)
	assert.Regexp(t, `"msg":"cut off","client":"127.0.0.1:[0-9]+: GET \\"/v2/devices\\""`, p.log.String())
}

func TestSecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	p, cut := hanging(t, "-shutdown-wait", "1h")
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	for ended := false; !ended; {
		require.NoError(t, p.Process.Signal(syscall.SIGTERM))
		select {
		case <-p.ended:
			ended = true
		case <-time.After(100 * time.Millisecond):
		}
	}
	require.Error(t, <-cut)
	status, ok := p.ProcessState.Sys().(syscall.WaitStatus)
	require.True(t, ok)
	assert.Equal(t, syscall.SIGTERM, status.Signal())
}

// Every error has file and line, also what shows only when the rules are added.
func TestBadFaults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, rules, want string }{
		{name: "unknown key", rules: "- operation: bind\n  falt: stuck\n", want: ":2: "},
		{name: "unknown operation", rules: "- operation: bind\n  fault: stuck\n- operation: bimd\n  fault: stuck\n", want: ":3: [1].operation: "},
		{name: "same name", rules: "- {name: a, operation: bind, fault: stuck}\n- name: a\n  operation: bind\n  fault: stuck\n", want: ":2: [1].name: "},
		{name: "no rule", rules: "# none\n", want: ": "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			rules := filepath.Join(t.TempDir(), "rules.yaml")
			require.NoError(t, os.WriteFile(rules, []byte(test.rules), 0o600))
			p := launch(t, "-listen", "127.0.0.1:0", "-faults", rules)
			assert.Equal(t, 1, p.wait(t).ExitCode())
			assert.Contains(t, p.log.String(), "fakecyborg: "+rules+test.want)
		})
	}
}

func TestClockAndLevel(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "address")
	p := launch(t, "-listen", "127.0.0.1:0", "-address-file", file, "-clock", "2026-01-02T03:04:05Z", "-log-level", "warn", "-journal-entries", "1")
	address := p.addressIn(t, file)
	assert.Contains(t, say(t, &http.Client{}, http.MethodGet, address+"/v2/devices", ""), "2026-01-02T03:04:05+00:00")
	say(t, &http.Client{}, http.MethodGet, address+"/v2/devices", "")
	assert.Contains(t, say(t, &http.Client{}, http.MethodGet, address+"/_fake/state", ""), `"journal_dropped": 1`)
	require.Equal(t, 0, p.signal(t, syscall.SIGTERM).ExitCode())
	assert.Empty(t, p.log.String())
}

// The agents report by themselves, and the log has the address as text in each form.
func TestReportInterval(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "address")
	p := launch(t, "-listen", "127.0.0.1:0", "-address-file", file, "-report-interval", "50ms", "-log-format", "json")
	address := p.addressIn(t, file)
	say(t, &http.Client{}, http.MethodPost, address+"/_fake/devices?report=false", `{"host": "gpu-1", "driver": "pgpu", "address": "0000:af:00.0"}`)
	require.Eventually(t, func() bool {
		return strings.Contains(say(t, &http.Client{}, http.MethodGet, address+"/v2/deployables", ""), "0000:af:00.0")
	}, 30*time.Second, 50*time.Millisecond)
	require.Equal(t, 0, p.signal(t, syscall.SIGTERM).ExitCode())
	assert.Contains(t, p.log.String(), `"at":"`+strings.TrimPrefix(address, "http://")+`"`)
}
