package main

import (
	"errors"
	"fmt"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/lifecycle"
)

// builtinHosts tells who asks the built-in cloud for what it has not.
const builtinHosts = `the built-in cloud has the hosts of examples/boot/seed.yaml:
  fpga-1   32 VCPU, 64 GiB, 500 GB; 2 of FPGA, with CUSTOM_FPGA_INTEL
  mixed-1  64 VCPU, 128 GiB, 900 GB; 1 of FPGA, with CUSTOM_FPGA_INTEL, and 2 of PGPU, with CUSTOM_NVIDIA_1EB8
for others start cmd/fakecyborg with your own seed, as "go doc ./examples/boot" shows, and name it by -cloud`

// hint adds to an error what this program can do about it.
func (c cloudNames) hint(err error) error {
	switch {
	case c.user == "" && errors.Is(err, lifecycle.ErrNoHost):
		return fmt.Errorf("%w\n%s", err, builtinHosts)
	case c.user != "" && c.service == "" && errors.Is(err, cyborgclient.ErrServiceTokenNeeded):
		return fmt.Errorf("%w\ngive -service-cloud too, the name in clouds.yaml of a user with the role service", err)
	}
	return err
}
