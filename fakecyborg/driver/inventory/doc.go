// Package inventory reads what a real machine says about its PCI devices and
// turns it into the cards of package driver, so that a fake can have the fleet
// that one has.
//
// There are three sources, all read as text, so that they can come from another
// machine:
//
//   - the output of lspci, see [ParseLspci];
//   - a copy of /sys/bus/pci/devices, see [ReadSysfs];
//   - a listing of its files, one a line, see [ParseListing].
//
// Each gives a list of [Function] values. [Cards] sorts them: the functions that
// a Cyborg driver would take become cards, with their virtual functions; all
// others are listed with the reason why nothing takes them. [Rules] hold what
// cyborg.conf would say. sysfs tells more than lspci: which virtual function
// belongs to which card, the types of mediated devices, network interfaces, and
// the ids of an FPGA's region and function.
//
// Lines that cannot be read are errors with file and line; all of them are
// reported at once. What is well formed but of no use, such as functions in
// domains beyond 16 bits, is no error and ends among the ignored.
package inventory
