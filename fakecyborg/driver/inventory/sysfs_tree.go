package inventory

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// tree holds the files and links of functions: address, path below it, content.
// The content of a link is its target.
type tree map[string]map[string]string

func (t tree) set(address, name, content string) {
	address = strings.ToLower(address)
	if t[address] == nil {
		t[address] = make(map[string]string)
	}
	t[address][name] = strings.TrimSpace(content)
}

var (
	sysfsAddress = regexp.MustCompile(`^[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]$`)
	// sysfsFile are the files and links that say something here.
	sysfsFile = regexp.MustCompile(`^(?:vendor|device|class|driver|uevent|physfn(?:/uevent)?|virtfn[0-9]+(?:/uevent)?|net/[^/]+|` +
		`mdev_supported_types/[^/]+/(?:name|available_instances|devices/[^/]+)|` +
		`fpga/[^/]+/intel-fpga-port\.[^/]+/afu_id|fpga/[^/]+/intel-fpga-fme\.[^/]+/pr/interface_id)$`)
	sysfsID    = regexp.MustCompile(`^0x([0-9a-fA-F]{4})$`)
	sysfsClass = regexp.MustCompile(`^0x([0-9a-fA-F]{4})[0-9a-fA-F]{2}$`)
)

// functions makes the list, in order of addresses.
func (t tree) functions() []Function {
	var all []Function
	for address, files := range t {
		all = append(all, readFiles(address, files))
	}
	slices.SortFunc(all, func(a, b Function) int {
		return cmp.Or(cmp.Compare(len(a.Address), len(b.Address)), cmp.Compare(a.Address, b.Address))
	})
	return all
}

func readFiles(address string, files map[string]string) Function {
	f := Function{
		Address: address, Vendor: firstGroup(sysfsID, files["vendor"]), Product: firstGroup(sysfsID, files["device"]),
		Class: firstGroup(sysfsClass, files["class"]), KernelDriver: linkName(files["driver"]),
		Parent: neighbour(files, "physfn"),
	}
	if f.KernelDriver == "" {
		f.KernelDriver = uevent(files["uevent"], "DRIVER")
	}
	for number := 0; ; number++ {
		function := neighbour(files, "virtfn"+strconv.Itoa(number))
		if function == "" {
			break
		}
		f.VFs = append(f.VFs, function)
	}
	f.readDeep(files)
	return f.plain()
}

// readDeep takes what is in directories of the function.
func (f *Function) readDeep(files map[string]string) {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		parts := strings.Split(name, "/")
		switch {
		case parts[0] == "net" && len(parts) == 2:
			f.Interfaces = append(f.Interfaces, parts[1])
		case strings.HasSuffix(name, "/afu_id"):
			f.FunctionID = files[name]
		case strings.HasSuffix(name, "/interface_id"):
			f.RegionID = files[name]
		case parts[0] == "mdev_supported_types" && len(parts) == 3 && parts[2] == "name":
			f.MediatedTypes = append(f.MediatedTypes, mediatedType(parts[1], files))
		}
	}
}

// mediatedType counts what is free and what is made.
func mediatedType(id string, files map[string]string) MediatedType {
	base := "mdev_supported_types/" + id + "/"
	free, _ := strconv.Atoi(files[base+"available_instances"]) // absent or odd: none is free
	kind := MediatedType{Type: id, Name: files[base+"name"], Instances: max(0, free)}
	for name := range files {
		if strings.HasPrefix(name, base+"devices/") {
			kind.Instances++
		}
	}
	return kind
}

// neighbour is the address that a link points to, or that the copy of what it
// pointed to is of.
func neighbour(files map[string]string, link string) string {
	address := linkName(files[link])
	if address == "" {
		address = uevent(files[link+"/uevent"], "PCI_SLOT_NAME")
	}
	return strings.ToLower(address)
}

// linkName is the last part of a link's target.
func linkName(target string) string {
	if target == "" {
		return ""
	}
	return path.Base(target)
}

// uevent is the value of a key in a uevent file.
func uevent(content, key string) string {
	for line := range strings.Lines(content) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), key+"="); ok {
			return value
		}
	}
	return ""
}

func firstGroup(rule *regexp.Regexp, text string) string {
	if m := rule.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}
