package inventory

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
)

// ReadSysfs reads a copy of /sys/bus/pci/devices, such as os.DirFS of it: a
// directory for each function, with the files vendor, device and class. Links to
// physfn, virtfnN and driver are read where the copy has kept them; where it has
// followed them, the uevent files in the copied directories are. Entries that do
// not have the name of an address are left out.
func ReadSysfs(devices fs.FS) ([]Function, error) {
	entries, err := fs.ReadDir(devices, ".")
	if err != nil {
		return nil, fmt.Errorf("read devices: %w", err)
	}
	t := make(tree)
	for _, entry := range entries {
		if !sysfsAddress.MatchString(entry.Name()) {
			continue
		}
		if err := t.readFunction(devices, entry.Name()); err != nil {
			return nil, err
		}
	}
	return t.functions(), nil
}

// sysfsDirs are the directories below a function that are read too, by the
// number of their parts; a star is any name.
var sysfsDirs = []string{
	"", "net", "mdev_supported_types", "mdev_supported_types/*", "mdev_supported_types/*/devices",
	"fpga", "fpga/*", "fpga/*/*", "fpga/*/*/pr", "physfn", "virtfn*",
}

func (t tree) readFunction(devices fs.FS, address string) error {
	t.set(address, "", "")
	for _, pattern := range sysfsDirs {
		dirs, err := fs.Glob(devices, path.Join(address, pattern))
		if err != nil {
			return fmt.Errorf("read function %s: %w", address, err)
		}
		for _, dir := range dirs {
			if err := t.readDir(devices, address, dir); err != nil {
				return err
			}
		}
	}
	for _, needed := range []string{"vendor", "device", "class"} {
		if _, ok := t[address][needed]; !ok {
			return fmt.Errorf("read function %s: %s: %w", address, needed, fs.ErrNotExist)
		}
	}
	return nil
}

// readDir takes the files of one directory that say something here.
func (t tree) readDir(devices fs.FS, address, dir string) error {
	entries, err := fs.ReadDir(devices, dir)
	if err != nil {
		return nil //nolint:nilerr // a dangling link or a file: nothing to see in it
	}
	for _, entry := range entries {
		full := path.Join(dir, entry.Name())
		name := full[len(address)+1:]
		if !sysfsFile.MatchString(name) {
			continue
		}
		content, err := contentOf(devices, full, entry)
		if err != nil {
			return fmt.Errorf("read function %s: %w", address, err)
		}
		t.set(address, name, content)
	}
	return nil
}

// maxFile is how much of a file is read, in bytes.
const maxFile = 1 << 14

// contentOf is the target of a link, the text of a file, and nothing for a
// directory.
func contentOf(devices fs.FS, name string, entry fs.DirEntry) (string, error) {
	switch {
	case entry.Type()&fs.ModeSymlink != 0:
		return fs.ReadLink(devices, name)
	case entry.IsDir():
		return "", nil
	}
	file, err := devices.Open(name)
	if err != nil {
		return "", err
	}
	content, err := io.ReadAll(io.LimitReader(file, maxFile))
	return string(content), errors.Join(err, file.Close())
}
