package pciowner

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// Cyborg is what cyborg.conf of the host's agent says about PCI devices.
type Cyborg struct {
	// Host is [DEFAULT]host, ProviderName is [agent]resource_provider_name; ""
	// when they are not set.
	Host, ProviderName string
	// Drivers are [agent]enabled_drivers; without the option the fake driver
	// alone, which has no devices.
	Drivers []string
	// Specs are the entries of [pci]passthrough_whitelist, which count for
	// pci_driver.
	Specs []DeviceSpec
	// VGPUs gives the type of virtual GPU for each address in a [vgpu_…] section.
	VGPUs map[string]string
	// SkipVFs is [gpu_devices]filter_sriov_vfs.
	SkipVFs bool

	host   host
	driver value // of enabled_drivers
}

// exactAddress is what Cyborg takes for an address in its [vgpu_…] sections
// (cyborg/accelerator/common/utils.py, parse_address), with a point for the
// point.
var exactAddress = regexp.MustCompile(`^[0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]$`)

// ParseCyborg reads the files of cyborg-agent, in the order in which they are
// given to it. The devices are those of its host. Errors are of type [*Error],
// joined.
func ParseCyborg(devices []Device, files ...File) (*Cyborg, error) {
	devices, err := Normalize(devices)
	if err != nil {
		return nil, err
	}
	conf, err := parseConfiguration(files)
	if err != nil {
		return nil, err
	}
	c := &Cyborg{Drivers: []string{"fake_driver"}, host: newHost(devices)}
	c.host.cyborg = true
	if v, ok := conf.last(option{"agent", "enabled_drivers"}); ok {
		c.Drivers, c.driver = conf.list(v.option), v
	}
	for name, field := range map[option]*string{{"DEFAULT", "host"}: &c.Host, {"agent", "resource_provider_name"}: &c.ProviderName} {
		if v, ok := conf.last(name); ok {
			*field = v.text
		}
	}
	values, valueErr := substitute(conf.multi(option{"pci", "passthrough_whitelist"}))
	var specErr, flagErr error
	c.Specs, specErr = parseSpecs(values, c.host)
	c.SkipVFs, flagErr = conf.flag(option{"gpu_devices", "filter_sriov_vfs"})
	if err := errors.Join(valueErr, specErr, flagErr, c.checkDrivers(), c.readVGPUs(conf)); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *Cyborg) checkDrivers() error {
	var faults []error
	for _, name := range c.Drivers {
		if _, ok := drivers[name]; !ok {
			faults = append(faults, c.driver.fail(faultf(ErrValue, "there is no driver %q", name)))
		}
	}
	return errors.Join(faults...)
}

// readVGPUs reads which GPUs are split (cyborg/accelerator/drivers/gpu/nvidia/
// sysinfo.py, _get_supported_vgpu_types).
func (c *Cyborg) readVGPUs(conf configuration) error {
	enabled := option{"gpu_devices", "enabled_vgpu_types"}
	at, _ := conf.last(enabled)
	c.VGPUs = make(map[string]string)
	var faults []error
	for _, kind := range conf.list(enabled) {
		name := option{"vgpu_" + kind, "device_addresses"}
		v, ok := conf.last(name)
		addresses := conf.list(name)
		if !ok || len(addresses) == 0 {
			faults = append(faults, at.fail(faultf(ErrValue, "the type %s has no %s", kind, name)))
		}
		for _, address := range addresses {
			switch {
			case !exactAddress.MatchString(address):
				faults = append(faults, v.fail(faultf(ErrValue, "%q is no PCI address", address)))
			case c.VGPUs[address] != "":
				faults = append(faults, v.fail(faultf(ErrValue, "address %s has the type %s too", address, c.VGPUs[address])))
			default:
				c.VGPUs[address] = kind
			}
		}
	}
	return errors.Join(faults...)
}

