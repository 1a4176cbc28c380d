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
// # Fields
//
// What each reads of a [Card], by the keys of seeds, and the default in
// parentheses; "-" is not read and must be left out:
//
//	            | fpga                   | pgpu                   | fake
//	------------+------------------------+------------------------+-----
//	address     | needed                 | needed                 | -
//	product_id  | -                      | 4 hexadecimal digits   | -
//	            |                        | (1db4, a Tesla V100)   |
//	model       | -                      | any text               | -
//	            |                        | (miss model info)      |
//	function_id | hexadecimal digits     | -                      | -
//	            | (none, and no trait)   |                        |
//	region_id   | hexadecimal digits     | -                      | -
//	            | (none, and no trait)   |                        |
//	vfs         | 0 to 255 (0)           | -                      | -
//
// An address is written "0000:3b:00.0". With vfs the virtual functions take the
// addresses that follow the card's on its bus, and the deployable has the name of
// the last; without, the card itself is the one accelerator. function_id becomes
// the trait CUSTOM_FPGA_FUNCTION_ID_INTEL_<id>, region_id
// CUSTOM_FPGA_REGION_INTEL_<id>, product_id CUSTOM_NVIDIA_<id>, in upper case.
// One host has at most one fake device, since its address is always 0000:0c:00.0.
//
// A driver knows nothing of Placement; fakecyborg reports one child provider
// for each deployable, with the UUID that [ProviderUUID] gives.
package driver
