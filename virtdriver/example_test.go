package virtdriver_test

import (
	"context"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"strings"
	"testing/fstest"
	"time"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

func ExampleCompose() {
	arq := cyborgclient.ARQ{
		UUID: "2c6be03a-591b-4311-8932-ebc5b4548fa2", State: cyborgclient.StateBound,
		AttachHandle: cyborgclient.AttachHandle{
			Type: cyborgclient.HandlePCI,
			Info: map[string]any{"domain": "0000", "bus": "3b", "device": "0", "function": "1"},
		},
	}
	guest := `<domain type='kvm'>
  <devices>
    <emulator>/usr/bin/qemu-system-x86_64</emulator>
  </devices>
</domain>`
	composed, err := virtdriver.Compose([]byte(guest), []cyborgclient.ARQ{arq})
	fmt.Println(string(composed.XML), err)

	_, err = virtdriver.Compose([]byte("<domain type='kvm'>\n  <devices>\n"), nil)
	fmt.Println(err)
	// Output:
	// <domain type='kvm'>
	//   <devices>
	//     <emulator>/usr/bin/qemu-system-x86_64</emulator>
	//     <hostdev mode='subsystem' type='pci' managed='yes'>
	//       <source>
	//         <address domain='0x0000' bus='0x3b' slot='0x00' function='0x1'/>
	//       </source>
	//     </hostdev>
	//   </devices>
	// </domain> <nil>
	// compose domain: line 3 column 1: malformed XML: unexpected EOF, <devices> is not closed
}

// guest is a running guest with a device.
const guest = `<domain type='kvm'>
  <devices>
    <hostdev mode='subsystem' type='pci' managed='yes'>
      <source>
        <address domain='0x0000' bus='0x3b' slot='0x00' function='0x1'/>
      </source>
      <alias name='hostdev0'/>
    </hostdev>
  </devices>
</domain>`

func ExampleDecompose() {
	bare, err := virtdriver.Decompose([]byte(guest), []cyborgclient.ARQ{pciARQ("2c6be03a", "0000:3b:00.1")})
	fmt.Println(string(bare.XML), err)
	// Output:
	// <domain type='kvm'>
	//   <devices>
	//   </devices>
	// </domain> <nil>
}

func ExampleReplace() {
	moved, err := virtdriver.Replace([]byte(guest),
		[]cyborgclient.ARQ{pciARQ("2c6be03a", "0000:3b:00.1")}, []cyborgclient.ARQ{pciARQ("77a1c0de", "0000:d8:00.0")})
	fmt.Println(string(moved.XML), err)
	// Output:
	// <domain type='kvm'>
	//   <devices>
	//     <hostdev mode='subsystem' type='pci' managed='yes'>
	//       <source>
	//         <address domain='0x0000' bus='0xd8' slot='0x00' function='0x0'/>
	//       </source>
	//       <alias name='hostdev0'/>
	//     </hostdev>
	//   </devices>
	// </domain> <nil>
}

func ExampleHotPlug() {
	fragments, err := virtdriver.HotPlug([]byte(guest), []cyborgclient.ARQ{mdevARQ("77a1c0de", "b2dd8561-7619-4216-bd8e-5c1e51fa76d8")})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(fragments[0].Mediated.XML(), fragments[0].XML)
	// Output:
	// <device>
	//   <parent>pci_0000_81_14_3</parent>
	//   <capability type='mdev'>
	//     <type id='nvidia-35'/>
	//     <uuid>b2dd8561-7619-4216-bd8e-5c1e51fa76d8</uuid>
	//   </capability>
	// </device>
	// <hostdev mode='subsystem' type='mdev' model='vfio-pci' managed='no'>
	//   <source>
	//     <address uuid='b2dd8561-7619-4216-bd8e-5c1e51fa76d8'/>
	//   </source>
	// </hostdev>
}

func ExampleWithDevice() {
	options := virtdriver.WithDevice(func(arq cyborgclient.ARQ) virtdriver.DeviceOptions {
		return virtdriver.DeviceOptions{Alias: "ua-" + arq.UUID, ROMBar: new(false)}
	})
	composed, err := virtdriver.Compose([]byte("<domain type='kvm'><devices></devices></domain>"), []cyborgclient.ARQ{pciARQ("77a1c0de", "0000:d8:00.0")}, options)
	fmt.Println(string(composed.XML), err)
	// Output: <domain type='kvm'><devices><hostdev mode='subsystem' type='pci' managed='yes'><source><address domain='0x0000' bus='0xd8' slot='0x00' function='0x0'/></source><rom bar='off'/><alias name='ua-77a1c0de'/></hostdev></devices></domain> <nil>
}

func ExampleReadTopology() {
	sysfs := fstest.MapFS{ // os.DirFS("/sys/bus/pci/devices") on a host
		"0000:01:00.0/class":       {Data: []byte("0x030000\n")},
		"0000:01:00.0/iommu_group": {Data: []byte("../../kernel/iommu_groups/2"), Mode: fs.ModeSymlink},
		"0000:01:00.1/class":       {Data: []byte("0x040300\n")},
		"0000:01:00.1/iommu_group": {Data: []byte("../../kernel/iommu_groups/2"), Mode: fs.ModeSymlink},
	}
	topology, err := virtdriver.ReadTopology(sysfs)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = virtdriver.Compose([]byte(guest), []cyborgclient.ARQ{pciARQ("77a1c0de", "0000:01:00.0")}, virtdriver.WithTopology(topology))
	fmt.Println(err)
	// Output: compose domain: ARQ 77a1c0de: IOMMU group: 0000:01:00.0 is in group 2 with 0000:01:00.1, which this guest does not have
}

func ExamplePortBindingProfile() {
	arq := pciARQ("77a1c0de", "0000:0c:00.1")
	arq.AttachHandle.Info["physical_network"] = "physnet1"
	profile, err := virtdriver.PortBindingProfile(arq)
	fmt.Println(profile, err)
	// Output: {physnet1 0000:0c:00.1 77a1c0de} <nil>
}

func ExampleNewReceiver() {
	receiver, err := virtdriver.NewReceiver(virtdriver.WithInstances(func(string) virtdriver.InstanceState {
		return virtdriver.InstanceWithoutHost
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	request := httptest.NewRequestWithContext(context.Background(), "POST", "/v2.1/os-server-external-events", strings.NewReader(
		`{"events": [{"name": "accelerator-request-bound", "server_uuid": "10bfcf46-3c8e-40eb-ad69-def1991ef164", "tag": "2c6be03a"}]}`))
	request.Header.Set("OpenStack-API-Version", "compute 2.82")
	answer := httptest.NewRecorder()
	receiver.ServeHTTP(answer, request)
	fmt.Print(answer.Code, " ", answer.Body)
	// Output: 207 {"events":[{"name":"accelerator-request-bound","server_uuid":"10bfcf46-3c8e-40eb-ad69-def1991ef164","tag":"2c6be03a","status":"failed","code":422}]}
}

// failing is a Cyborg that could not program the device.
type failing struct{}

func (failing) ARQsByInstance(_ context.Context, instance string) ([]cyborgclient.ARQ, error) {
	return []cyborgclient.ARQ{{UUID: "2c6be03a-591b-4311-8932-ebc5b4548fa2", State: cyborgclient.StateBindFailed, InstanceUUID: instance, Hostname: "cn1"}}, nil
}

func ExampleNewWaiter() {
	waiter, err := virtdriver.NewWaiter(failing{}, virtdriver.WithTimeout(time.Minute))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = waiter.Wait(context.Background(), virtdriver.Expectation{
		Instance: "10bfcf46-3c8e-40eb-ad69-def1991ef164", Hostname: "cn1", ARQs: []string{"2c6be03a-591b-4311-8932-ebc5b4548fa2"},
	})
	fmt.Println(err)
	// Output: wait for ARQs of instance 10bfcf46-3c8e-40eb-ad69-def1991ef164: binding failed after 0s; ARQ 2c6be03a-591b-4311-8932-ebc5b4548fa2 is not bound (state BindFailed)
}
