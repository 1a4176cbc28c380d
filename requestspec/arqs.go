package requestspec

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// ExpectedARQs returns, group by group, how many accelerator requests Cyborg creates for a profile: the sum of the
// amounts of all resources: keys, of any class, and 0 if that is negative. A group that requires
// CUSTOM_FPGA_XILINX gets two for each FPGA, the management and the user function of the card.
// It mirrors cyborg/api/controllers/v2/arqs.py:ARQsController.post. The error is an [*Error] that wraps [ErrAmount].
func ExpectedARQs(groups []ProfileGroup) ([]int, error) {
	counts := make([]int, len(groups))
	for i, group := range groups {
		total, finding := group.devices()
		if finding == nil && bigAmount(total).above(largestTotal) {
			finding = &Finding{Reason: ErrAmount, Message: "the group asks for " + total.String() + " devices"}
		}
		if finding != nil {
			finding.Where = fmt.Sprintf("group %d", i)
			return nil, &Error{Op: "count accelerator requests", Findings: []Finding{*finding}}
		}
		counts[i] = int(max(0, total.Int64()))
	}
	return counts, nil
}

func (g ProfileGroup) devices() (*big.Int, *Finding) {
	if g.requires("trait:CUSTOM_FPGA_XILINX") {
		fpga := slices.IndexFunc(g, func(p Property) bool { return p.Key == "resources:FPGA" })
		if fpga < 0 {
			return nil, &Finding{Reason: ErrAmount, Message: "a group that requires CUSTOM_FPGA_XILINX must ask for FPGA"}
		}
		g = ProfileGroup{g[fpga], g[fpga]}
	}
	total := new(big.Int)
	for _, p := range g {
		if !strings.HasPrefix(p.Key, prefixResources+":") {
			continue
		}
		n, err := parseAmount(p.Value)
		if err != nil {
			finding := newFinding("", p, ErrAmount, "amount is "+err.Error())
			return nil, &finding
		}
		total.Add(total, n.big())
	}
	return total, nil
}

func (g ProfileGroup) requires(key string) bool {
	return slices.ContainsFunc(g, func(p Property) bool { return p.Key == key && p.Value == "required" })
}
