package cyborgclient

import (
	"context"
	"net/http"
)

// FindDeployables lists the deployables of that name, which is also the name of
// their resource provider. The service has no other filter that works.
func (c *Client) FindDeployables(ctx context.Context, name string) ([]Deployable, error) {
	const op = "list deployables"
	if name == "" {
		return nil, invalid(op, "the name is empty")
	}
	path := withQuery("deployables", "filters.field", "name", "filters.value", name)
	return list[Deployable](ctx, c, request{name: op, method: http.MethodGet, path: path}, "deployables")
}

// Deployable reads one deployable.
func (c *Client) Deployable(ctx context.Context, uuid string) (*Deployable, error) {
	op := "get deployable " + uuid
	if !uuidLike(uuid) {
		return nil, invalid(op, "it is no uuid")
	}
	return get[Deployable](ctx, c, request{name: "get deployable", op: op, method: http.MethodGet, path: "deployables/" + uuid})
}

// ProgramDeployable loads the bitstream of a Glance image into an FPGA. It
// returns when the agent is done, which can take minutes: a proxy in between may
// have given up by then. The answer does not show the new bitstream yet.
func (c *Client) ProgramDeployable(ctx context.Context, uuid, image string) (*Deployable, error) {
	op := "program deployable " + uuid
	switch {
	case !uuidLike(uuid):
		return nil, invalid(op, "it is no uuid")
	case !uuidLike(image):
		return nil, invalid(op, "the image %q is no uuid", image)
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
		name: "program deployable", op: op, method: http.MethodPatch, path: "deployables/" + uuid + "/program", body: body, status: http.StatusOK,
	})
}
