package main

import "github.com/novacyborg/novacyborg/requestspec"

// queryCase is one line of -jsonl.
type queryCase struct {
	Flavor   *requestspec.Flavor   `json:"flavor"`
	Profiles []requestspec.Profile `json:"device_profiles"`
	Ports    []requestspec.Port    `json:"ports"`
	Image    struct {
		Properties map[string]any `json:"properties"`
	} `json:"image"`
	BootFromVolume bool                      `json:"boot_from_volume"`
	Destination    requestspec.Destination   `json:"destination"`
	ForceHosts     []string                  `json:"force_hosts"`
	ForceNodes     []string                  `json:"force_nodes"`
	ComputeNodes   []requestspec.ComputeNode `json:"compute_nodes"`
	Hints          map[string]any            `json:"scheduler_hints"`
	RootRequired   []string                  `json:"root_required"`
	RootForbidden  []string                  `json:"root_forbidden"`
	SameSubtree    [][]string                `json:"same_subtree"`
	Limit          int                       `json:"max_placement_results"`
}

func (c queryCase) input() requestspec.Input {
	image := make(map[string]string, len(c.Image.Properties))
	for key, value := range c.Image.Properties {
		// Glance has texts only; anything else cannot be a value that matters.
		if text, ok := value.(string); ok {
			image[key] = text
		}
	}
	return requestspec.Input{
		Flavor: *c.Flavor, Ports: c.Ports, Image: image, BootFromVolume: c.BootFromVolume,
		Destination: c.Destination, ForceHosts: c.ForceHosts, ForceNodes: c.ForceNodes, ComputeNodes: c.ComputeNodes,
		Hints: c.Hints, RootRequired: c.RootRequired, RootForbidden: c.RootForbidden, SameSubtree: c.SameSubtree,
		Limit: c.Limit,
	}
}

func (c queryCase) answer(opts []requestspec.Option) answer {
	if c.Flavor == nil {
		return answer{Error: codeBadInput, Message: "flavor is missing"}
	}
	in, err := requestspec.Resolve(c.input(), c.Profiles, opts...)
	if err != nil {
		return failed(err)
	}
	request, err := requestspec.Build(in, opts...)
	if err != nil {
		return failed(err)
	}
	query := request.Query()
	a := answer{Query: &query}
	for _, finding := range request.Findings {
		a.Findings = append(a.Findings, finding.Error())
	}
	return a
}
