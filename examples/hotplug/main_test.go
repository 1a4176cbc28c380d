package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/digitalocean/go-libvirt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	vGPU = `{"uuid": "m", "state": "Bound", "attach_handle_type": "MDEV", "attach_handle_uuid": "b2dd8561-7619-4216-bd8e-5c1e51fa76d8",
		"attach_handle_info": {"domain": "0000", "bus": "81", "device": "14", "function": "3", "asked_type": "nvidia-35"}}`
)

func function(arq, number string) string {
	return fmt.Sprintf(`{"uuid": %q, "state": "Bound", "attach_handle_type": "PCI",
		"attach_handle_info": {"domain": "0000", "bus": "3b", "device": "00", "function": %q}}`, arq, number)
}

// qemu is a guest of a libvirt that drives QEMU.
type qemu struct {
	*host

	uri, socket string
	domain      libvirt.Domain
}

// daemons are the libvirts that drive QEMU: a user's own, and that of the whole machine.
var daemons = []struct {
	uri   string
	start func(*testing.T) (socket string)
}{
	{"qemu:///session", startLibvirt},
	{"qemu:///system", startSystemLibvirt},
}

// onEach runs the test with a guest of each daemon.
func onEach(t *testing.T, run func(*testing.T, qemu)) {
	t.Helper()
	for _, daemon := range daemons {
		t.Run(daemon.uri, func(t *testing.T) {
			t.Parallel()
			run(t, newQEMU(t, daemon.uri, daemon.start(t)))
		})
	}
}

func newQEMU(t *testing.T, uri, socket string) qemu {
	t.Helper()
	h, err := open(uri, socket, time.Minute, os.Stderr)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.close()) })
	domain, err := h.DomainDefineXML("<domain type='qemu'><name>guest</name><memory unit='MiB'>64</memory><os><type arch='x86_64' machine='q35'>hvm</type></os>" +
		"<devices><controller type='pci' model='pcie-root'/><controller type='pci' model='pcie-root-port'/>" +
		"<controller type='usb' model='none'/><memballoon model='none'/></devices></domain>")
	require.NoError(t, err)
	return qemu{h, uri, socket, domain}
}

// hotplug runs the program.
func (q qemu) hotplug(t *testing.T, arqs string, more ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := run(t.Context(), append([]string{"-connect", q.uri, "-socket", q.socket, "-domain", "guest", "-arqs", write(t, arqs)}, more...), &out)
	return out.String(), err
}

func (q qemu) hostdevs(t *testing.T) int {
	t.Helper()
	xml, err := q.DomainGetXMLDesc(q.domain, 0)
	require.NoError(t, err)
	return strings.Count(xml, "<hostdev ")
}

func TestDefinedGuest(t *testing.T) {
	t.Parallel()
	onEach(t, definedGuest)
}

func definedGuest(t *testing.T, q qemu) {
	t.Helper()
	two := `{"arqs": [` + function("a", "0") + "," + function("b", "1") + "]}"
	for range 2 { // repeating changes nothing
		out, err := q.hotplug(t, two)
		require.NoError(t, err)
		assert.Equal(t, "defined: ARQ a\ndefined: ARQ b\n", out)
		assert.Equal(t, 2, q.hostdevs(t))
	}
	_, err := q.hotplug(t, "["+function("c", "2")+","+vGPU+"]")
	require.ErrorContains(t, err, "mediated device b2dd8561-7619-4216-bd8e-5c1e51fa76d8: parent: ")
	assert.Equal(t, 2, q.hostdevs(t))

	out, err := q.hotplug(t, "["+function("a", "0")+"]", "-unplug")
	require.NoError(t, err)
	assert.Equal(t, "taken out: ARQ a\n", out)
	assert.Equal(t, 1, q.hostdevs(t))
	_, err = q.hotplug(t, two, "-unplug")
	require.NoError(t, err)
	assert.Equal(t, 0, q.hostdevs(t))
	out, err = q.hotplug(t, two, "-unplug")
	require.NoError(t, err)
	assert.Equal(t, "nothing to do\n", out)
}

// TestRunningGuest has no device that could be plugged in: it sees what libvirt and the checks before it refuse.
func TestRunningGuest(t *testing.T) {
	t.Parallel()
	onEach(t, runningGuestOf)
}

func runningGuestOf(t *testing.T, q qemu) {
	t.Helper()
	require.NoError(t, q.DomainCreate(q.domain))
	t.Cleanup(func() { require.NoError(t, q.DomainDestroy(q.domain)) })
	_, err := q.hotplug(t, "["+function("a", "0")+","+function("b", "1")+"]")
	require.ErrorContains(t, err, "2 devices need one each, the guest has 1 (free PCI Express ports")
	_, err = q.hotplug(t, "["+function("a", "0")+"]")
	require.ErrorContains(t, err, "plug ARQ a into guest: ")
	_, err = q.hotplug(t, "["+vGPU+"]")
	require.ErrorContains(t, err, "plug ARQ m into guest: mediated device b2dd8561-7619-4216-bd8e-5c1e51fa76d8: parent: ")
	out, err := q.hotplug(t, "["+function("a", "0")+"]", "-unplug")
	require.NoError(t, err)
	assert.Equal(t, "nothing to do\n", out, "it does not have it")
	assert.Equal(t, 0, q.hostdevs(t))
}

