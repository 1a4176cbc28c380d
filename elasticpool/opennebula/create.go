package opennebula

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Keys of Class.Extra.
const (
	extraPCI          = "pci"
	extraRequirements = "requirements"
	extraTemplate     = "template"
)

// Create instantiates the class's template. OpenNebula has no token that makes this idempotent: after an unclear answer the VM is to be
// looked for by its tag.
func (c *Cloud) Create(ctx context.Context, spec elasticpool.ServerSpec) (elasticpool.Server, error) {
	op := "create VM " + spec.Name
	userData, err := c.config.userData(ctx, spec)
	if err != nil {
		return elasticpool.Server{}, &elasticpool.CloudError{Op: op, Class: elasticpool.ErrorOfWord(elasticpool.ErrorWord(err)), Err: err}
	}
	ask := c.instantiate
	if spec.Class.Extra[extraTemplate] != "" {
		ask = c.allocate
	}
	id, err := ask(ctx, spec, userData)
	if err != nil {
		if _, known := errors.AsType[*elasticpool.CloudError](err); known {
			return elasticpool.Server{}, err
		}
		return elasticpool.Server{}, fault(op, true, err)
	}
	server, _ := elasticpool.ServerOfTags(spec.Pool, spec.Tags())
	server.ID, server.Status = strconv.Itoa(id), elasticpool.ServerBuilding
	return server, nil
}

// instantiate makes a VM of the template that the class's flavor names.
func (c *Cloud) instantiate(ctx context.Context, spec elasticpool.ServerSpec, userData string) (int, error) {
	added, err := additions(spec)
	if err != nil {
		return 0, invalid(spec, err)
	}
	template, err := c.template(ctx, spec.Class.Flavor)
	if err != nil {
		return 0, beforehand(spec, err)
	}
	added = append(added, vector("CONTEXT", merge(template.Context, guestContext(spec, userData))))
	text, err := writeXML(added)
	if err != nil {
		return 0, invalid(spec, err)
	}
	return c.client.number(ctx, "one.template.instantiate", template.ID, spec.Name, false, text, false)
}

// beforehand is an error of what is asked before a VM is made: it surely was not.
func beforehand(spec elasticpool.ServerSpec, err error) error {
	class := classOf(false, err)
	if errors.Is(err, errTemplate) || isCode(err, codeAuthorization) {
		class = elasticpool.ErrInvalid
	}
	return &elasticpool.CloudError{Op: "create VM " + spec.Name, Class: class, Err: err}
}

func invalid(spec elasticpool.ServerSpec, err error) error {
	return &elasticpool.CloudError{Op: "create VM " + spec.Name, Class: elasticpool.ErrInvalid, Err: err}
}

// allocate makes a VM of the template that the class brings.
func (c *Cloud) allocate(ctx context.Context, spec elasticpool.ServerSpec, userData string) (int, error) {
	raw := spec.Class.Extra[extraTemplate]
	class := spec.Class
	if class.Flavor != "" || class.Image != "" || class.Network != "" || class.Extra[extraPCI] != "" || class.Extra[extraRequirements] != "" {
		return 0, invalid(spec, errors.New("extra.template is a whole template: it excludes flavor, image, network, extra.pci and extra.requirements"))
	}
	if hasContext.MatchString(raw) {
		return 0, invalid(spec, errors.New("extra.template must not have a CONTEXT: it would not be ours"))
	}
	added := append(tagElements(spec), single("NAME", spec.Name), vector("CONTEXT", guestContext(spec, userData)))
	text, err := writeText(added)
	if err != nil {
		return 0, invalid(spec, err)
	}
	return c.client.number(ctx, "one.vm.allocate", strings.TrimRight(raw, "\n")+"\n"+text, false)
}

var hasContext = regexp.MustCompile(`(?im)^\s*CONTEXT\s*=`)

// additions returns what a class adds to its template.
func additions(spec elasticpool.ServerSpec) ([]element, error) {
	class := spec.Class
	added := tagElements(spec)
	if class.Flavor == "" {
		return nil, errors.New("flavor is missing: the id or name of a VM template")
	}
	if class.Image != "" {
		added = append(added, vector("DISK", []element{named("IMAGE", class.Image)}))
	}
	if class.Network != "" {
		added = append(added, vector("NIC", []element{named("NETWORK", class.Network)}))
	}
	for key, value := range class.Extra {
		switch key {
		case extraPCI:
			devices, err := devices(value)
			if err != nil {
				return nil, err
			}
			added = append(added, devices...)
		case extraRequirements:
			added = append(added, single("SCHED_REQUIREMENTS", value))
		default:
			return nil, fmt.Errorf("extra.%s is not known; there are %s, %s and %s", key, extraPCI, extraRequirements, extraTemplate)
		}
	}
	return added, nil
}

// named names an object by its id or its name: KEY_ID for digits.
func named(key, text string) element {
	if _, err := strconv.ParseUint(text, 10, 31); err == nil {
		return single(key+"_ID", text)
	}
	return single(key, text)
}

// deviceKeys are what a PCI attribute may tell.
var deviceKeys = regexp.MustCompile(`^(vendor|device|class|short_address|profile)$`)

// devices reads extra.pci.
func devices(text string) ([]element, error) {
	var found []element
	for device := range strings.SplitSeq(text, ";") {
		var parts []element
		for part := range strings.SplitSeq(device, ",") {
			key, value, _ := strings.Cut(part, "=")
			key, value = strings.TrimSpace(key), strings.TrimSpace(value)
			if !deviceKeys.MatchString(key) || value == "" {
				return nil, fmt.Errorf("extra.pci: %q is not KEY=VALUE with vendor, device, class, short_address or profile", part)
			}
			parts = append(parts, single(strings.ToUpper(key), value))
		}
		found = append(found, vector("PCI", parts))
	}
	return found, nil
}

// tagElements returns the tags of a server.
func tagElements(spec elasticpool.ServerSpec) []element {
	tags := spec.Tags()
	var found []element
	for _, name := range tagNames {
		if value, ok := tags[name]; ok {
			found = append(found, single(attribute(name), value))
		}
	}
	return found
}

// guestContext returns what the guest is told.
func guestContext(spec elasticpool.ServerSpec, userData string) []element {
	told := []element{
		single("ELASTICPOOL_POOL", spec.Pool), single("ELASTICPOOL_VM", spec.VM),
		single("ELASTICPOOL_QUEUE", spec.Queue), single("ELASTICPOOL_CLASS", spec.Class.Name),
	}
	if userData != "" {
		told = append(told, single("USER_DATA", base64.StdEncoding.EncodeToString([]byte(userData))), single("USER_DATA_ENCODING", "base64"))
	}
	return told
}
