package fakecyborg

import (
	"math"
	"strings"
)

// maxARQs bounds one creation, so that a profile cannot fill the memory.
const maxARQs = 100_000

// accelerators is how many requests a group makes: the sum of its amounts, and
// two for each FPGA of the Xilinx trait. Amounts below zero count against others.
func (r Release) accelerators(group *object) (int, error) {
	if r.XilinxPairs && group.values["trait:CUSTOM_FPGA_XILINX"] == "required" {
		amount, err := amountOf(group.values["resources:FPGA"]) // null if there is none
		return max(0, 2*amount), err
	}
	sum := 0
	for _, key := range group.keys {
		if !strings.HasPrefix(key, "resources") {
			continue
		}
		amount, err := amountOf(group.values[key])
		if err != nil {
			return 0, err
		}
		sum += amount
	}
	return max(0, sum), nil
}

// amountOf is an amount cut to what 32 bits hold, so that sums do not overflow.
func amountOf(value any) (int, error) {
	amount, err := pythonInt(value)
	return int(min(max(amount, math.MinInt32), math.MaxInt32)), err
}
