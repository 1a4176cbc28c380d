package cyborgclient

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
)

// AttributeFilter narrows a list of attributes; 0 and "" let everything pass.
type AttributeFilter struct {
	DeployableID int
	Key          string
}

// Attributes lists the attributes of all deployables, or those that the filter
// lets pass. It needs release 2023.1, and admins' rights in many.
func (c *Client) Attributes(ctx context.Context, filter AttributeFilter) ([]Attribute, error) {
	const op = "list attributes"
	var deployable string
	switch {
	case filter.DeployableID < 0:
		return nil, invalid(op, "the deployable's number %d is negative", filter.DeployableID)
	case filter.DeployableID > 0:
		deployable = strconv.Itoa(filter.DeployableID)
	}
	path := withQuery("attributes", "deployable_id", deployable, "key", filter.Key)
	return list[Attribute](ctx, c, request{name: op, method: http.MethodGet, path: path, since: "2023.1"}, "attributes")
}

// Attribute reads one attribute.
func (c *Client) Attribute(ctx context.Context, uuid string) (*Attribute, error) {
	op := "get attribute " + uuid
	uuid, err := canonical(uuid)
	if err != nil {
		return nil, invalid(op, "%w", err)
	}
	return get[Attribute](ctx, c, request{name: "get attribute", op: op, method: http.MethodGet, path: "attributes/" + uuid, since: "2023.1"})
}

// CreateAttribute gives a deployable an attribute. Several with one key are
// taken. Placement is not told, and the agent's next report, about once a
// minute, deletes what the driver does not know.
func (c *Client) CreateAttribute(ctx context.Context, deployableID int, key, value string) (*Attribute, error) {
	op := fmt.Sprintf("create attribute %s of deployable %d", key, deployableID)
	switch {
	case deployableID <= 0:
		return nil, invalid(op, "the deployable's number must be positive")
	case key == "":
		return nil, invalid(op, "the key is empty")
	}
	body := struct {
		DeployableID int    `json:"deployable_id"`
		Key          string `json:"key"`
		Value        string `json:"value"`
	}{deployableID, key, value}
	return get[Attribute](ctx, c, request{name: "create attribute", op: op, method: http.MethodPost, path: "attributes", body: body, since: "2023.1"})
}

// DeleteAttribute deletes one attribute. It needs release 2024.1. An attribute
// that is not there any more after an attempt whose answer was lost counts as
// deleted.
func (c *Client) DeleteAttribute(ctx context.Context, uuid string) error {
	op := "delete attribute " + uuid
	uuid, err := canonical(uuid)
	if err != nil {
		return invalid(op, "%w", err)
	}
	return c.do(ctx, request{name: "delete attribute", op: op, method: http.MethodDelete, path: "attributes/" + uuid, since: "2023.1", repeatable: true})
}
