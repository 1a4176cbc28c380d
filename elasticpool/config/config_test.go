package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool/config"
)

func read(text string) (*config.Config, error) {
	return config.Read(strings.NewReader(text), "pool.yaml")
}

// TestExample: the example is the slides' pool.
func TestExample(t *testing.T) {
	t.Parallel()
	c, err := read(config.Example)
	require.NoError(t, err)
	p := c.Policy()
	require.Len(t, p.Queues, 2)
	for i, name := range []string{"lhaaso", "juno"} {
		assert.Equal(t, name, p.Queues[i].Name)
		assert.EqualValues(t, 100, p.Queues[i].Lower)
		assert.EqualValues(t, 400, p.Queues[i].Upper)
		assert.Equal(t, []string{"10m0s", "5m0s"}[i], p.Queues[i].Reservation.String())
	}
	assert.Equal(t, "a100", p.Classes[1].DeviceProfile)
	assert.Equal(t, "ihep", p.Clouds[0].Name)
}

// TestErrorsNameTheirLine: each fault of a file is told with file, line and key, all at once.
func TestErrorsNameTheirLine(t *testing.T) {
	t.Parallel()
	nebula := func(keys string) string {
		return "  - name: nebula\n    opennebula: {" + keys + "}\n\nhtcondor:"
	}
	for _, test := range []struct{ name, from, to, want string }{
		{"unknown key", "    lower: 100 ", "    lowre: 100 ", `pool.yaml:13: there is no key "lowre" here; did you mean lower?`},
		{"unknown key of a part that is inline", "    openstack:\n", "    priorty: 1\n    openstack:\n", `there is no key "priorty" here; did you mean priority?`},
		{"unknown key of a provider", "      cloud: ihep ", "      clod: ihep ", `there is no key "clod" here; did you mean cloud?`},
		{"unknown key at the root", "state: ", "stat: ", `pool.yaml:6: there is no key "stat" here; did you mean state?`},
		{"unknown key that is like none", "state: ", "colour: ", `pool.yaml:6: there is no key "colour" here` + "\n"},
		{"wrong kind", "upper: 400 ", "upper: many ", "pool.yaml:14: queues[0].upper: cannot unmarshal"},
		{"wrong kind in a flow", "{cpus: 4, memory_mb: 8192}", "{cpus: 4, memory_mb: much}", "classes[0].takes.memory_mb: cannot unmarshal"},
		{"no unit", "reservation: 600s", "reservation: 600", `pool.yaml:15: queues[0].reservation: time: missing unit in duration "600"; write a time with its unit`},
		{"lower above upper", "    lower: 100 ", "    lower: 1000 ", "pool.yaml:13: queues[0].lower: the lower threshold 1000 is above the upper 400"},
		{"no such cloud", "cloud: ihep\n    flavor: m1.large", "cloud: cern\n    flavor: m1.large", `classes[0].cloud: there is no cloud "cern"`},
		{"two of a name", "- name: juno", "- name: lhaaso", "queues[1].name: two queues are called lhaaso"},
		{"a bad name", "pool: physics ", "pool: Physics! ", `pool.yaml:5: pool: "Physics!" is no name`},
		{"not loopback", "listen: 127.0.0.1:9680", "listen: 0.0.0.0:9680", "http.listen: this address is not loopback"},
		{"no address", "listen: 127.0.0.1:9680", "listen: 127.0.0.1", "http.listen: an address is host:port"},
		{"a port too large", "listen: 127.0.0.1:9680", "listen: 127.0.0.1:70000", "http.listen: an address is host:port"},
		{"all addresses", "listen: 127.0.0.1:9680", "listen: :9680", "http.listen: this address is not loopback"},
		{"quota not loopback", "  ## listen: 127.0.0.1:27020", "  listen: 10.0.0.1:27020", "quota.listen: this address is not loopback"},
		{"quota without a token", "  ## listen: 127.0.0.1:27020", "  listen: 10.0.0.1:27020\n  expose: true", "quota.expose: others may reach the quota service only with a token or a certificate"},
		{"quota with TLS that knows no clients", "  ## listen: 127.0.0.1:27020", "  listen: 10.0.0.1:27020\n  expose: true\n  tls: {cert_file: a, key_file: b}", "quota.expose: others may reach the quota service only with"},
		{"weight 0", "    # weight: 1", "    weight: 0", "queues[0].weight: 0 cannot be set: leave the key out for the default"},
		{"cycle 0", "  # cycle: 15s", "  cycle: 0s", "control.cycle: 0 cannot be set"},
		{"share 0", "  # shrink_share: 0.25", "  shrink_share: 0.0", "control.shrink_share: 0 cannot be set"},
		{"time-out 0", "  # timeouts: {request: 60s,", "  timeouts: {request: 0s,", "control.timeouts.request: 0 cannot be set"},
		{"reservation 0", "reservation: 300s", "reservation: 0s", "queues[1].reservation: 0 cannot be set"},
		{"upper 0", "    upper: 400", "    upper: 0", "queues[0].upper: 0 would be no limit"},
		{"price 0", "    price: 40", "    price: 0", "classes[1].price: 0 cannot be set"},
		{"max 0", "    ## max: 500", "    max: 0", "classes[0].max: 0 would be no limit"},
		{"log of 0 bytes", "  # max_bytes: 268435456", "  max_bytes: 0", "decision_log.max_bytes: 0 cannot be set"},
		{"HTCondor's time-out 0", "  # timeout: 1m                            # of one", "  timeout: 0s # of one", "htcondor.timeout: 0 cannot be set"},
		{"TLS without a certificate", "  ## listen: 127.0.0.1:27020", "  listen: 127.0.0.1:27020\n  tls: {key_file: b}", "quota.tls.cert_file: name the file with the certificate"},
		{"TLS without a key", "listen: 127.0.0.1:9680", "listen: 127.0.0.1:9680\n  tls: {cert_file: b}", "http.tls.key_file: name the file with the certificate's key"},
		{"TLS of no address", "  ## listen: 127.0.0.1:27020", "  tls: {cert_file: a, key_file: b}", "quota.tls: TLS is for an address: set listen"},
		{"unknown key of TLS", "  ## listen: 127.0.0.1:27020", "  listen: 127.0.0.1:27020\n  tls: {cert_fil: a}", `there is no key "cert_fil" here; did you mean cert_file?`},
		{"two providers", "    openstack:\n", "    exec: {command: [x]}\n    openstack:\n", "clouds[0]: name one provider"},
		{"no provider", "htcondor:", "  - name: other\nhtcondor:", "clouds[1]: name one provider"},
		{"two batch systems", "htcondor:\n", "json: {jobs: {file: /j}, workers: {file: /j}}\nhtcondor:\n", "htcondor: name one batch system"},
		{"batch system twice wrong", "  prefix: group_", "  factory_every: -1\n  prefix: group_", "htcondor: a duration or number is negative"},
		{"no schedd", "schedds: [schedd.example.org]", "schedds: []", "htcondor.schedds: name at least one schedd"},
		{"a bad schedd", "schedds: [schedd.example.org]", "schedds: [a, -b]", `htcondor.schedds[1]: "-b" is no name of a schedd`},
		{"negative time", "  # cycle: 15s", "  cycle: -15s", "control.cycle: a time is not negative"},
		{"negative time of a provider", "      # delete_wait: 10s", "      delete_wait: -10s", "clouds[0].openstack.delete_wait: a time is not negative"},
		{"negative size", "  # max_bytes: 268435456", "  max_bytes: -1", "decision_log.max_bytes: a size is above zero"},
		{"no YAML", "pool: physics ", "pool: [physics ", "pool.yaml:"},
		{"device without slot", "disk_mb: 200000, gpus: 1}", "disk_mb: 200000}", "classes[1].devices.gpus: the slot has no gpus"},
		{"two documents", "quota:  ", "---\nquota:  ", "more than one document"},
		{"no state", "state: /var/lib/elasticpool", "state: ''", "pool.yaml:6: state: name the directory"},
		{"no login", "htcondor:", nebula("endpoint: https://one/RPC2"), "clouds[1].opennebula.auth_file: name the file"},
		{"plain http", "htcondor:", nebula("auth_file: /a, endpoint: http://one/RPC2"), "clouds[1].opennebula.endpoint: endpoint \"http://one/RPC2\": over http everybody"},
		{"no program", "htcondor:", "  - name: other\n    exec: {command: []}\nhtcondor:", "clouds[1].exec.command: name the program"},
		{"no variable", "htcondor:", "  - name: other\n    exec: {command: [x], env: [A=1, B]}\nhtcondor:", "clouds[1].exec.env[1]: a variable is NAME=value"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(config.Example, test.from, test.to, 1)
			require.NotEqual(t, config.Example, text, "the example has changed")
			_, err := read(text)
			require.Error(t, err)
			assert.Contains(t, err.Error()+"\n", test.want)
			for line := range strings.SplitSeq(err.Error(), "\n") {
				assert.Regexp(t, `^pool\.yaml(:\d+)?: `, line)
			}
		})
	}
}

