package condor

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/elasticpool"
)

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(*Config)
		want   string
	}{
		{name: "no schedd", change: func(c *Config) { c.Schedds = nil }, want: "schedds: name at least one"},
		{name: "an option for a schedd", change: func(c *Config) { c.Schedds = []string{"a", "-pool"} }, want: "schedds[1]"},
		{name: "an expression for the queue", change: func(c *Config) { c.Queue = "strcat(a)" }, want: "queue"},
		{name: "an expression for the runtime", change: func(c *Config) { c.Runtime = "a b" }, want: "runtime"},
		{name: "a resource that is not asked for", change: func(c *Config) { c.Resources = map[string]string{"gpus": "GPUs"} }, want: "resources: gpus"},
		{name: "a pool with a macro", change: func(c *Config) { c.Pool = "$(X)" }, want: "pool"},
		{name: "a prefix with a line", change: func(c *Config) { c.Prefix = "a\n" }, want: "prefix"},
		{name: "negative", change: func(c *Config) { c.Timeout = -1 }, want: "negative"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			config := Config{Schedds: []string{"s"}}
			test.change(&config)
			_, err := New(config)
			require.ErrorContains(t, err, test.want)
		})
	}
}

// TestShellQuoting: what goes through a shell arrives as it was.
func TestShellQuoting(t *testing.T) {
	t.Parallel()
	p, err := New(Config{Schedds: []string{"s"}, Command: []string{"sh", "-c"}, Shell: true, Bin: "/opt/condor bin"})
	require.NoError(t, err)
	assert.Equal(t, []string{"sh", "-c", `'/opt/condor bin/condor_q'`, `'it'\''s'`}, p.argv(call{tool: "condor_q", args: []string{"it's"}}))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ReplaceAll(rapid.String().Draw(t, "text"), "\x00", "")
		out, err := exec.Command("sh", "-c", "printf %s "+shellQuote(text)).Output() //nolint:noctx // a rapid test has no context
		require.NoError(t, err)
		assert.Equal(t, text, string(out))
	})
}

func TestQuote(t *testing.T) {
	t.Parallel()
	quoted, err := quote(`a "b" ü`)
	require.NoError(t, err)
	assert.Equal(t, `"a \"b\" ü"`, quoted)
	for _, text := range []string{"a\nb", `a\b`, "a$b", "a\x7f"} {
		_, err := quote(text)
		require.ErrorIs(t, err, ErrName)
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	assert.Equal(t, 90*time.Minute, times(time.Minute, 90))
	assert.Zero(t, times(time.Minute, -1))
	assert.Equal(t, time.Duration(1<<63-1), times(time.Hour, 1<<60))
}

// TestWorkerConfig binds a worker by what Join and Bind set.
func TestWorkerConfig(t *testing.T) {
	t.Parallel()
	text, err := WorkerConfig("physics", "01JX")
	require.NoError(t, err)
	for _, line := range []string{
		`ElasticPool = "physics"`, `ElasticVM = "01JX"`, `ElasticQueue = ""`, `START = ElasticQueue =!= "" && TARGET.AcctGroup =?= ElasticQueue`,
		"STARTD.SETTABLE_ATTRS_ADMINISTRATOR = ElasticQueue", "MASTER.SETTABLE_ATTRS_ADMINISTRATOR = START_DAEMONS", "MAXJOBRETIREMENTTIME = 31536000",
	} {
		assert.Contains(t, text, line+"\n")
	}
	_, err = WorkerConfig("$(X)", "a")
	require.ErrorIs(t, err, ErrName)
	_, err = WorkerConfig("a", "b\nc")
	require.ErrorIs(t, err, ErrName)
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	p, err := New(Config{Schedds: []string{"s"}})
	require.NoError(t, err)
	assert.Equal(t, "AcctGroup", p.config.Queue)
	assert.Equal(t, elasticpool.Duration(5*time.Minute), p.config.Interval)
	assert.Equal(t, map[string]string{"gpus": "RequestGPUs", "fpgas": "RequestFPGA"}, p.config.Resources)
	assert.Equal(t, []string{"condor_q"}, p.argv(call{tool: "condor_q"}))
}
