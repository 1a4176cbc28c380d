package functional_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// tempestScenarios are tests/scenario. Nova is played by what it asks of Cyborg in each of them, the guest by the devices of its
// domain.
var tempestScenarios = []tempestCase{
	{name: "scenario basic ops", run: pciLife()},
	{
		name: "scenario service token", has: func(r fakecyborg.Release) bool { return r.ServiceTokens },
		options: []fakecyborg.Option{fakecyborg.WithTokensYAML("personas", []byte(personas))}, run: serviceTokenScenario,
	},
	{name: "scenario pci create and delete", run: pciLife()},
	{name: "scenario pci guest reboot", run: pciLife(nothing)},
	{name: "scenario pci soft reboot", run: pciLife(nothing)},
	{name: "scenario pci hard reboot", run: pciLife(query)},
	{name: "scenario pci pause", run: pciLife(nothing, nothing)},
	{name: "scenario pci snapshot", run: pciLife(nothing)},
	{name: "scenario pci backup", run: pciLife(nothing)},
	{name: "scenario pci lock", run: pciLife(nothing, nothing)},
	{name: "scenario pci rebuild", run: pciLife(query)},
	{name: "scenario pci shelve and unshelve", run: pciLife(shelve, boot)},
}

// novaStep is what Nova asks of Cyborg in one operation, and whether the instance has its device after it.
type novaStep struct {
	run func(*testing.T, tempest, string)
	has bool
}

var (
	// nothing is an operation in which Nova does not call Cyborg.
	nothing = novaStep{func(*testing.T, tempest, string) {}, true}
	query   = novaStep{func(t *testing.T, c tempest, instance string) {
		t.Helper()
		require.NotEmpty(t, c.ofInstance(t, instance, ""))
	}, true}
	boot   = novaStep{bootInstance, true}
	shelve = novaStep{deleteInstance, false}
)

func bootInstance(t *testing.T, c tempest, instance string) {
	t.Helper()
	require.Len(t, c.call(t, "GET", profilesPath+"?name=pci", "").want(t, http.StatusOK).list(t, "device_profiles"), 1)
	c.bind(t, text(t, c.arqs(t, "pci")[0], "uuid"), instance)
}

func deleteInstance(t *testing.T, c tempest, instance string) {
	t.Helper()
	c.call(t, "DELETE", arqsPath+"?instance="+instance, "").want(t, http.StatusNoContent)
}

func (c tempest) ofInstance(t *testing.T, instance, more string) []map[string]any {
	t.Helper()
	return c.call(t, "GET", arqsPath+"?instance="+instance+more, "").want(t, http.StatusOK).list(t, "arqs")
}

// pciLife boots an instance with a GPU, takes it through steps and deletes it.
func pciLife(steps ...novaStep) func(*testing.T, tempest) {
	return func(t *testing.T, c tempest) {
		t.Helper()
		c.profile(t, "pci", "PGPU")
		instance := uuid.NewString()
		for _, step := range append([]novaStep{boot}, steps...) {
			step.run(t, c, instance)
			if step.has {
				seesDevice(t, c, instance)
			} else {
				assert.Empty(t, c.ofInstance(t, instance, ""))
			}
		}
		deleteInstance(t, c, instance)
		assert.Empty(t, c.ofInstance(t, instance, ""))
		assert.Empty(t, c.call(t, "GET", arqsPath, "").want(t, http.StatusOK).list(t, "arqs"))
	}
}

// seesDevice finds the device in Cyborg's answer, and in the domain that comes of it.
func seesDevice(t *testing.T, c tempest, instance string) {
	t.Helper()
	arqs := c.ofInstance(t, instance, "&bind_state=resolved")
	require.Len(t, arqs, 1)
	assert.Equal(t, "PCI", arqs[0]["attach_handle_type"])
	info, ok := arqs[0]["attach_handle_info"].(map[string]any)
	require.True(t, ok)
	for _, key := range []string{"domain", "bus", "device", "function"} {
		assert.Contains(t, info, key)
	}
	listed, err := cyborgClient(t, c.server.Transport()).ARQsByInstance(t.Context(), instance)
	require.NoError(t, err)
	composition, err := virtdriver.Compose([]byte(domainXML), listed)
	require.NoError(t, err)
	devices := hostdevs(t, composition.XML)
	require.Len(t, devices, 1)
	assert.EqualValues(t, 0xaf, *devices[0].SubsysPCI.Source.Address.Bus)
}

// serviceTokenScenario is the check of the fixes of CVE-2026-40214: a user may not take the accelerators from a running instance.
func serviceTokenScenario(t *testing.T, c tempest) {
	c.asUser("admin").profile(t, "pci", "PGPU")
	member := c.asUser("member")
	arq, instance := text(t, member.arqs(t, "pci")[0], "uuid"), uuid.NewString()
	member.bind(t, arq, instance, "X-Service-Token", "nova")
	assert.Equal(t, []string{instance}, texts(t, member.call(t, "GET", arqsPath, "").want(t, http.StatusOK).list(t, "arqs"), "instance_uuid"))
	refused := member.call(t, "DELETE", arqsPath+"?instance="+instance, "").want(t, http.StatusForbidden)
	assert.Contains(t, refused.body, "requires a service token")
	require.Len(t, member.ofInstance(t, instance, ""), 1)
	member.call(t, "DELETE", arqsPath+"?instance="+instance, "", "X-Service-Token", "nova").want(t, http.StatusNoContent)
	assert.Empty(t, member.ofInstance(t, instance, ""))
}