// TestAllFaultsAtOnce: one reading tells all that is wrong.
func TestAllFaultsAtOnce(t *testing.T) {
	t.Parallel()
	_, err := read("pool: X\nhtcondor: {}\n")
	for _, want := range []string{
		"pool.yaml:1: pool:", "queues: there is no queue", "classes: there is no class", "clouds: there is no cloud", "state: name the directory",
		"pool.yaml:2: htcondor.schedds: name at least one",
	} {
		require.ErrorContains(t, err, want)
	}
	_, err = read("pool: x\njson: {jobs: {}, workers: {file: a, url: b}}\nstat: 1\nqueue: []\n")
	require.ErrorContains(t, err, `pool.yaml:3: there is no key "stat" here; did you mean state?`)
	require.ErrorContains(t, err, `pool.yaml:4: there is no key "queue" here; did you mean queues?`)
	_, err = read("pool: x\njson: {jobs: {}, workers: {file: a, url: b}}\n")
	require.ErrorContains(t, err, "pool.yaml:2: json.jobs: give one of command, url and file")
	assert.ErrorContains(t, err, "pool.yaml:2: json.workers: give one of command, url and file")
}

// TestOtherBatchSystem: a JSON source stands in for HTCondor, and an address that is exposed on purpose is allowed.
func TestOtherBatchSystem(t *testing.T) {
	t.Parallel()
	before, rest, _ := strings.Cut(config.Example, "htcondor:\n")
	_, after, _ := strings.Cut(rest, "\ncontrol:")
	text := before + "json: {jobs: {file: /jobs}, workers: {url: 'http://127.0.0.1/w'}, drain: [x, '{name}']}\ncontrol:" + after
	text = strings.Replace(text, "listen: 127.0.0.1:9680", "listen: 0.0.0.0:9680\n  expose: true", 1)
	c, err := read(text)
	require.NoError(t, err)
	assert.Nil(t, c.HTCondor)
	assert.Equal(t, "/jobs", c.JSON.Jobs.File)
	assert.Equal(t, []string{"x", "{name}"}, c.JSON.Drain)
}

func TestLoad(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pool.yaml")
	_, err := config.Load(path)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, err = config.Load(path)
	require.ErrorContains(t, err, path+":1: empty; see elasticpool example-config")
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("#", 4<<20+1)), 0o600))
	_, err = config.Load(path)
	assert.ErrorContains(t, err, "longer than")
}

func FuzzRead(f *testing.F) {
	f.Add(config.Example)
	f.Add("pool: x\nqueues: [{name: &a b}, *a]")
	f.Add("pool: &a [*a]")
	f.Add("? [a]\n: b\nhtcondor: {schedds: ['-x']}")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := config.Read(strings.NewReader(text), "f")
		if err == nil {
			require.NoError(t, c.Policy().Validate())
		} else {
			require.Contains(t, err.Error(), "f:")
		}
	})
}
