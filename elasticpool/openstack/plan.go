package openstack

import (
	"context"
	"encoding/base64"
	"strings"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Words of Nova that stand in the place of networks.
const (
	networksAuto = "auto"
	networksNone = "none"
)

// plan is a request with all names looked up.
type plan struct {
	extras   extras
	flavor   flavor
	image    string
	word     string   // auto or none
	networks []string // ids
	ports    []string // ids of ports that the pool made for them
	userData []byte
}

func (p *Provider) plan(ctx context.Context, op string, spec elasticpool.ServerSpec) (plan, error) {
	var (
		made plan
		err  error
	)
	if made.extras, err = parseExtra(spec.Class); err != nil {
		return plan{}, invalid(op, "%w", err)
	}
	if made.flavor, err = p.flavorOf(ctx, op, spec.Class.Flavor); err != nil {
		return plan{}, err
	}
	if err = p.checkProfile(ctx, op, spec.Class, made.flavor); err != nil {
		return plan{}, err
	}
	if made.image, err = p.imageOf(ctx, op, spec.Class.Image); err != nil {
		return plan{}, err
	}
	switch network := strings.TrimSpace(spec.Class.Network); network {
	case "", networksAuto:
		made.word = networksAuto
	case networksNone:
		made.word = networksNone
	default:
		if made.networks, err = p.networksOf(ctx, op, network); err != nil {
			return plan{}, err
		}
	}
	made.userData, err = p.userData(ctx, op, spec)
	return made, err
}

// body is what Nova is sent.
func (made plan) body(spec elasticpool.ServerSpec) map[string]any {
	request := map[string]any{
		"name": spec.Name, "flavorRef": made.flavor.id, "metadata": made.metadata(spec), "networks": made.nics(),
		"description": "VM " + spec.VM + " of pool " + spec.Pool,
	}
	if made.extras.bootVolumeGB > 0 {
		request["block_device_mapping_v2"] = []map[string]any{made.bootVolume()}
	} else {
		request["imageRef"] = made.image
	}
	if spec.Class.KeyPair != "" {
		request["key_name"] = spec.Class.KeyPair
	}
	if spec.Class.Zone != "" {
		request["availability_zone"] = spec.Class.Zone
	}
	if made.extras.configDrive {
		request["config_drive"] = true
	}
	if len(made.extras.securityGroups) > 0 && len(made.ports) == 0 {
		request["security_groups"] = named(made.extras.securityGroups)
	}
	if len(made.userData) > 0 {
		request["user_data"] = base64.StdEncoding.EncodeToString(made.userData)
	}
	body := map[string]any{"server": request}
	if made.extras.serverGroup != "" {
		body["os:scheduler_hints"] = map[string]string{"group": made.extras.serverGroup}
	}
	return body
}

func (made plan) metadata(spec elasticpool.ServerSpec) map[string]string {
	tags := spec.Tags()
	if made.extras.shelve {
		tags[tagSleep] = "shelve"
	}
	return tags
}

func (made plan) nics() any {
	if made.word != "" {
		return made.word
	}
	kind, ids := "uuid", made.networks
	if len(made.ports) > 0 {
		kind, ids = "port", made.ports
	}
	nics := make([]map[string]string, len(ids))
	for i, id := range ids {
		nics[i] = map[string]string{kind: id}
	}
	return nics
}

func (made plan) bootVolume() map[string]any {
	device := map[string]any{
		"boot_index": 0, "uuid": made.image, "source_type": "image", "destination_type": "volume",
		"volume_size": made.extras.bootVolumeGB, "delete_on_termination": true,
	}
	if made.extras.bootVolumeType != "" {
		device["volume_type"] = made.extras.bootVolumeType
	}
	return device
}

func named(names []string) []map[string]string {
	list := make([]map[string]string, len(names))
	for i, name := range names {
		list[i] = map[string]string{"name": name}
	}
	return list
}
