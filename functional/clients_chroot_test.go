package functional_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

// clientChroots are the folders of NOVACYBORG_CLIENT_CHROOTS, a list with colons: Debian suites that have the official clients.
func clientChroots(t *testing.T) []string {
	t.Helper()
	roots := filepath.SplitList(os.Getenv("NOVACYBORG_CLIENT_CHROOTS"))
	if len(roots) == 0 {
		t.Skip("NOVACYBORG_CLIENT_CHROOTS names no folder")
	}
	return roots
}

// chrootReleases are those that the clients of chroots meet: what Debian 13 and sid have, and the one before the security fixes.
var chrootReleases = []string{"14.0.0", "14.1.0", "17.0.0"}

// programSeed is that of the tempest cases as cmd/fakecyborg reads it.
const programSeed = `
hosts:
  - name: ` + tempestHost + `
    devices:
      - driver: fake
      - {driver: fpga, address: "0000:3b:00.0"}
      - {driver: pgpu, address: "0000:af:00.0"}
images:
  - {id: ` + plainImage + `, function_id: ` + plainFunction + `}
`

// buildProgram builds cmd/fakecyborg and writes its seed beside it.
func buildProgram(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", folder, "../cmd/fakecyborg").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "seed.yaml"), []byte(programSeed), 0o600))
	return folder
}

// startProgram starts cmd/fakecyborg and returns its address. It ends with the test.
func startProgram(t *testing.T, folder string, flags ...string) (url string) {
	t.Helper()
	address := filepath.Join(t.TempDir(), "address")
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 5*time.Minute)
	program := exec.CommandContext(ctx, filepath.Join(folder, "fakecyborg"),
		append([]string{"-address-file", address, "-seed", filepath.Join(folder, "seed.yaml")}, flags...)...)
	program.Stderr = t.Output()
	require.NoError(t, program.Start())
	t.Cleanup(func() {
		defer cancel()
		require.NoError(t, program.Process.Signal(os.Interrupt))
		require.NoError(t, program.Wait())
	})
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(address)
		url = strings.TrimSpace(string(text))
		return err == nil && url != ""
	}, 30*time.Second, 50*time.Millisecond)
	return url
}

// The clients of newer suites, from their chroots, against cmd/fakecyborg.
//
//nolint:paralleltest // the releases share the clients' processes
func TestClientsOfChroots(t *testing.T) {
	t.Parallel()
	roots := clientChroots(t)
	folder := buildProgram(t)
	for _, root := range roots {
		t.Run(filepath.Base(root), func(t *testing.T) {
			python := []string{"chroot", root, "/usr/bin/python3"}
			commands, proxy := startPeer(t, "testdata/cli.py", python...), startPeer(t, "testdata/accelerator.py", python...)
			used, called := make(map[string]bool), make(map[string]bool)
			address := "127.0.0.1:0" // of all: the client remembers the one that it was given first
			for _, version := range chrootReleases {
				t.Run(version, func(t *testing.T) {
					release, err := fakecyborg.FindRelease(version)
					require.NoError(t, err)
					url := startProgram(t, folder, "-listen", address, "-release", version)
					address = strings.TrimPrefix(url, "http://")
					c := newerCommands{commandLine{process: commands, url: url, used: used}, acceleratorProxy{process: proxy, url: url, called: called}}
					c.walk(t, release)
					if version == chrootReleases[len(chrootReleases)-1] {
						c.checkAllUsed(t)
					}
				})
			}
		})
	}
}

// newerCommands are the openstack command of cyborgclient 2.5 or later, and the proxy that it works with.
type newerCommands struct {
	commandLine
	proxy acceleratorProxy
}

// needs runs a command that calls a method of the proxy. Where the proxy has no such method, the command fails whatever the server says.
func (c newerCommands) needs(t *testing.T, method string, args ...string) (commandAnswer, bool) {
	t.Helper()
	if slices.Contains(c.proxy.methods(t), method) {
		return c.run(t, args...), true
	}
	c.refused(t, "'Proxy' object has no attribute '"+method+"'", args...)
	return commandAnswer{}, false
}

func (c newerCommands) walk(t *testing.T, release fakecyborg.Release) {
	t.Helper()
	c.walkDevices(t, release)
	c.walkAttributes(t)
	profile := c.walkProfiles(t, release)
	c.walkARQs(t, release)
	assert.Zero(t, c.run(t, "device", "profile", "delete", profile).Code)
	assert.Empty(t, c.rows(t, "device", "profile", "list"))

	c.proxy.walkDevices(t, release)
	c.proxy.walkAttributes(t)
	c.proxy.walkARQs(t, release)
}

func (c newerCommands) walkDevices(t *testing.T, _ fakecyborg.Release) {
	t.Helper()
	devices := c.rows(t, "device", "list", "--long")
	require.Len(t, devices, 3)
	device := text(t, devices[0], "uuid")
	shown := c.one(t, "device", "show", device)
	assert.Equal(t, tempestHost, shown["hostname"])
	c.refused(t, "device not found", "device", "show", unknown())
	for _, change := range []string{"disable", "enable"} {
		if answer, can := c.needs(t, change+"_device", "device", change, device); can {
			assert.Zero(t, answer.Code, answer.Stderr)
		}
	}

	card := c.card(t)
	assert.Equal(t, tempestHost+"_0000:3b:00.0", c.one(t, "deployable", "show", card)["name"])
	c.refused(t, "deployable not found", "deployable", "show", unknown())
	c.walkProgram(t, card)
}

