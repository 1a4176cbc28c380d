// Package driver holds the fake device drivers of fakecyborg: what is known of a
// host's cards, how they change, and what a report of them changes.
//
//   - [Named] gives a [Kind]: it turns one [Card], as a seed describes it, into
//     the [Device] that the Cyborg driver of such cards reports, with its
//     deployables, attributes and attach handles.
//   - [Machine] is the [Driver] of a host: cards come, go, break and are
//     repaired, images are loaded into FPGAs, mediated devices are made. A device
//     of one's own needs no more than the method of [Driver].
//   - [Compare] tells what the next report changes in what is known, with
//     everything that Cyborg's conductor does wrong in it; [CompareCarefully]
//     does it right.
//   - Package inventory below reads the cards of a real machine.
//
// # Kinds
//
// The names that seeds use, with the Cyborg driver that each stands for, the
// resource class, and the handles:
//
//	name        | Cyborg's entry point      | device | class      | handles of a deployable
//	------------+---------------------------+--------+------------+------------------------
//	aichip      | huawei_ascend_driver      | AICHIP | (none)     | 1 PCI
//	fake        | fake_driver               | FPGA   | FPGA       | 16 TEST_PCI
//	fpga        | intel_fpga_driver         | FPGA   | FPGA       | 1 PCI, or one for each VF
//	inspur_fpga | inspur_fpga_driver        | FPGA   | FPGA       | 1 PCI
//	nic         | intel_nic_driver          | NIC    | CUSTOM_NIC | 1 PCI with physical_network
//	pci         | pci_driver                | GPU    | CUSTOM_PCI | 1 PCI
//	pgpu        | nvidia_gpu_driver         | GPU    | PGPU       | 1 PCI
//	qat         | intel_qat_driver          | QAT    | CUSTOM_QAT | 1 PCI
//	ssd         | inspur_nvme_ssd_driver    | SSD    | CUSTOM_SSD | 1 PCI
//	vgpu        | nvidia_gpu_driver         | GPU    | VGPU       | as many MDEV as vgpus
//	xilinx_fpga | xilinx_fpga_driver        | FPGA   | FPGA       | 2 PCI, 1 accelerator
//
// A release older than its driver refuses such a card in a seed: inspur_fpga and qat
// are there from Cyborg 5.0.0 on, nic and ssd from 6.0.0, xilinx_fpga from 9.0.0, vgpu
// from 10.1.0, pci from 14.0.0.
//
// Each virtual function of a nic or qat card is a deployable of its own; those of
// an fpga are handles of one. Nova never attaches a TEST_PCI handle, and an
// aichip is never kept by Cyborg, see [Device.CheckReport], unless
// resource_class is given.
//
// # Keys
//
// What each kind reads of a [Card], by the keys of seeds; what it does not read
// must be left out. All but fake need an address, "0000:3b:00.0".
//
//	key              | read by                        | value (default)
//	-----------------+--------------------------------+------------------------------------
//	controller       | aichip inspur_fpga pgpu ssd    | the class as lspci names it ("3D
//	                 | vgpu xilinx_fpga               | controller" and the like)
//	function_id      | fpga                           | letters, digits, _ (none, no trait)
//	function_name    | nic                            | letters, digits, _ (none, no trait)
//	model            | aichip inspur_fpga pgpu ssd    | the text before the ids in lspci
//	                 | vgpu xilinx_fpga               | (that of the product, where known)
//	physical_network | nic                            | letters, digits, _ (none)
//	product_id       | inspur_fpga nic pci pgpu ssd   | 4 hexadecimal digits (a115; 158b, or
//	                 | vgpu xilinx_fpga               | 1572; 1db4; 1db4; 1001; 1eb8; 5000)
//	region_id        | fpga                           | hexadecimal digits (none, no trait)
//	resource_class   | aichip                         | a class (none)
//	user_address     | xilinx_fpga                    | an address of the same device, or
//	                 |                                | none (the function after address)
//	vendor_id        | pci                            | 4 hexadecimal digits (10de)
//	vf_addresses     | fpga nic qat                   | a list of addresses (none)
//	vfs              | fpga nic qat                   | 0 to 255, which follow address (0)
//	vgpu_name        | vgpu                           | its second word is in the trait
//	                 |                                | ("GRID T4-1B")
//	vgpu_type        | vgpu                           | a name (nvidia-222)
//	vgpus            | vgpu                           | 1 to 999 (16)
//
// Errors are of type [*Error] and name driver, key and value; fakecyborg puts
// file, line and path before them. One host has at most one fake device, since
// its address is always 0000:0c:00.0.
//
// # Programming
//
// Of these kinds fpga and xilinx_fpga take images. A bind that asks for a
// bitstream or a function finds its [Image] in [Images], and [Machine.Program]
// loads it: that takes the time of [WithProgrammingTime], can fail by
// [Machine.FailProgramming], [Machine.Break] and [Machine.Remove], and ends with
// the function id of the image in the card's traits. The bind itself puts
// [FunctionTrait] on the provider, in place of all traits that start with
// [FunctionTraitPrefix]. An image without the property accel:function_id makes
// such a bind fail in Cyborg (a KeyError) after the device is programmed. Unbind
// changes nothing of all that: the device keeps its image.
//
// # Reports
//
// A server that takes reports keeps the devices of each host. For one report it
// holds its lock and
//
//  1. reads the known devices from its tables, with the attributes as they are
//     now, those made through the API included;
//  2. compares them with what [Driver.Discover] found, by [Compare] or, if so
//     configured, [CompareCarefully], for which it leaves the attributes made
//     through the API out;
//  3. carries the [Difference] out, device by device: providers ([ProviderUUID] of
//     the deployable's name) and rows of deleted ones go; new ones get new ids and
//     UUIDs and a provider with class, total and traits; changed ones keep their
//     rows, and the steps are taken in their providers, in order.
//
// A deletion fails, and with it the rest of that host's report, when the provider
// has allocations, or at the first handle that an accelerator request has: the
// database refuses to delete it. So a bound request never loses its handle.
// Where Placement refuses a new device, its rows and providers are removed again
// and the next report tries anew; of a known device just the new deployable is.
//
// A driver knows nothing of Placement, and Compare is a pure function of its two
// lists, so that all this can be tested without a server.
package driver
