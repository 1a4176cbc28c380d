package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Create runs an instance. The VM's id is its client token: asked again, EC2 answers with the instance that it has made.
func (c *cloud) Create(ctx context.Context, spec elasticpool.ServerSpec) (elasticpool.Server, error) {
	op := "run instance " + spec.Name
	form, err := formOf(spec)
	if err != nil {
		return elasticpool.Server{}, &elasticpool.CloudError{Op: op, Class: elasticpool.ErrInvalid, Err: err}
	}
	var made struct {
		Instances []instance `xml:"instancesSet>item"`
	}
	if err := c.api.call(ctx, "RunInstances", form, &made); err != nil {
		return elasticpool.Server{}, fault(op, true, err)
	}
	for _, one := range made.Instances {
		if server, ours := one.server(spec.Pool); ours && server.VM == spec.VM {
			return server, nil
		}
	}
	return elasticpool.Server{}, fault(op, true, fmt.Errorf("the answer has %d instances, none of them it", len(made.Instances)))
}

// formOf returns what a class asks for.
func formOf(spec elasticpool.ServerSpec) (url.Values, error) {
	class := spec.Class
	form := url.Values{}
	for key, value := range map[string]string{
		"ClientToken": spec.VM, "MinCount": "1", "MaxCount": "1", "InstanceInitiatedShutdownBehavior": "terminate",
		"InstanceType": class.Flavor, "ImageId": class.Image, "SubnetId": class.Network, "KeyName": class.KeyPair,
		"Placement.AvailabilityZone": class.Zone, "UserData": base64.StdEncoding.EncodeToString([]byte(class.UserData)),
	} {
		if value != "" {
			form.Set(key, value)
		}
	}
	if class.Stops {
		form.Set("InstanceInitiatedShutdownBehavior", "stop")
	}
	for i, kind := range []string{"instance", "volume"} {
		tag(form, fmt.Sprintf("TagSpecification.%d.", i+1), kind, spec)
	}
	for _, key := range slices.Sorted(maps.Keys(class.Extra)) {
		if err := addExtra(form, key, class.Extra[key]); err != nil {
			return nil, err
		}
	}
	return form, nil
}

// tag adds the tags of a server to what is made for it.
func tag(form url.Values, prefix, kind string, spec elasticpool.ServerSpec) {
	tags := spec.Tags()
	tags["Name"] = spec.Name
	form.Set(prefix+"ResourceType", kind)
	for i, key := range slices.Sorted(maps.Keys(tags)) {
		form.Set(fmt.Sprintf("%sTag.%d.Key", prefix, i+1), key)
		form.Set(fmt.Sprintf("%sTag.%d.Value", prefix, i+1), tags[key])
	}
}

func addExtra(form url.Values, key, value string) error {
	switch key {
	case "security_groups":
		for i, group := range strings.Fields(strings.ReplaceAll(value, ",", " ")) {
			form.Set(fmt.Sprintf("SecurityGroupId.%d", i+1), group)
		}
	case "profile":
		form.Set("IamInstanceProfile.Name", value)
	case "spot":
		spot, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("extra.spot %q is neither true nor false", value)
		}
		if spot {
			form.Set("InstanceMarketOptions.MarketType", "spot")
		}
	default:
		return fmt.Errorf("extra.%s is not known; there are profile, security_groups and spot", key)
	}
	return nil
}
