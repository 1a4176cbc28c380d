package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scrape reads what Prometheus reads.
func scrape(t *testing.T, url string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	assert.Equal(t, http.StatusOK, response.StatusCode)
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(text)
}

// The metrics are served at the address that is logged, on this machine alone, until the program is interrupted.
func TestPrometheus(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, address string }{
		{name: "any port", address: "127.0.0.1:0"},
		{name: "no host", address: ":0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ctx, interrupt := context.WithCancel(t.Context())
			log, toLog := io.Pipe()
			ended := make(chan error, 1)
			go func() {
				err := run(ctx, []string{"-prometheus", test.address}, io.Discard, toLog)
				ended <- toLog.CloseWithError(err)
			}()
			lines := bufio.NewScanner(log)
			require.True(t, lines.Scan())
			found := regexp.MustCompile(` url=(http://127\.0\.0\.1:\d+/metrics)$`).FindStringSubmatch(lines.Text())
			require.NotNil(t, found, lines.Text())
			go func() {
				for lines.Scan() { // the pipe must not fill
				}
			}()
			deleted := `accelerator_step_duration_seconds_count{accelerator_operation="delete",accelerator_step="claim",accelerator_undo="false",`
			require.Eventually(t, func() bool { return strings.Contains(scrape(t, found[1]), deleted) }, 30*time.Second, 20*time.Millisecond)
			text := scrape(t, found[1])
			for _, want := range []string{
				`(?m)^accelerator_step_duration_seconds_bucket\{accelerator_operation="create",accelerator_step="wait",.*outcome="success",.*le="300"\} 1$`,
				`(?m)^accelerator_step_duration_seconds_count\{accelerator_operation="live migrate",accelerator_step="claim",.*\} 2$`,
				`(?m)^openstack_client_call_duration_seconds_count\{.*openstack_operation="create ARQs",openstack_service="accelerator",.*\} 2$`,
				`(?m)^openstack_client_call_attempts_total\{.*openstack_operation="bind ARQs",.*\} 2$`,
			} {
				assert.Regexp(t, want, text)
			}
			interrupt()
			require.NoError(t, <-ended)
			_, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimSuffix(strings.TrimPrefix(found[1], "http://"), "/metrics"))
			require.Error(t, err, "it does not listen any more")
		})
	}
}

func TestBadArguments(t *testing.T) {
	t.Parallel()
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = taken.Close() })
	for _, test := range []struct {
		name string
		args []string
		want string
	}{
		{name: "no port", args: []string{"-prometheus", "127.0.0.1"}, want: "-prometheus 127.0.0.1: address 127.0.0.1: missing port in address"},
		{name: "taken", args: []string{"-prometheus", taken.Addr().String()}, want: "address already in use"},
		{name: "unknown flag", args: []string{"-p"}, want: "flag provided but not defined: -p"},
		{name: "argument", args: []string{"more"}, want: `unexpected argument "more"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			require.ErrorContains(t, run(t.Context(), test.args, io.Discard, io.Discard), test.want)
		})
	}
}
