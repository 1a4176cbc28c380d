// Pciowners shows who owns each PCI device of a compute host, Nova or Cyborg, and finds those that both hand out.
//
//	lspci -Dnn | go run ./examples/pciowners -lspci - -nova-conf nova.conf -cyborg-conf cyborg.conf
//	go run ./examples/pciowners -sysfs /sys/bus/pci/devices -nova-conf /etc/nova/nova.conf -host cn1 -cloud admin
//	go run ./examples/pciowners -devices devices.json -host cn1 -cyborg http://127.0.0.1:6666/v2 -placement http://127.0.0.1:8778/placement
//	go run ./examples/pciowners                                   a host with every kind of conflict, built in
//
// The devices come from one of -lspci (what lspci -Dnn, -Dnnk or -Dvmmnn prints), -sysfs (/sys/bus/pci/devices, a copy of
// it or a listing of its files) and -devices (a JSON list with address, vendor, product, and if known class, model,
// parent, total_vfs, vf_product, interfaces, serial and iommu_group). lspci does not tell which virtual function belongs
// to which device and which interface is whose, so lists with devname or with the address of a physical function need one
// of the others. "-" is standard input.
//
// What the services claim comes from their files, -nova-conf and -cyborg-conf, each as often as the service has files,
// and from what runs: -cyborg, -placement, or -cloud for both by clouds.yaml. -cyborg and -placement send the token of
// OS_TOKEN ("admin" if it is not set). With these, -host is the name of the compute node.
//
// Every device is listed once with its verdict: nova, cyborg, both, none (an accelerator that nobody hands out) or host
// (left to the host; only with -all). Findings follow. -json prints all of it as one object.
//
// The exit code is 0 when all is well, 1 when two services can hand out the same hardware, and 2 when the input cannot be
// read or a service does not answer.
package main
