package placementtest

import (
	_ "embed"
	"strings"
)

// customPrefix starts the name of everything that a deployment adds itself.
const customPrefix = "CUSTOM_"

// sharingTrait marks a provider whose inventory serves every tree that it shares an aggregate with.
const sharingTrait = "MISC_SHARES_VIA_AGGREGATE"

//go:embed data/traits.txt
var standardTraits string

//go:embed data/resource_classes.txt
var standardClasses string

// names gives the words of an embedded list.
func names(list string) []string { return strings.Fields(list) }
