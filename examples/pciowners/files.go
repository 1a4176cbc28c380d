package main

import (
	"embed"
	"errors"
	"io"
	"os"

	"github.com/novacyborg/novacyborg/fakecyborg/driver/inventory"
	"github.com/novacyborg/novacyborg/virtdriver/pciowner"
)

// demo is a host with every kind of conflict.
//
//go:embed devices.json nova.conf cyborg.conf
var demo embed.FS

func builtIn() (pciowner.Input, error) {
	read := func(name string) pciowner.File {
		text, _ := demo.ReadFile(name) // it is embedded
		return pciowner.File{Name: name, Text: text}
	}
	list := read("devices.json")
	devices, err := pciowner.ParseDevices(list.Name, list.Text)
	if err != nil {
		return pciowner.Input{}, err
	}
	return configured(devices, []pciowner.File{read("nova.conf")}, []pciowner.File{read("cyborg.conf")})
}

// readFiles reads the devices and what the services' files say about them.
func readFiles(a arguments, stdin io.Reader) (pciowner.Input, error) {
	devices, err := readDevices(a, stdin)
	nova, novaErr := readConfiguration(a.novaConf)
	cyborg, cyborgErr := readConfiguration(a.cyborgConf)
	if err == nil {
		devices, err = pciowner.Normalize(devices)
	}
	if err := errors.Join(err, novaErr, cyborgErr); err != nil {
		return pciowner.Input{}, err
	}
	return configured(devices, nova, cyborg)
}

// configured leaves out a service that has no files. The faults of both are told.
func configured(devices []pciowner.Device, nova, cyborg []pciowner.File) (pciowner.Input, error) {
	in := pciowner.Input{Devices: devices}
	var novaErr, cyborgErr error
	if len(nova) > 0 {
		in.Nova, novaErr = pciowner.ParseNova(devices, nova...)
	}
	if len(cyborg) > 0 {
		in.Cyborg, cyborgErr = pciowner.ParseCyborg(devices, cyborg...)
	}
	return in, errors.Join(novaErr, cyborgErr)
}

func readConfiguration(names []string) ([]pciowner.File, error) {
	var files []pciowner.File
	var faults []error
	for _, name := range names {
		text, err := os.ReadFile(name) //nolint:gosec // the operator names the file
		files = append(files, pciowner.File{Name: name, Text: text})
		faults = append(faults, err)
	}
	return files, errors.Join(faults...)
}

func readDevices(a arguments, stdin io.Reader) ([]pciowner.Device, error) {
	if a.sysfs != "" {
		functions, err := inventory.OpenSysfs(a.sysfs)
		return devicesOf(functions), err
	}
	name := a.lspci + a.devices // one of them is empty
	text := stdin
	if name != "-" {
		file, err := os.Open(name) //nolint:gosec // the operator names the file
		if err != nil {
			return nil, err
		}
		defer file.Close()
		text = file
	}
	if a.lspci != "" {
		functions, err := inventory.ParseLspci(name, text)
		return devicesOf(functions), err
	}
	content, err := io.ReadAll(text)
	if err != nil {
		return nil, err
	}
	return pciowner.ParseDevices(name, content)
}

// devicesOf takes over what lspci and sysfs tell. A device whose virtual functions are there can have that many at least.
func devicesOf(functions []inventory.Function) []pciowner.Device {
	devices := make([]pciowner.Device, 0, len(functions))
	for _, f := range functions {
		devices = append(devices, pciowner.Device{
			Address: f.Address, Vendor: f.Vendor, Product: f.Product, Class: f.Class, Model: f.Model,
			Parent: f.Parent, TotalVFs: len(f.VFs), Interfaces: f.Interfaces,
		})
	}
	return devices
}
