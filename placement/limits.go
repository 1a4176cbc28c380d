package placement

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/usages"

	"github.com/novacyborg/novacyborg/requestspec"
)

// Unlimited is the limit of a class that is not limited, as Keystone's unified limits have it.
const Unlimited = -1

// Limits tells how much of a resource class a project may use, from any source. The example of CheckLimits takes them
// from Keystone's unified limits; FixedLimits are the simplest.
type Limits interface {
	// Limit returns the highest amount, or Unlimited. The class has Placement's name, such as FPGA, which Keystone's
	// limits for Nova call class:FPGA.
	Limit(ctx context.Context, projectID, class string) (int64, error)
}

// FixedLimits are limits by resource class that are the same for every project; classes that are not named are
// unlimited.
type FixedLimits map[string]int64

// Limit returns the limit of a class.
func (f FixedLimits) Limit(_ context.Context, _, class string) (int64, error) {
	if limit, limited := f[class]; limited {
		return limit, nil
	}
	return Unlimited, nil
}

// CheckLimits tells whether a project may claim a request, by its limits and what Placement says it uses. All groups
// count: the flavor's, those of device profiles and those of ports. The error is an ErrOverLimit that names each class
// of which there would be too much. Nova counts the groups of device profiles only since 2026.2 (LP#2140631); see
// nova/limit/placement.py:enforce_num_instances_and_flavor.
func (c *Client) CheckLimits(ctx context.Context, limits Limits, projectID string, req *requestspec.Request) error {
	op := "check limits of project " + projectID
	if req == nil {
		return refuse(ErrInvalid, op, "the request is nil")
	}
	asked := totals(req)
	limited := make(map[string]int64)
	for class := range asked {
		limit, err := limits.Limit(ctx, projectID, class)
		if err != nil {
			return &Error{Op: op + ": limit of " + class, cause: err}
		}
		if limit != Unlimited {
			limited[class] = limit
		}
	}
	if len(limited) == 0 {
		return nil
	}
	var used map[string]int64
	err := c.get(ctx, projectUsages, op, func(ctx context.Context) gophercloud.Result {
		return usages.Get(ctx, c.at(baseline), usages.GetOpts{ProjectID: projectID}).Result
	}, part{"usages", &used})
	if err != nil {
		return err
	}
	return overLimit(op, asked, limited, used)
}

// totals adds up what all groups of a request ask for. A sum that is too great for its type stays at the greatest.
func totals(req *requestspec.Request) map[string]int64 {
	asked := make(map[string]int64)
	for _, group := range req.Groups {
		for class, amount := range group.Resources {
			asked[class] += min(max(amount, 0), math.MaxInt64-asked[class])
		}
	}
	return asked
}

func overLimit(op string, asked, limited, used map[string]int64) error {
	var over []string
	for _, class := range slices.Sorted(maps.Keys(limited)) {
		if free := limited[class] - used[class]; asked[class] > free {
			over = append(over, fmt.Sprintf("%d %s asked for, but %d of %d are used", asked[class], class, used[class], limited[class]))
		}
	}
	if len(over) == 0 {
		return nil
	}
	return refuse(ErrOverLimit, op, "%s", strings.Join(over, "; "))
}
