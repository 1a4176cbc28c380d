package pciowner_test

import (
	"fmt"

	"github.com/novacyborg/novacyborg/virtdriver/pciowner"
)

func ExampleCheck() {
	devices := []pciowner.Device{{Address: "0000:3b:00.0", Vendor: "10de", Product: "1eb8", Class: "0302"}}
	nova, err := pciowner.ParseNova(devices, pciowner.File{Name: "nova.conf", Text: []byte("[pci]\ndevice_spec = {\"address\": \"*:3b:00.*\"}")})
	if err != nil {
		fmt.Println(err)
		return
	}
	cyborg, err := pciowner.ParseCyborg(devices, pciowner.File{Name: "cyborg.conf", Text: []byte("[agent]\nenabled_drivers = nvidia_gpu_driver")})
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := pciowner.Check(pciowner.Input{Devices: devices, Nova: nova, Cyborg: cyborg})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, finding := range report.Conflicts() {
		fmt.Println(finding.Kind, finding.Addresses)
	}
	// Output: claimed by both [0000:3b:00.0]
}
