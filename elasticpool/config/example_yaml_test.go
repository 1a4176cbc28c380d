package config_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/condor"
	"github.com/novacyborg/novacyborg/elasticpool/config"
	"github.com/novacyborg/novacyborg/elasticpool/jsonfeed"
)

// keys calls visit for each YAML key of a type and of the types in it.
func keys(t reflect.Type, done map[reflect.Type]bool, visit func(of reflect.Type, key string)) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || done[t] {
		return
	}
	done[t] = true
	for field := range t.Fields() {
		key, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if key == "-" || !field.IsExported() {
			continue
		}
		if key != "" {
			visit(t, key)
		}
		keys(field.Type, done, visit)
	}
}

// TestExampleHasEveryKey: what a configuration can say, the example shows, by example or as a default.
func TestExampleHasEveryKey(t *testing.T) {
	t.Parallel()
	count := 0
	keys(reflect.TypeFor[config.Config](), map[reflect.Type]bool{}, func(of reflect.Type, key string) {
		count++
		assert.Regexp(t, `(?m)(^[\s#-]*|[{,]\s*)`+regexp.QuoteMeta(key)+`:(\s|$)`, config.Example, "%s of %s", key, of)
	})
	assert.Greater(t, count, 100)
}

// TestExampleShowsDefaults: a key behind one # has the value that the code takes without it, and one behind ## is read
// without an error.
func TestExampleShowsDefaults(t *testing.T) {
	t.Parallel()
	c, err := read(config.Example)
	require.NoError(t, err)
	explicit := regexp.MustCompile(`(?m)^(\s*)# ([a-z_]+:.*)$`).ReplaceAllString(config.Example, "$1$2")
	require.Greater(t, strings.Count(config.Example, "# ")-strings.Count(explicit, "# "), 40)
	told, err := read(explicit)
	require.NoError(t, err)
	assert.Equal(t, defaulted(t, c), defaulted(t, told))
	assert.Equal(t, c.DecisionLog, told.DecisionLog)
	assert.Equal(t, c.HTTP, told.HTTP)
	assert.Equal(t, c.Quota, told.Quota)
	assert.NotEqual(t, c.Control, told.Control, "the defaults are written out")
	assert.Equal(t, map[string]string{"FPGA": "fpgas", "PGPU": "gpus", "VGPU": "vgpus"}, told.Clouds[0].OpenStack.Accelerators)

	pool, err := condor.New(*c.HTCondor)
	require.NoError(t, err)
	same, err := condor.New(*told.HTCondor)
	require.NoError(t, err)
	assert.Equal(t, pool, same)
}

// defaulted is the policy as the controller follows it.
func defaulted(t *testing.T, c *config.Config) elasticpool.Policy {
	t.Helper()
	controller, err := elasticpool.NewController(c.Policy(), elasticpool.State{})
	require.NoError(t, err)
	p := controller.Policy()
	for i := range p.Classes {
		p.Classes[i].Buffer.Min = max(p.Classes[i].Buffer.Min, 0)
	}
	return p
}

// TestExamplesOfKeys: every key behind ## can be set as it is shown.
func TestExamplesOfKeys(t *testing.T) {
	t.Parallel()
	withoutBatch, rest, _ := strings.Cut(config.Example, "htcondor:\n")
	_, rest, found := strings.Cut(rest, "## json:")
	require.True(t, found)
	for name, text := range map[string]string{
		"json in place of htcondor": withoutBatch + "## json:" + rest,
		"htcondor":                  regexp.MustCompile(`(?m)^## .*\n`).ReplaceAllString(config.Example, ""),
	} {
		shown := regexp.MustCompile(`(?m)^(\s*)## ?(.*)$`).ReplaceAllString(text, "$1$2")
		shown = strings.ReplaceAll(shown, "#cloud-config", "cloud-config")
		c, err := read(shown)
		require.NoError(t, err, name)
		require.Len(t, c.Clouds, 3)
		assert.Equal(t, "/etc/elasticpool/one_auth", c.Clouds[1].OpenNebula.AuthFile)
		assert.Equal(t, "/etc/elasticpool/ec2.env", c.Clouds[2].Exec.EnvFile)
		assert.Equal(t, 500, c.Classes[0].Max)
		if c.JSON != nil {
			with, err := jsonfeed.New(*c.JSON)
			require.NoError(t, err)
			c.JSON.Timeout, c.JSON.MaxSize = 0, 0
			without, err := jsonfeed.New(*c.JSON)
			require.NoError(t, err)
			assert.Equal(t, without, with, "the limits are the defaults")
		}
	}
}
