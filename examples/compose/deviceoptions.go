package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// allOthers is the key of the options for ARQs that have none of their own.
const allOthers = "*"

// readDeviceOptions reads the options of devices; each must be of one of the ARQs.
func readDeviceOptions(name string, stdin io.Reader, arqs []cyborgclient.ARQ) (func(cyborgclient.ARQ) virtdriver.DeviceOptions, error) {
	var byARQ map[string]virtdriver.DeviceOptions
	if err := readStrict(name, stdin, &byARQ); err != nil {
		return nil, err
	}
	unknown := slices.DeleteFunc(slices.Sorted(maps.Keys(byARQ)), func(uuid string) bool {
		return uuid == allOthers || slices.ContainsFunc(arqs, func(arq cyborgclient.ARQ) bool { return arq.UUID == uuid })
	})
	if len(unknown) > 0 {
		return nil, fmt.Errorf("%s: options for ARQs that are not among the %d given: %s", name, len(arqs), strings.Join(unknown, ", "))
	}
	return func(arq cyborgclient.ARQ) virtdriver.DeviceOptions {
		if own, ok := byARQ[arq.UUID]; ok {
			return own
		}
		return fitting(byARQ[allOthers], arq)
	}, nil
}

// fitting leaves out what is not for the ARQ's kind of device.
func fitting(o virtdriver.DeviceOptions, arq cyborgclient.ARQ) virtdriver.DeviceOptions {
	if arq.AttachHandle.Type == cyborgclient.HandleMDEV {
		o.Managed, o.Driver, o.DriverModel, o.IOMMUFD, o.BootOrder, o.TeamingWith = nil, "", "", nil, 0, ""
	} else {
		o.Display, o.RAMFB = nil, nil
	}
	return o
}
