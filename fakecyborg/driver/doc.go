// Package driver holds the fake device drivers of fakecyborg: each turns one
// card of a host, as a seed describes it, into the device, the deployable, the
// attributes and the attach handles that the Cyborg driver of that card would
// report.
//
// Three drivers exist, see [Named]:
//
//   - "fpga", an Intel PAC with Arria 10 (cyborg/accelerator/drivers/fpga/intel):
//     resource class FPGA, handles of type PCI, one for each virtual function or
//     one for the card.
//   - "pgpu", a whole NVIDIA GPU (cyborg/accelerator/drivers/gpu): resource
//     class PGPU, traits OWNER_CYBORG and CUSTOM_NVIDIA_<product>, one PCI handle.
//   - "fake", Cyborg's own test driver (cyborg/accelerator/drivers/fake.py):
//     resource class FPGA, 16 handles of type TEST_PCI, which Nova never
//     attaches to a guest.
//
// A driver knows nothing of Placement; fakecyborg reports one child provider
// for each deployable, with the UUID that [ProviderUUID] gives.
package driver
