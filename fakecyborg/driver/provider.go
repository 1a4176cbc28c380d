package driver

import "github.com/google/uuid"

// ProviderUUID is the UUID of the resource provider of the deployable of that
// name: version 3 in the DNS namespace.
// It mirrors cyborg/conductor/manager.py:ConductorManager.provider_report.
func ProviderUUID(name string) string {
	return uuid.NewMD5(uuid.NameSpaceDNS, []byte(name)).String()
}
