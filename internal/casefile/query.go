package casefile

import (
	"errors"
	"fmt"

	"github.com/novacyborg/novacyborg/requestspec"
)

// Query is everything that a request for candidates is made of, and all device profiles that the accelerator service
// has. Only Flavor is needed.
type Query struct {
	Flavor         *Flavor                   `json:"flavor"`
	Profiles       []requestspec.Profile     `json:"device_profiles"`
	Ports          []requestspec.Port        `json:"ports"`
	Image          Image                     `json:"image"`
	BootFromVolume bool                      `json:"boot_from_volume"`
	Destination    requestspec.Destination   `json:"destination"`
	ForceHosts     []string                  `json:"force_hosts"`
	ForceNodes     []string                  `json:"force_nodes"`
	ComputeNodes   []requestspec.ComputeNode `json:"compute_nodes"`
	Hints          map[string]any            `json:"scheduler_hints"`
	RootRequired   []string                  `json:"root_required"`
	RootForbidden  []string                  `json:"root_forbidden"`
	SameSubtree    [][]string                `json:"same_subtree"`
	Limit          *int                      `json:"max_placement_results"`
}

// Image is what matters of an image. Glance has texts only; a value of another kind counts for nothing.
type Image struct {
	Properties map[string]any `json:"properties"`
}

// texts returns the properties that are texts.
func (i Image) texts() map[string]string {
	texts := make(map[string]string, len(i.Properties))
	for key, value := range i.Properties {
		if text, ok := value.(string); ok {
			texts[key] = text
		}
	}
	return texts
}

// Build looks the profiles up and builds the request, in the mode that the line was read in. Errors that requestspec has
// no code word for are those of the line.
func (q Query) Build(mode Mode) (*requestspec.Request, error) {
	if q.Flavor == nil {
		return nil, errors.New("flavor is missing")
	}
	flavor, err := q.Flavor.convert(mode)
	if err != nil {
		return nil, err
	}
	var opts []requestspec.Option
	if mode == Lenient {
		opts = append(opts, requestspec.Lenient())
	}
	limit := 0
	if q.Limit != nil {
		// Left out it is the default, but given it is not: Nova's option is 1 or more.
		if limit = *q.Limit; limit < 1 {
			return nil, fmt.Errorf("%w: max_placement_results: want 1 or more, got %d", requestspec.ErrAmount, limit)
		}
	}
	in, err := requestspec.Resolve(requestspec.Input{
		Flavor: flavor, Ports: q.Ports, Image: q.Image.texts(), BootFromVolume: q.BootFromVolume,
		Destination: q.Destination, ForceHosts: q.ForceHosts, ForceNodes: q.ForceNodes, ComputeNodes: q.ComputeNodes,
		Hints: q.Hints, RootRequired: q.RootRequired, RootForbidden: q.RootForbidden, SameSubtree: q.SameSubtree,
		Limit: limit,
	}, q.Profiles, opts...)
	if err != nil {
		return nil, err
	}
	return requestspec.Build(in, opts...)
}
