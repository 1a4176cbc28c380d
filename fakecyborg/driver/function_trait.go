package driver

import "strings"

// FunctionTraitPrefix starts the traits that say what an FPGA is programmed
// with. All such traits of a provider go when another image is loaded.
// It mirrors cyborg/common/constants.py:FPGA_FUNCTION_ID.
const FunctionTraitPrefix = "CUSTOM_FPGA_FUNCTION_ID"

// FunctionTrait is the trait that Cyborg puts on the provider of a deployable
// of that driver name once it is programmed. Each dash of the id gets an
// underscore before it and stays, so Placement refuses the name of an id with
// dashes and the bind fails; [PlainFunctionTrait] has the name it should be.
// It mirrors cyborg/objects/extarq/fpga_ext_arq.py:FPGAExtARQ._update_placement.
func FunctionTrait(driverName, functionID string) string {
	return functionTrait(driverName, functionID, "_-")
}

// PlainFunctionTrait is [FunctionTrait] with an underscore for each dash, which
// Placement takes. For ids without dashes both are the same, and the same as
// the trait that the Intel driver finds on the card afterwards.
func PlainFunctionTrait(driverName, functionID string) string {
	return functionTrait(driverName, functionID, "_")
}

func functionTrait(driverName, functionID, dash string) string {
	return FunctionTraitPrefix + "_" + upper(driverName) + "_" + strings.ReplaceAll(upper(functionID), "-", dash)
}
