package functional_test

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"libvirt.org/go/libvirtxml"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// TestQEMUTakesHostDevices defines domains with host devices in a libvirt that drives QEMU. It gives the devices back
// as they were put in, with what libvirt adds (the guest's address), so composing again changes nothing.
func TestQEMUTakesHostDevices(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(*testing.T) virsh{"session": startSessionLibvirt, "system": startSystemLibvirt} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			takesHostDevices(t, start(t))
		})
	}
}

func takesHostDevices(t *testing.T, libvirt virsh) {
	t.Helper()
	arqs := []cyborgclient.ARQ{
		pciARQ("6f1f2a3c-0b57-4a2e-8d1c-1c9f6b2f7a01", "0000", "3b", "00", "0"),
		pciARQ("6f1f2a3c-0b57-4a2e-8d1c-1c9f6b2f7a02", "0000", "3b", "00", "1"), mdevARQ("6f1f2a3c-0b57-4a2e-8d1c-1c9f6b2f7a03"),
	}
	port := virtdriver.WithPorts(virtdriver.Port{
		ID: "port", MAC: "52:54:00:ab:cd:ef", VLAN: 7, ARQ: pciARQ("6f1f2a3c-0b57-4a2e-8d1c-1c9f6b2f7a04", "0000", "d8", "02", "1"),
	})
	for _, test := range []struct {
		name, machine string
		opts          []virtdriver.ComposeOption
	}{
		{name: "plain", machine: "q35"},
		{name: "oldmachine", machine: "pc"},
		{name: "functions", machine: "pc", opts: []virtdriver.ComposeOption{virtdriver.WithMultifunction("0000:00:10")}},
		{name: "options", machine: "q35", opts: []virtdriver.ComposeOption{virtdriver.WithDevice(allOptions)}},
		{name: "placed", machine: "pc", opts: []virtdriver.ComposeOption{virtdriver.WithDevice(placedOptions)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			before := []byte("<domain type='qemu'>\n  <name>" + test.name + "</name>\n  <memory unit='MiB'>64</memory>\n  <os>\n" +
				"    <type arch='x86_64' machine='" + test.machine + "'>hvm</type>\n  </os>\n  <devices>\n    <graphics type='vnc'/>\n    " + teamedInterface + "\n  </devices>\n</domain>\n")
			opts := append(test.opts, port)
			composition, err := virtdriver.Compose(before, arqs, opts...)
			require.NoError(t, err)
			libvirt.run(t, "define", "--validate", writeDomain(t, composition.XML))
			after := libvirt.run(t, "dumpxml", test.name)
			assert.Empty(t, cmp.Diff(withoutAdded(hostdevs(t, composition.XML)), withoutAdded(hostdevs(t, after))))

			again, err := virtdriver.Compose(after, arqs, opts...)
			require.NoError(t, err)
			assert.Equal(t, string(after), string(again.XML))
			bare, err := virtdriver.Decompose(after, arqs, opts...)
			require.NoError(t, err)
			assert.Empty(t, hostdevs(t, bare.XML))
			libvirt.run(t, "define", "--validate", writeDomain(t, bare.XML))
		})
	}
}

// allOptions are those that libvirt 9 knows.
func allOptions(arq cyborgclient.ARQ) virtdriver.DeviceOptions {
	options := virtdriver.DeviceOptions{Alias: "ua-" + arq.UUID, ROMBar: new(true)}
	if arq.AttachHandle.Type == cyborgclient.HandleMDEV {
		options.Display, options.RAMFB = new(true), new(true)
		return options
	}
	options.Driver = "vfio"
	options.Managed = new(arq.AttachHandle.Info["function"] == "0")
	if *options.Managed {
		options.BootOrder = 1
	}
	return options
}

// withoutAdded leaves out what libvirt adds: the guest's address, and what it takes when nothing is said.
func withoutAdded(devices []libvirtxml.DomainHostdev) []libvirtxml.DomainHostdev {
	for i := range devices {
		devices[i].Address = nil
		if pci := devices[i].SubsysPCI; pci != nil && pci.Driver != nil && *pci.Driver == (libvirtxml.DomainHostdevSubsysPCIDriver{Name: "vfio"}) {
			pci.Driver = nil
		}
		if mdev := devices[i].SubsysMDev; mdev != nil && mdev.Display == "off" {
			mdev.Display = ""
		}
	}
	return devices
}

// nobody is the user that has no rights and no files.
const nobody = 65534

// virsh is how to reach a libvirt daemon of a test.
type virsh struct {
	uri         string
	environment []string
}

func (v virsh) run(t *testing.T, args ...string) []byte {
	t.Helper()
	command := exec.CommandContext(t.Context(), "virsh", append([]string{"--quiet", "--connect", v.uri}, args...)...)
	command.Env = v.environment
	out, err := command.CombinedOutput()
	require.NoError(t, err, "virsh %s: %s", strings.Join(args, " "), out)
	return out
}

// startSessionLibvirt starts a session daemon whose files are all in a folder of the test. Root gives its rights up for
// it, since root's daemon is that of the whole machine.
func startSessionLibvirt(t *testing.T) virsh {
	t.Helper()
	folder := libvirtFolder(t)
	daemon := exec.CommandContext(context.WithoutCancel(t.Context()), "libvirtd")
	daemon.Env = append(os.Environ(), "HOME="+folder)
	for _, name := range []string{"RUNTIME_DIR", "CONFIG_HOME", "CACHE_HOME", "DATA_HOME"} {
		daemon.Env = append(daemon.Env, "XDG_"+name+"="+folder+"/"+name)
		require.NoError(t, os.Mkdir(filepath.Join(folder, name), 0o700))
	}
	if os.Getuid() == 0 {
		daemon.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		require.NoError(t, filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
			require.NoError(t, err)
			return os.Chown(path, nobody, nobody)
		}))
	}
	socket := filepath.Join(folder, "RUNTIME_DIR", "libvirt", "libvirt-sock")
	startDaemon(t, daemon, socket)
	return virsh{"qemu+unix:///session?socket=" + socket, daemon.Env}
}

// startSystemLibvirt starts the daemon of the whole machine, kept apart from the machine's own.
func startSystemLibvirt(t *testing.T) virsh {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root may run the libvirt daemon of the machine")
	}
	folder := libvirtFolder(t)
	requireMountNamespaces(t)
	daemon := exec.CommandContext(context.WithoutCancel(t.Context()), "bash", "libvirtd_system.sh", folder)
	socket := filepath.Join(folder, "libvirt", "libvirt-sock")
	startDaemon(t, daemon, socket)
	return virsh{"qemu+unix:///system?socket=" + socket, append(os.Environ(), "HOME="+folder)}
}

// requireMountNamespaces skips the test where root may not make them, as in many containers.
func requireMountNamespaces(t *testing.T) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "unshare", "--mount", "true").CombinedOutput()
	switch {
	case err == nil:
	case os.Getenv("NOVACYBORG_PEERS") == "required":
		t.Fatalf("NOVACYBORG_PEERS=required: no mount namespaces: %s", out)
	default:
		t.Skipf("no mount namespaces: %s", out)
	}
}

func libvirtFolder(t *testing.T) string {
	t.Helper()
	requirePrograms(t, "libvirtd", "qemu-system-x86_64", "virsh", "virt-xml-validate", "xmllint")
	folder, err := os.MkdirTemp("", "nl") //nolint:usetesting // the path of a socket is at most 108 bytes long
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
