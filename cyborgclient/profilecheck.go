package cyborgclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/novacyborg/novacyborg/requestspec"
)

var (
	profileName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,255}$`)
	// resourceClasses are the classes without CUSTOM_ that the service takes.
	resourceClasses = []string{"FPGA", "GPU", "VGPU", "PGPU"}
)

// check mirrors openstack/cyborg: cyborg/api/controllers/v2/device_profiles.py
// (_validate_post_request), and is stricter where the service stores what it
// cannot work with.
func (d DeviceProfileCreate) check() error {
	if !profileName.MatchString(d.Name) {
		return errProfileName(d.Name)
	}
	if takenForUUID(d.Name) {
		return fmt.Errorf("the name %q looks like a uuid: the service would not find the profile by it", d.Name)
	}
	if len(d.Groups) == 0 {
		return errors.New("there are no groups")
	}
	for i, group := range d.Groups {
		if err := checkGroup(group); err != nil {
			return fmt.Errorf("group %d: %w", i, err)
		}
	}
	return nil
}

func errProfileName(name string) error {
	return fmt.Errorf("the name %q must be 1 to 255 letters, digits, hyphens and underscores", name)
}

func checkGroup(group requestspec.ProfileGroup) error {
	if len(group) == 0 {
		return errors.New("it is empty")
	}
	if bitstream, function := accel(group, bitstreamKey), accel(group, functionKey); bitstream != "" && function != "" {
		return fmt.Errorf("it has both %s and %s: one of them says what is programmed", bitstreamKey, functionKey)
	}
	values := make(map[string]string, len(group)) // of the keys without blanks
	for _, property := range group {
		if err := checkProperty(property); err != nil {
			return fmt.Errorf("key %q: %w", property.Key, err)
		}
		key := strings.ReplaceAll(property.Key, " ", "")
		if _, twice := values[key]; twice {
			return fmt.Errorf("key %q: it stands there twice", property.Key)
		}
		values[key], _ = propertyText(property.Value)
	}
	return checkXilinx(values)
}

// xilinxTrait makes the service double the group's FPGAs when it makes ARQs of
// it, and answer with 500 when there are none
// (cyborg/api/controllers/v2/arqs.py: ARQsController.post).
const xilinxTrait = "trait:CUSTOM_FPGA_XILINX"

func checkXilinx(values map[string]string) error {
	if _, fpga := values["resources:FPGA"]; values[xilinxTrait] == "required" && !fpga {
		return fmt.Errorf("it requires %s and has no resources:FPGA, so that no ARQs can be made of it", strings.TrimPrefix(xilinxTrait, "trait:"))
	}
	return nil
}

func checkProperty(p requestspec.Property) error {
	value, err := propertyText(p.Value)
	if err != nil {
		return err
	}
	kind, name, _ := strings.Cut(p.Key, ":")
	name = strings.TrimSpace(name)
	switch kind {
	case "resources":
		return checkResource(name, value)
	case "trait":
		return checkTrait(name, value)
	case "accel":
		return nil
	}
	return errors.New("it must begin with resources, trait or accel and a colon")
}

// propertyText refuses null, which makes every list of ARQs fail once the
// profile is used, and lists and objects, which are a 500.
func propertyText(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	case int:
		return strconv.Itoa(v), nil
	}
	return "", fmt.Errorf("the value %v must be a string or a number", value)
}

func checkResource(class, amount string) error {
	if !slices.Contains(resourceClasses, class) && !strings.HasPrefix(class, "CUSTOM_") {
		return fmt.Errorf("the resource class must be one of %s or begin with CUSTOM_", strings.Join(resourceClasses, ", "))
	}
	if n, err := strconv.Atoi(strings.TrimSpace(amount)); err != nil || n < 0 {
		return fmt.Errorf("the amount %q is no whole number", amount)
	}
	return nil
}

func checkTrait(trait, value string) error {
	if !strings.HasPrefix(trait, "CUSTOM_") {
		return errors.New("the trait must begin with CUSTOM_")
	}
	if value != "required" && value != "forbidden" {
		return fmt.Errorf("the value %q must be required or forbidden", value)
	}
	return nil
}