// driverRule says what a driver's discovery takes.
type driverRule struct {
	takes func(c *Cyborg, d Device) bool
	// functions says that virtual functions are handed out in the place of the
	// device that they belong to.
	functions bool
}

// drivers are Cyborg's, by the names of its entry points
// (cyborg/accelerator/drivers/).
var drivers = map[string]driverRule{
	"fake_driver":            {takes: func(*Cyborg, Device) bool { return false }},
	"nvmf_spdk_driver":       {takes: func(*Cyborg, Device) bool { return false }}, // its devices are no PCI devices
	"intel_fpga_driver":      {takes: ids("8086", "09c4"), functions: true},
	"intel_qat_driver":       {takes: ids("8086", "37c8"), functions: true},
	"intel_nic_driver":       {takes: ids("8086", "158b", "1572"), functions: true},
	"inspur_fpga_driver":     {takes: ids("1bd4")},
	"inspur_nvme_ssd_driver": {takes: classes("1bd4", "0108")},
	"xilinx_fpga_driver":     {takes: classes("10ee", "1200")},
	"huawei_ascend_driver":   {takes: ids("19e5", "d100")},
	"nvidia_gpu_driver": {takes: func(c *Cyborg, d Device) bool {
		return classes("10de", "0300", "0302")(c, d) && (!c.SkipVFs || d.Parent == "")
	}},
	"pci_driver": {takes: func(c *Cyborg, d Device) bool { return c.spec(d) != nil }},
}

func ids(vendor string, products ...string) func(*Cyborg, Device) bool {
	return func(_ *Cyborg, d Device) bool {
		return d.Vendor == vendor && (len(products) == 0 || slices.Contains(products, d.Product))
	}
}

func classes(vendor string, classes ...string) func(*Cyborg, Device) bool {
	return func(_ *Cyborg, d Device) bool { return d.Vendor == vendor && slices.Contains(classes, d.Class) }
}

// spec is the entry of the generic driver's list that takes a device. The driver
// does not know what belongs to what, so that a physical function does not stand
// for its virtual ones.
func (c *Cyborg) spec(d Device) *DeviceSpec {
	d.Parent = ""
	for i := range c.Specs {
		if c.Specs[i].Matches(d) {
			return &c.Specs[i]
		}
	}
	return nil
}

// claims tells which drivers hand a device out.
func (c *Cyborg) claims(d Device) []Claim {
	var claims []Claim
	for _, name := range c.Drivers {
		rule := drivers[name]
		taken := rule.takes != nil && rule.takes(c, d)
		if rule.functions {
			parent, isVF := c.host.byAddress[d.Parent]
			taken = taken && !c.host.withVFs[d.Address] || isVF && rule.takes(c, parent)
		}
		if taken && !d.wide() {
			claims = append(claims, c.claim(name, d))
		}
	}
	return claims
}

func (c *Cyborg) claim(driver string, d Device) Claim {
	claim := Claim{Owner: OwnerCyborg, Source: c.driver.place(), What: "driver " + driver}
	switch kind := c.VGPUs[d.Address]; {
	case driver == "pci_driver":
		claim.Source = c.spec(d).place()
	case driver == "nvidia_gpu_driver" && kind != "":
		claim.What += ", split into " + kind
	}
	return claim
}

// strayVGPUs are addresses in [vgpu_…] sections that no device of the host has,
// in order. Cyborg compares them as they are written, so upper case never fits.
func (c *Cyborg) strayVGPUs() []string {
	var stray []string
	for address := range c.VGPUs {
		if _, ok := c.host.byAddress[address]; !ok {
			stray = append(stray, address)
		}
	}
	slices.Sort(stray)
	return stray
}

func (v value) place() string { return place(v.file, v.line, v.option.String()) }

func (s *DeviceSpec) place() string { return place(s.File, s.Line, s.Option) }

func place(file string, line int, option string) string {
	if file == "" {
		return "default of [agent]enabled_drivers"
	}
	return fmt.Sprintf("%s:%d %s", file, line, option)
}
