package virtdriver

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// ReadTopology reads the PCI functions of a host from sysfs:
//
//	ReadTopology(os.DirFS("/sys/bus/pci/devices"))
func ReadTopology(devices fs.FS) (Topology, error) {
	entries, err := fs.ReadDir(devices, ".")
	if err != nil {
		return nil, fmt.Errorf("read PCI devices: %w", err)
	}
	topology := make(Topology, 0, len(entries))
	for _, entry := range entries {
		f, err := readFunction(devices, entry.Name())
		if err != nil {
			return nil, fmt.Errorf("read PCI device %s: %w", entry.Name(), err)
		}
		topology = append(topology, f)
	}
	return topology, nil
}

func readFunction(devices fs.FS, address string) (HostFunction, error) {
	f := HostFunction{Address: address, Kind: KindPCI, IOMMUGroup: -1, NUMANode: -1}
	class, err := fs.ReadFile(devices, path.Join(address, "class"))
	if err != nil {
		return f, err
	}
	if f.Class = strings.TrimPrefix(strings.TrimSpace(string(class)), "0x"); len(f.Class) > 4 {
		f.Class = f.Class[:4] // base and subclass, without the programming interface
	}
	if node, err := fs.ReadFile(devices, path.Join(address, "numa_node")); err == nil {
		if f.NUMANode, err = strconv.Atoi(strings.TrimSpace(string(node))); err != nil {
			return f, err
		}
	}
	group, err := fs.ReadLink(devices, path.Join(address, "iommu_group"))
	if err == nil {
		f.IOMMUGroup, err = strconv.Atoi(path.Base(group))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	switch {
	case exists(devices, path.Join(address, "physfn")):
		f.Kind = KindVirtual
	case exists(devices, path.Join(address, "sriov_totalvfs")):
		f.Kind = KindPhysical
	}
	return f, nil
}

func exists(devices fs.FS, name string) bool {
	_, err := fs.Lstat(devices, name)
	return err == nil
}