// TestTestDriver talks to libvirt's test driver, whose guest runs and takes no device while it does.
func TestTestDriver(t *testing.T) {
	t.Parallel()
	socket := startLibvirt(t)
	h, err := open("test:///default", socket, time.Minute, new(bytes.Buffer))
	require.NoError(t, err)
	defer func() { require.NoError(t, h.close()) }() // the driver forgets once nobody is connected
	const arq = "ARQ 0d2914f2-d077-4654-9292-1202797e3e85\n"
	for _, step := range []struct {
		args []string
		want string
	}{
		{nil, "note: this libvirt cannot do it while the guest runs, it holds for its next start\ndefined: " + arq},
		{[]string{"-unplug"}, "taken out: " + arq},
		{[]string{"-unplug"}, "nothing to do\n"},
	} {
		var out bytes.Buffer
		require.NoError(t, run(t.Context(), append([]string{"-socket", socket, "-domain", "test", "-arqs", "arqs.json"}, step.args...), &out))
		assert.Equal(t, step.want, out.String())
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, want string
		args       []string
	}{
		{"nothing given", "give -domain and -arqs", nil},
		{"no file", "no such file", []string{"-domain", "d", "-arqs", filepath.Join(t.TempDir(), "absent")}},
		{"no JSON", "invalid character", []string{"-domain", "d", "-arqs", write(t, "x")}},
		{"no daemon", "connect to test:///default at /absent", []string{"-domain", "d", "-arqs", write(t, "[]"), "-socket", "/absent"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			require.ErrorContains(t, run(t.Context(), test.args, new(bytes.Buffer)), test.want)
		})
	}
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "arqs.json")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// nobody is the user that has no rights and no files.
const nobody = 65534

// startLibvirt starts a session daemon whose files are all in a folder of the test. Root gives its rights up for it,
// since root's daemon is that of the whole machine.
func startLibvirt(t *testing.T) (socket string) {
	t.Helper()
	folder := libvirtFolder(t)
	daemon := exec.CommandContext(context.WithoutCancel(t.Context()), "libvirtd")
	daemon.Env = append(os.Environ(), "HOME="+folder)
	for _, name := range []string{"RUNTIME_DIR", "CONFIG_HOME", "CACHE_HOME", "DATA_HOME"} {
		daemon.Env = append(daemon.Env, "XDG_"+name+"="+folder+"/"+name)
	}
	if os.Getuid() == 0 {
		daemon.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		require.NoError(t, os.Chown(folder, nobody, nobody))
	}
	socket = filepath.Join(folder, "RUNTIME_DIR", "libvirt", "libvirt-sock")
	startDaemon(t, daemon, socket)
	return socket
}

// startSystemLibvirt starts the daemon of the whole machine, kept apart from the machine's own.
func startSystemLibvirt(t *testing.T) (socket string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root may run the libvirt daemon of the machine")
	}
	folder := libvirtFolder(t)
	if out, err := exec.CommandContext(t.Context(), "unshare", "--mount", "true").CombinedOutput(); err != nil {
		absent(t, "no mount namespaces: "+string(out))
	}
	socket = filepath.Join(folder, "libvirt", "libvirt-sock")
	startDaemon(t, exec.CommandContext(context.WithoutCancel(t.Context()), "bash", "../../functional/libvirtd_system.sh", folder), socket)
	return socket
}

// absent skips the test, or fails it where all peers are required.
func absent(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("NOVACYBORG_PEERS") == "required" {
		t.Fatal("NOVACYBORG_PEERS=required: " + what)
	}
	t.Skip(what)
}

func libvirtFolder(t *testing.T) string {
	t.Helper()
	for _, program := range []string{"libvirtd", "qemu-system-x86_64"} {
		if _, err := exec.LookPath(program); err != nil {
			absent(t, "peer is not installed: "+err.Error())
		}
	}
	folder, err := os.MkdirTemp("", "nh") //nolint:usetesting // the path of a socket is at most 108 bytes long
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	return folder
}

// startDaemon waits until the daemon listens, and ends it with the test.
func startDaemon(t *testing.T, daemon *exec.Cmd, socket string) {
	t.Helper()
	var log bytes.Buffer
	daemon.Stderr = &log
	require.NoError(t, daemon.Start())
	t.Cleanup(func() {
		_ = daemon.Process.Signal(syscall.SIGTERM) // it may have ended by itself
		_ = daemon.Wait()                          // it tells of the signal
		if t.Failed() {
			t.Log(log.String())
		}
	})
	require.Eventually(t, func() bool { // the file is there before anybody listens
		connection, err := new(net.Dialer).DialContext(t.Context(), "unix", socket)
		if err != nil {
			return false
		}
		return assert.NoError(t, connection.Close())
	}, time.Minute, 20*time.Millisecond)
}
