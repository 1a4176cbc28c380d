package driver_test

import (
	"context"
	"fmt"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// camera is a device of one's own: it needs nothing but Discover.
type camera struct{ host string }

func (c camera) Discover(context.Context) ([]driver.Device, error) {
	return []driver.Device{{
		Type: "AICHIP", Vendor: "1de4", Model: "smart camera", ControlPath: "0000:41:00.0",
		Deployables: []driver.Deployable{{
			Name: c.host + "_0000:41:00.0", Driver: "camera",
			Attributes: []driver.Pair{{Key: "rc", Value: "CUSTOM_CAMERA"}, {Key: "trait0", Value: "CUSTOM_CAMERA_4K"}},
			Handles: []driver.Handle{{Type: driver.HandlePCI, Info: []driver.Pair{
				{Key: "bus", Value: "41"}, {Key: "device", Value: "00"}, {Key: "domain", Value: "0000"}, {Key: "function", Value: "0"},
			}}},
		}},
	}}, nil
}

func ExampleDriver() {
	var own driver.Driver = camera{host: "compute-1"}
	found, err := own.Discover(context.Background())
	if err != nil {
		panic(err)
	}
	report := driver.Compare(nil, found)
	for _, device := range report.Added {
		part := device.Deployables[0]
		fmt.Println(part.ResourceClass(), part.Traits(), part.NumAccelerators(), driver.ProviderUUID(part.Name))
	}
	// Output: CUSTOM_CAMERA [CUSTOM_CAMERA_4K] 1 1b9dd16b-d32f-3393-99ef-38aa202057e7
}

func ExampleNamed() {
	gpu, err := driver.Named("pgpu")
	if err != nil {
		panic(err)
	}
	device, err := gpu.Describe("compute-1", driver.Card{Address: "0000:af:00.0", ProductID: "1eb8"})
	if err != nil {
		panic(err)
	}
	for _, deployable := range device.Deployables {
		fmt.Println(deployable.Name, deployable.ResourceClass(), len(deployable.Handles))
	}
	// Output: compute-1_0000:af:00.0 PGPU 1
}

// A tenant's function is loaded into an FPGA, which then shows it.
func ExampleMachine() {
	machine, err := driver.NewMachine("compute-1")
	if err != nil {
		panic(err)
	}
	card, err := machine.Insert("fpga", driver.Card{Address: "0000:3b:00.0", RegionID: "69528db6"})
	if err != nil {
		panic(err)
	}
	images := driver.Images{{ID: "5e4a1c1e-0000-4000-8000-000000000001", FunctionID: "3afb", RegionID: "69528db6"}}
	image, err := images.ByFunction("3afb")
	if err != nil {
		panic(err)
	}
	loaded, err := machine.Program(context.Background(), card.Deployables[0].Name, image)
	if err != nil {
		panic(err)
	}
	for _, trait := range loaded.Traits() {
		fmt.Println(trait)
	}
	// Output:
	// CUSTOM_FPGA_INTEL
	// CUSTOM_FPGA_INTEL_PAC_ARRIA10
	// CUSTOM_FPGA_FUNCTION_ID_INTEL_3AFB
	// CUSTOM_FPGA_REGION_INTEL_69528DB6
}
