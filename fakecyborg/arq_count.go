package fakecyborg

import (
	"math"
	"strconv"
	"strings"
)

// maxARQs bounds one creation, so that a profile cannot fill the memory.
const maxARQs = 100_000

// accelerators is how many requests a group makes: the sum of its amounts, and
// two for each FPGA of the Xilinx trait. Amounts below zero count against others.
func accelerators(group *object) (int, error) {
	if group.values["trait:CUSTOM_FPGA_XILINX"] == "required" {
		value, ok := group.values["resources:FPGA"]
		if !ok {
			return 0, keyError("resources:FPGA")
		}
		amount, err := pythonInt(value)
		return max(0, 2*amount), err
	}
	sum := 0
	for _, key := range group.keys {
		if !strings.HasPrefix(key, "resources") {
			continue
		}
		amount, err := pythonInt(group.values[key])
		if err != nil {
			return 0, err
		}
		sum += amount
	}
	return max(0, sum), nil
}

// pythonInt is Python's int(value) of a text, cut to what 32 bits hold.
func pythonInt(value any) (int, error) {
	text := pythonStr(value)
	if !integerText.MatchString(text) {
		return 0, broken("invalid literal for int() with base 10: %s", pythonRepr(text))
	}
	digits := strings.ReplaceAll(strings.TrimSpace(text), "_", "")
	amount, err := strconv.ParseInt(digits, 10, 32)
	if err != nil && amount == 0 {
		return math.MaxInt32, nil
	}
	return int(amount), nil
}
