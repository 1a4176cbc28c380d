package openstack

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Keys of elasticpool.Class.Extra.
const (
	// ExtraBootVolumeGB boots from a volume of that size, made of the image; it is deleted with the server.
	ExtraBootVolumeGB = "boot_volume_gb"
	// ExtraBootVolumeType is that volume's type.
	ExtraBootVolumeType = "boot_volume_type"
	// ExtraSecurityGroups are names, with commas between them.
	ExtraSecurityGroups = "security_groups"
	// ExtraConfigDrive gives the user data on a drive too: true or false.
	ExtraConfigDrive = "config_drive"
	// ExtraSleep is what Stop does: stop (the default), or shelve, which frees the host.
	ExtraSleep = "sleep"
	// ExtraServerGroup is the id of a server group, for servers that are to be on different hosts.
	ExtraServerGroup = "server_group"
	// ExtraVNICType makes the pool make the ports, with that type: direct or accelerator-direct.
	ExtraVNICType = "vnic_type"
	// ExtraPortDeviceProfile makes the pool make the ports, with that device profile of Cyborg.
	ExtraPortDeviceProfile = "port_device_profile"
)

// tagSleep is the key of the metadata that tells Stop what to do.
const tagSleep = "elasticpool.sleep"

// extras are what Class.Extra says.
type extras struct {
	bootVolumeGB   int
	bootVolumeType string
	securityGroups []string
	configDrive    bool
	shelve         bool
	serverGroup    string
	vnicType       string
	portProfile    string
}

// ownPorts says that the pool makes the ports and not Nova.
func (e extras) ownPorts() bool { return e.vnicType != "" || e.portProfile != "" }

// parseExtra reads Class.Extra. Unknown keys are refused: they would be spelling mistakes without effect.
func parseExtra(class elasticpool.Class) (extras, error) {
	var e extras
	for _, key := range slices.Sorted(maps.Keys(class.Extra)) {
		if err := e.set(key, strings.TrimSpace(class.Extra[key])); err != nil {
			return extras{}, fmt.Errorf("class %s, extra.%s: %w", class.Name, key, err)
		}
	}
	if e.bootVolumeType != "" && e.bootVolumeGB == 0 {
		return extras{}, fmt.Errorf("class %s, extra.%s: there is no %s", class.Name, ExtraBootVolumeType, ExtraBootVolumeGB)
	}
	return e, nil
}

func (e *extras) set(key, value string) (err error) {
	switch key {
	case ExtraBootVolumeGB:
		if e.bootVolumeGB, err = strconv.Atoi(value); err != nil || e.bootVolumeGB <= 0 {
			return fmt.Errorf("%q is no size in GB", value)
		}
	case ExtraConfigDrive:
		if e.configDrive, err = strconv.ParseBool(value); err != nil {
			return fmt.Errorf("%q is neither true nor false", value)
		}
	case ExtraSleep:
		if e.shelve = value == "shelve"; !e.shelve && value != "stop" {
			return fmt.Errorf("%q is neither stop nor shelve", value)
		}
	case ExtraSecurityGroups:
		e.securityGroups = fields(value)
	default:
		text, known := map[string]*string{
			ExtraBootVolumeType: &e.bootVolumeType, ExtraServerGroup: &e.serverGroup, ExtraVNICType: &e.vnicType,
			ExtraPortDeviceProfile: &e.portProfile,
		}[key]
		if !known {
			return fmt.Errorf("unknown key; there are %s", strings.Join(extraKeys, ", "))
		}
		*text = value
	}
	return nil
}

var extraKeys = []string{
	ExtraBootVolumeGB, ExtraBootVolumeType, ExtraSecurityGroups, ExtraConfigDrive, ExtraSleep, ExtraServerGroup, ExtraVNICType,
	ExtraPortDeviceProfile,
}