func (c newerCommands) card(t *testing.T) (id string) {
	t.Helper()
	places := c.rows(t, "deployable", "list")
	require.Len(t, places, 3)
	for _, place := range places {
		if place["name"] == tempestHost+"_0000:3b:00.0" {
			id = text(t, place, "uuid")
		}
	}
	require.NotEmpty(t, id)
	return id
}

// walkProgram asks to program a card. With the SDKs that these commands come with they fail before they ask: the older calls a method that
// there is not, the newer one that calls itself.
func (c newerCommands) walkProgram(t *testing.T, card string) {
	t.Helper()
	c.refused(t, "deployable not found", "deployable", "program", unknown(), plainImage)
	words := "'Proxy' object has no attribute 'program'"
	if slices.Contains(c.proxy.methods(t), "patch_deployable") {
		words = "maximum recursion depth exceeded"
	}
	c.refused(t, words, "deployable", "program", card, plainImage)
}

func (c newerCommands) walkAttributes(t *testing.T) {
	t.Helper()
	_, can := c.needs(t, "attributes", "device", "attribute", "list")
	if !can {
		c.needs(t, "create_attribute", "device", "attribute", "create", "1", "k", "v")
		c.needs(t, "get_attribute", "device", "attribute", "show", unknown())
		c.needs(t, "delete_attribute", "device", "attribute", "delete", unknown())
		return
	}
	rows := c.rows(t, "device", "attribute", "list", "--long")
	require.NotEmpty(t, rows)
	id := text(t, rows[0], "uuid")
	assert.Equal(t, rows[0]["key"], c.one(t, "device", "attribute", "show", id)["key"])
	c.refused(t, "500", "device", "attribute", "create", "1", "k", "v") // it is sent with another object around it
	assert.Zero(t, c.run(t, "device", "attribute", "delete", id).Code)
	c.refused(t, "not found", "device", "attribute", "delete", id)
}

// walkProfiles leaves one profile.
func (c newerCommands) walkProfiles(t *testing.T, release fakecyborg.Release) (id string) {
	t.Helper()
	created := c.one(t, "device", "profile", "create", "walk", `[{"resources:PGPU": "1"}]`)
	assert.Equal(t, "walk", created["name"])
	id = text(t, created, "uuid")
	assert.Equal(t, id, c.rows(t, "device", "profile", "list")[0]["uuid"])
	assert.Equal(t, "walk", c.one(t, "device", "profile", "show", id)["name"])
	if release.NamedVersionInAnswer {
		assert.Equal(t, id, c.one(t, "device", "profile", "show", "walk")["uuid"])
	} else { // which takes the client's "accelerator 2.3" for 2.0
		c.refused(t, "The minimal required API version should be 2.2 (HTTP 406)", "device", "profile", "show", "walk")
	}
	c.refused(t, "", "device", "profile", "create", "walk", `[{"resources:PGPU": "1"}]`)
	c.refused(t, "not found", "device", "profile", "delete", unknown())
	return id
}

// checkAllUsed fails unless every command of the plugin was run, and every method of the proxy called that asks Cyborg.
func (c newerCommands) checkAllUsed(t *testing.T) {
	t.Helper()
	plugin := c.commands(t)
	require.NotEmpty(t, plugin)
	for _, command := range plugin {
		assert.True(t, c.used[command], "nobody ran %s", command)
	}
	for _, method := range c.proxy.methods(t) {
		if !strings.HasPrefix(method, "wait_for_") {
			assert.True(t, c.proxy.called[method], "nobody called %s", method)
		}
	}
}

// What somebody may do who logs in with a password and has no service token: make and drop ARQs, but not bind or unbind them, since the
// security fixes.
//
//nolint:paralleltest // the releases share the clients' process
func TestClientsOfChrootsLogIn(t *testing.T) {
	t.Parallel()
	roots := clientChroots(t)
	folder := buildProgram(t)
	users := filepath.Join(folder, "users.yaml")
	require.NoError(t, os.WriteFile(users, []byte(guardedUsers), 0o600))
	for _, root := range roots {
		t.Run(filepath.Base(root), func(t *testing.T) {
			process, address := startPeer(t, "testdata/cli.py", "chroot", root, "/usr/bin/python3"), "127.0.0.1:0"
			for _, version := range chrootReleases[1:] {
				t.Run(version, func(t *testing.T) {
					url := startProgram(t, folder, "-listen", address, "-release", version, "-auth", "mini-keystone", "-tokens", users)
					address = strings.TrimPrefix(url, "http://")
					c := commandLine{process: process, url: url, user: "admin"} // the process remembers who logged in first
					assert.Len(t, c.rows(t, "device", "list"), 3)
					c.one(t, "device", "profile", "create", "walk", `[{"resources:PGPU": "1"}]`)
					id := text(t, c.one(t, "arq", "create", "walk"), "uuid")
					c.refused(t, "403", "arq", "bind", id, tempestHost, unknown(), tempestProvider, "no-project")
					c.refused(t, "403", "arq", "unbind", id)
					assert.Equal(t, "Initial", c.one(t, "arq", "show", id)["state"])
					assert.Zero(t, c.run(t, "arq", "delete", id).Code)
				})
			}
		})
	}
}
