package functional_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

// commandLine is the openstack command at one fake.
type commandLine struct {
	process *peerProcess
	url     string
	// user is who logs in, at a mini Keystone; without one nobody does.
	user string
	// used are the commands that were run, where they are counted.
	used map[string]bool
}

// commandAnswer is what a command printed and how it ended.
type commandAnswer struct {
	Code           int
	Stdout, Stderr string
}

func (c commandLine) run(t *testing.T, args ...string) commandAnswer {
	t.Helper()
	for i := range args {
		if c.used != nil {
			c.used[strings.Join(args[:i+1], " ")] = true
		}
	}
	var answer commandAnswer
	c.process.ask(t, slices.Concat(c.account(), []string{"accelerator"}, args), &answer)
	return answer
}

func (c commandLine) account() []string {
	if c.user == "" {
		return []string{"--os-auth-type", "none", "--os-endpoint", c.url + "/v2"}
	}
	return []string{
		"--os-auth-url", c.url + "/identity/v3", "--os-username", c.user, "--os-password", "secret", "--os-project-name", c.user,
		"--os-user-domain-name", "Default", "--os-project-domain-name", "Default",
	}
}

// commands are those of the plugin, without "accelerator".
func (c commandLine) commands(t *testing.T) []string {
	t.Helper()
	var names []string
	c.process.ask(t, []string{}, &names)
	return names
}

// rows runs a list command.
func (c commandLine) rows(t *testing.T, args ...string) []map[string]any {
	t.Helper()
	answer := c.run(t, append(args, "-f", "json")...)
	require.Zero(t, answer.Code, "%v: %s", args, answer.Stderr)
	var rows []map[string]any
	require.NoError(t, json.Unmarshal([]byte(answer.Stdout), &rows))
	return rows
}

// one runs a command that shows one thing.
func (c commandLine) one(t *testing.T, args ...string) map[string]any {
	t.Helper()
	answer := c.run(t, append(args, "-f", "json")...)
	require.Zero(t, answer.Code, "%v: %s", args, answer.Stderr)
	var object map[string]any
	require.NoError(t, json.Unmarshal([]byte(answer.Stdout), &object))
	return object
}

// refused runs a command that fails and whose words have a text in them.
func (c commandLine) refused(t *testing.T, words string, args ...string) {
	t.Helper()
	answer := c.run(t, args...)
	require.NotZero(t, answer.Code, "%v: %s", args, answer.Stdout)
	assert.Contains(t, answer.Stdout+answer.Stderr, words, "%v", args)
}

// All commands of the accelerator plugin against every release.
//
//nolint:paralleltest // the releases share one process, and the coverage comes last
func TestAcceleratorCommands(t *testing.T) {
	t.Parallel()
	python := openstackPython(t, "openstackclient.shell, cyborgclient")
	process := startPeer(t, "testdata/cli.py", python)
	driven := newDriven("cli")
	// The client remembers the address that it was given first, so all fakes share one.
	var now http.Handler
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { now.ServeHTTP(w, r) }))
	t.Cleanup(front.Close)
	for _, release := range fakecyborg.Releases() {
		t.Run(release.Version, func(t *testing.T) {
			now = startForPeer(t, driven, release)
			c := commandLine{process: process, url: front.URL}
			if release.Inventory {
				c.walkDevices(t, release)
			}
			profile := c.walkProfiles(t)
			c.walkARQs(t, release)
			assert.Zero(t, c.run(t, "device", "profile", "delete", profile).Code)
			assert.Empty(t, c.rows(t, "device", "profile", "list"))
		})
	}
	t.Run("coverage", func(t *testing.T) { driven.check(t) })
}

func (c commandLine) walkDevices(t *testing.T, release fakecyborg.Release) {
	t.Helper()
	devices := c.rows(t, "device", "list", "--long")
	require.Len(t, devices, 3)
	shown := c.one(t, "device", "show", text(t, devices[0], "uuid"))
	assert.Equal(t, tempestHost, shown["hostname"])
	c.refused(t, "device not found", "device", "show", unknown())
	// This plugin has no such commands; those that do fail before they ask.
	c.refused(t, "command. See '", "device", "disable", text(t, devices[0], "uuid"))

	places := c.rows(t, "deployable", "list")
	require.Len(t, places, 3)
	var card string
	for _, place := range places {
		shown := c.one(t, "deployable", "show", text(t, place, "uuid"))
		assert.Equal(t, place["name"], shown["name"])
		if text(t, shown, "name") == tempestHost+"_0000:3b:00.0" {
			card = text(t, place, "uuid")
		}
	}
	c.refused(t, "deployable not found", "deployable", "show", unknown())
	if release.Programming {
		assert.Equal(t, tempestHost+"_0000:3b:00.0", c.one(t, "deployable", "program", card, plainImage)["name"])
	} else {
		c.refused(t, "405", "deployable", "program", card, plainImage)
	}
}

// walkProfiles leaves one profile.
func (c commandLine) walkProfiles(t *testing.T) (id string) {
	t.Helper()
	created := c.one(t, "device", "profile", "create", "walk", `[{"resources:PGPU": "1"}]`)
	assert.Equal(t, "walk", created["name"])
	id = text(t, created, "uuid")
	rows := c.rows(t, "device", "profile", "list")
	require.Len(t, rows, 1)
	assert.Equal(t, id, rows[0]["uuid"])
	assert.Equal(t, "walk", c.one(t, "device", "profile", "show", id)["name"])
	c.refused(t, "", "device", "profile", "create", "walk", `[{"resources:PGPU": "1"}]`)
	c.refused(t, "404", "device", "profile", "delete", unknown())
	return id
}

func (c commandLine) walkARQs(t *testing.T, release fakecyborg.Release) {
	t.Helper()
	id, instance := text(t, c.one(t, "arq", "create", "walk"), "uuid"), uuid.NewString()
	assert.Equal(t, "Initial", c.one(t, "arq", "show", id)["state"])
	c.refused(t, "404", "arq", "create", "no-such-profile")
	bound := c.one(t, "arq", "bind", id, tempestHost, instance, tempestProvider, "no-project")
	assert.Equal(t, []any{"Bound", instance, "PCI"}, []any{bound["state"], bound["instance_uuid"], bound["attach_handle_type"]})
	rows := c.rows(t, "arq", "list", "--long")
	require.Len(t, rows, 1)
	assert.Equal(t, []any{id, "Bound"}, []any{rows[0]["uuid"], rows[0]["state"]})
	if release.UnbindFault {
		c.refused(t, "500", "arq", "unbind", id)
	} else {
		assert.Equal(t, "Unbound", c.one(t, "arq", "unbind", id)["state"])
	}
	assert.Zero(t, c.run(t, "arq", "delete", id).Code)
	assert.Empty(t, c.rows(t, "arq", "list"))
	c.refused(t, "", "arq", "delete", id)
}
