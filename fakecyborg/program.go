package fakecyborg

import (
	"regexp"
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// pathRule is the form of a JSON-patch path.
var pathRule = regexp.MustCompile(`^(/[\w-]+)+$`)

// internalPaths may not be changed from outside.
var internalPaths = []string{"/created_at", "/id", "/links", "/updated_at", "/uuid", "/name", "/num_accelerators"}

// programDeployable loads a bitstream. Without an image service it ends as an
// agent that could not.
// It mirrors cyborg/api/controllers/v2/deployables.py:DeployablesController.program.
func (x *exchange) programDeployable() (any, error) {
	uuid, _ := x.argument("uuid")
	if !looksLikeUUID(uuid) {
		return nil, badUUIDArgument("uuid", uuid)
	}
	image, err := readProgram(x.body)
	if err != nil {
		return nil, err
	}
	if !looksLikeUUID(image) {
		return nil, notUUID(image)
	}
	return x.server.programDeployable(x, uuid, image)
}

func (s *Server) programDeployable(x *exchange, uuid, id string) (any, error) {
	s.store.mu.RLock()
	place, err := s.store.findDeployable(uuid)
	s.store.mu.RUnlock()
	images, failed := s.imageService(), broken("FPGA programming failed with return False.")
	switch {
	case err != nil:
		return nil, err
	case images == nil:
		return nil, failed
	}
	image, err := driver.Images(images).ByID(id)
	if err != nil {
		return nil, s.release.missing("Image", "uuid", id).overRPC()
	}
	if err := s.loadImage(x.Context(), place, image); err != nil {
		s.logger.WarnContext(x.Context(), "program", "deployable", place.Name, "error", err)
		return nil, failed
	}
	s.store.mu.RLock()
	defer s.store.mu.RUnlock()
	return asAnswer(s.store.wireDeployable(x.base(), place))
}

// readProgram checks the patch and returns the image of its first operation.
func readProgram(body any) (string, error) {
	list, ok := body.([]any)
	switch {
	case body == nil:
		return "", notSubscriptable(nil)
	case !ok:
		return "", badRequest("Invalid input for field/attribute program_info. Value: '%s'. Value not a valid list: %s", pythonStr(body), pythonStr(body))
	}
	operations := make([]*object, 0, len(list))
	for _, element := range list {
		operation, err := checkProgram(element)
		if err != nil {
			return "", err
		}
		operations = append(operations, operation)
	}
	if len(operations) == 0 {
		return "", broken("list index out of range")
	}
	return imageOf(operations[0])
}

// imageOf is the image that an operation names; only its first counts.
func imageOf(operation *object) (string, error) {
	if operation == nil {
		return "", notSubscriptable(nil)
	}
	value, ok := operation.values["value"]
	if !ok {
		return "", keyError("value")
	}
	images, ok := value.([]any)
	switch _, isObject := value.(*object); {
	case isObject:
		return "", broken("0")
	case !ok:
		return "", notIndexable(value)
	case len(images) == 0:
		return "", broken("list index out of range")
	}
	image, ok := images[0].(*object)
	if !ok {
		return "", notSubscriptable(images[0])
	}
	id, ok := image.values["image_uuid"]
	if !ok {
		return "", keyError("image_uuid")
	}
	return pythonStr(id), nil
}

// notIndexable is what becomes of the first image in a value that is no list.
func notIndexable(value any) *fault {
	if text, isText := value.(string); isText && text != "" {
		return notSubscriptable(text)
	}
	return notSubscriptable(value)
}

// checkProgram applies the rules of JSON patches.
// It mirrors cyborg/api/controllers/types.py:JsonPatchType.validate.
func checkProgram(element any) (*object, error) {
	operation, ok := element.(*object)
	if element == nil {
		return nil, nil //nolint:nilnil // null is taken for an operation, up to the look into it
	}
	if !ok {
		return nil, noAttribute(element, "keys")
	}
	for _, key := range operation.keys {
		if !slices.Contains([]string{"path", "op", "value"}, key) {
			return nil, badRequest("Unknown attribute for argument program_info: %s", key)
		}
	}
	for _, key := range []string{"path", "op"} {
		if _, given := operation.values[key]; !given {
			return nil, badRequest("Invalid input for field/attribute %s. Value: 'None'. Mandatory field missing.", key)
		}
	}
	path, _ := operation.values["path"].(string)
	op, _ := operation.values["op"].(string)
	if !pathRule.MatchString(path) {
		return nil, badRequest("Invalid input for field/attribute path. Value: '%s'. Value should match the pattern ^(/[\\w-]+)+$", path)
	}
	if !slices.Contains([]string{"add", "replace", "remove"}, op) {
		return nil, badRequest("Invalid input for field/attribute op. Value: '%s'. Value should be one of: add, replace, remove", op)
	}
	return operation, checkChange(operation, path, op)
}

// checkChange refuses a change of what nobody may change, and one without value.
func checkChange(operation *object, path, op string) error {
	for _, internal := range internalPaths {
		if strings.HasPrefix(path, internal) {
			return badRequest("'%s' is an internal attribute and can not be updated", path)
		}
	}
	if _, given := operation.values["value"]; !given && op != "remove" {
		return badRequest("'add' and 'replace' operations need a value")
	}
	return nil
}
