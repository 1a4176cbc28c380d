package lifecycle

import (
	"context"

	"github.com/novacyborg/novacyborg/requestspec"
)

// mergeGroups is step 2, pure: flavor, image, port and profile groups become one request
// (nova/scheduler/utils.py:ResourceRequest.from_request_spec).
func (c *creation) mergeGroups(context.Context) error {
	request, err := requestspec.Build(c.Spec, c.build...)
	if err != nil {
		return err
	}
	c.request = request
	return nil
}
