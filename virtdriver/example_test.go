package virtdriver_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
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
	return []cyborgclient.ARQ{{UUID: "2c6be03a", State: cyborgclient.StateBindFailed, InstanceUUID: instance, Hostname: "cn1"}}, nil
}

func ExampleNewWaiter() {
	waiter, err := virtdriver.NewWaiter(failing{}, virtdriver.WithTimeout(time.Minute))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = waiter.Wait(context.Background(), virtdriver.Expectation{Instance: "10bfcf46", Hostname: "cn1", ARQs: []string{"2c6be03a"}})
	fmt.Println(err)
	// Output: wait for ARQs of instance 10bfcf46: binding failed after 0s; ARQ 2c6be03a is not bound (state BindFailed)
}
