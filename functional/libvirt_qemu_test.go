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
	virsh := startLibvirt(t)
	mdev := mdevARQ("6f1f2a3c-0b57-4a2e-8d1c-1c9f6b2f7a03")
	arqs := []cyborgclient.ARQ{
		pciARQ("6f1f2a3c-0b57-4a2e-8d1c-1c9f6b2f7a01", "0000", "3b", "00", "0"),
		pciARQ("6f1f2a3c-0b57-4a2e-8d1c-1c9f6b2f7a02", "0000", "3b", "00", "1"), mdev,
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
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			before := []byte("<domain type='qemu'>\n  <name>" + test.name + "</name>\n  <memory unit='MiB'>64</memory>\n  <os>\n" +
				"    <type arch='x86_64' machine='" + test.machine + "'>hvm</type>\n  </os>\n  <devices>\n    <graphics type='vnc'/>\n  </devices>\n</domain>\n")
			opts := append(test.opts, port)
			composition, err := virtdriver.Compose(before, arqs, opts...)
			require.NoError(t, err)
			virsh("define", "--validate", writeDomain(t, composition.XML))
			after := virsh("dumpxml", test.name)
			assert.Empty(t, cmp.Diff(withoutAdded(hostdevs(t, composition.XML)), withoutAdded(hostdevs(t, after))))

			again, err := virtdriver.Compose(after, arqs, opts...)
			require.NoError(t, err)
			assert.Equal(t, string(after), string(again.XML))
			bare, err := virtdriver.Decompose(after, arqs, opts...)
			require.NoError(t, err)
			assert.Empty(t, hostdevs(t, bare.XML))
			virsh("define", "--validate", writeDomain(t, bare.XML))
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

// startLibvirt starts a session daemon whose files are all in a folder of the test. Root gives its rights up for it,
// since root's daemon is that of the whole machine. The function it returns runs virsh.
func startLibvirt(t *testing.T) (virsh func(args ...string) []byte) {
	t.Helper()
	requirePrograms(t, "libvirtd", "qemu-system-x86_64", "virsh", "virt-xml-validate", "xmllint")
	folder, err := os.MkdirTemp("", "nl") //nolint:usetesting // the path of a socket is at most 108 bytes long
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	environment := append(os.Environ(), "HOME="+folder)
	for _, name := range []string{"RUNTIME_DIR", "CONFIG_HOME", "CACHE_HOME", "DATA_HOME"} {
		environment = append(environment, "XDG_"+name+"="+folder+"/"+name)
		require.NoError(t, os.Mkdir(filepath.Join(folder, name), 0o700))
	}
	var rights syscall.SysProcAttr
	if os.Getuid() == 0 {
		rights.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
		require.NoError(t, filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
			require.NoError(t, err)
			return os.Chown(path, nobody, nobody)
		}))
	}
	var log bytes.Buffer
	daemon := exec.CommandContext(context.WithoutCancel(t.Context()), "libvirtd")
	daemon.Env, daemon.SysProcAttr, daemon.Stderr = environment, &rights, &log
	require.NoError(t, daemon.Start())
	t.Cleanup(func() {
		require.NoError(t, daemon.Process.Signal(syscall.SIGTERM))
		_ = daemon.Wait() // it tells of the signal
		if t.Failed() {
			t.Log(log.String())
		}
	})
	socket := filepath.Join(folder, "RUNTIME_DIR", "libvirt", "libvirt-sock")
	require.Eventually(t, func() bool { // the file is there before anybody listens
		connection, err := new(net.Dialer).DialContext(t.Context(), "unix", socket)
		if err != nil {
			return false
		}
		return assert.NoError(t, connection.Close())
	}, time.Minute, 20*time.Millisecond)
	return func(args ...string) []byte {
		t.Helper()
		command := exec.CommandContext(t.Context(), "virsh", append([]string{"--quiet", "--connect", "qemu+unix:///session?socket=" + socket}, args...)...)
		command.Env = environment
		out, err := command.CombinedOutput()
		require.NoError(t, err, "virsh %s: %s", strings.Join(args, " "), out)
		return out
	}
}
