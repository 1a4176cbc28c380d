package fakecyborg

import (
	"maps"
	"slices"
	"strings"
)

// AnyRole in a [Rule] lets every role pass.
const AnyRole = "*"

// SystemScope before a role in a [Rule] wants it in a token of the system scope:
// SystemScope + "admin".
const SystemScope = "system:"

// Rule is the roles of which a caller needs one.
type Rule []string

// Policies are the rules of a release by the name of the operation, Cyborg's
// policy rule without "cyborg:": "arq:create". Operations without a rule are open.
type Policies map[string]Rule

// allows says whether one of the roles passes; roles have no letter case here.
func (r Rule) allows(roles []string) bool {
	return slices.ContainsFunc(r, func(wanted string) bool {
		return wanted == AnyRole || slices.ContainsFunc(roles, func(role string) bool { return strings.EqualFold(role, wanted) })
	})
}

// trainPolicies are those of 3.0.0. Rules that compare the owner let everybody
// pass where the target is the caller, and only admins where it is empty, which
// are show and the deletion of profiles.
func trainPolicies() Policies {
	return Policies{
		"device_profile:get_all": {AnyRole}, "device_profile:get_one": {"admin"},
		"device_profile:create": {"admin"}, "device_profile:delete": {"admin"},
		"arq:get_all": {AnyRole}, "arq:get_one": {"admin"},
		"arq:create": {AnyRole}, "arq:update": {AnyRole}, "arq:delete": {AnyRole},
	}
}

// ownerPolicies are those of 17.0.0 as it is shipped: the old rule, which asks
// for the owner and always finds him, is still good for whatever it was good for.
func ownerPolicies() Policies {
	rules := maps.Clone(personaPolicies())
	for name, rule := range rules {
		if len(rule) > 1 {
			rules[name] = Rule{AnyRole}
		}
	}
	return rules
}

// personaPolicies are those of 17.0.0 with enforce_new_defaults.
func personaPolicies() Policies {
	readers := Rule{"admin", "manager", "member", "reader"}
	users := Rule{"admin", "manager", "member", "service"}
	managers := Rule{"admin", "manager"}
	admins := Rule{"admin"}
	return Policies{
		"device_profile:get_all": readers, "device_profile:get_one": readers,
		"device_profile:create": admins, "device_profile:delete": admins,
		"arq:get_all": readers, "arq:get_one": readers,
		"arq:create": users, "arq:update": users, "arq:delete": users,
		"device:get_all": managers, "device:get_one": managers,
		"device:enable": admins, "device:disable": admins,
		"deployable:get_all": managers, "deployable:get_one": managers, "deployable:program": admins,
		"attribute:get_all": managers, "attribute:get_one": managers,
		"attribute:create": admins, "attribute:delete": admins,
	}
}
