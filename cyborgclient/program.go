package cyborgclient

import (
	"context"
	"net/http"
)

// DeployableFilter narrows a list of deployables. The zero value lets all pass.
// The service has no other filter that works.
type DeployableFilter struct {
	// Name is also the name of the deployable's resource provider.
	Name string
}

// Deployables lists the deployables that the filter lets pass, of all hosts.
// Many releases allow it to admins only (ErrForbidden).
func (c *Client) Deployables(ctx context.Context, filter DeployableFilter) ([]Deployable, error) {
	path := "deployables"
	if filter.Name != "" {
		path = withQuery(path, "filters.field", "name", "filters.value", filter.Name)
	}
	return list[Deployable](ctx, c, request{name: "list deployables", method: http.MethodGet, path: path, since: "Ussuri"}, "deployables")
}

// Deployable reads one deployable.
func (c *Client) Deployable(ctx context.Context, uuid string) (*Deployable, error) {
	op := "get deployable " + uuid
	uuid, err := canonical(uuid)
	if err != nil {
		return nil, invalid(op, "%w", err)
	}
	return get[Deployable](ctx, c, request{name: "get deployable", op: op, method: http.MethodGet, path: "deployables/" + uuid, since: "Ussuri"})
}

// ProgramDeployable loads the bitstream of a Glance image into an FPGA. It
// returns when the agent is done, which can take minutes: a proxy in between may
// have given up by then. The answer does not show the new bitstream yet.
func (c *Client) ProgramDeployable(ctx context.Context, uuid, image string) (*Deployable, error) {
	op := "program deployable " + uuid
	uuid, err := canonical(uuid)
	if err != nil {
		return nil, invalid(op, "%w", err)
	}
	if image, err = canonical(image); err != nil {
		return nil, invalid(op, "the image %w", err)
	}
	type bitstream struct {
		Image string `json:"image_uuid"`
	}
	body := []struct {
		Path  string      `json:"path"`
		Op    string      `json:"op"`
		Value []bitstream `json:"value"`
	}{{"/bitstream_id", "replace", []bitstream{{image}}}}
	return get[Deployable](ctx, c, request{
		name: "program deployable", op: op, method: http.MethodPatch, path: "deployables/" + uuid + "/program", body: body, status: http.StatusOK, since: "Victoria",
	})
}
