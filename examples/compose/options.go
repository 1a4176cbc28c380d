package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// composeOptions makes the options of the flags.
func (a arguments) composeOptions(in input, stdin io.Reader) ([]virtdriver.ComposeOption, error) {
	opts := []virtdriver.ComposeOption{virtdriver.WithUnknown(policies[a.unknown])}
	if a.unknown == "report" {
		opts = append(opts, virtdriver.WithTestPCI(virtdriver.Report))
	}
	if a.ports != "" {
		ports, err := readPorts(a.ports, stdin, in.arqs)
		if err != nil {
			return nil, err
		}
		opts = append(opts, virtdriver.WithPorts(ports...))
	}
	if a.options != "" {
		choose, err := readDeviceOptions(a.options, stdin, slices.Concat(in.before, in.arqs))
		if err != nil {
			return nil, err
		}
		opts = append(opts, virtdriver.WithDevice(choose))
	}
	if a.sysfs != "" {
		topology, err := virtdriver.ReadTopology(os.DirFS(a.sysfs))
		if err != nil {
			return nil, err
		}
		opts = append(opts, virtdriver.WithTopology(topology))
	}
	if a.companions {
		opts = append(opts, virtdriver.WithCompanions())
	}
	if a.others != "" {
		opts = append(opts, virtdriver.WithOthers(strings.Split(a.others, ",")...))
	}
	return opts, nil
}

// readPorts reads the ports and finds their ARQs.
func readPorts(name string, stdin io.Reader, arqs []cyborgclient.ARQ) ([]virtdriver.Port, error) {
	var list []struct {
		ID   string `json:"id"`
		MAC  string `json:"mac"`
		VLAN uint   `json:"vlan"`
		ARQ  string `json:"arq"`
	}
	if err := readStrict(name, stdin, &list); err != nil {
		return nil, err
	}
	ports := make([]virtdriver.Port, len(list))
	for i, p := range list {
		at := slices.IndexFunc(arqs, func(arq cyborgclient.ARQ) bool { return arq.UUID == p.ARQ })
		if at < 0 {
			return nil, fmt.Errorf("%s: port %s: ARQ %q is not among the %d given", name, p.ID, p.ARQ, len(arqs))
		}
		ports[i] = virtdriver.Port{ID: p.ID, MAC: p.MAC, VLAN: p.VLAN, ARQ: arqs[at]}
	}
	return ports, nil
}
