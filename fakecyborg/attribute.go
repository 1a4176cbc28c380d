package fakecyborg

import (
	"fmt"
	"slices"
	"time"
)

// attribute is a key and value of a deployable.
// It mirrors cyborg/objects/attribute.py:Attribute.
type attribute struct {
	uuid         string
	deployableID int
	key, value   string
	created      time.Time
	updated      time.Time
	// made says that it was made through the API.
	made bool
}

// attributeWire is an attribute on the wire.
// It mirrors cyborg/api/controllers/v2/attributes.py:Attribute.
type attributeWire struct {
	UUID         string  `json:"uuid"`
	DeployableID int     `json:"deployable_id"`
	Key          string  `json:"key"`
	Value        string  `json:"value"`
	CreatedAt    string  `json:"created_at"`
	UpdatedAt    *string `json:"updated_at"`
	Links        []link  `json:"links"`
}

type attributeList struct {
	Attributes []attributeWire `json:"attributes"`
}

func (a attribute) wire(base string) (attributeWire, error) {
	if !looksLikeUUID(a.uuid) {
		return attributeWire{}, notUUID(a.uuid)
	}
	return attributeWire{
		UUID: a.uuid, DeployableID: a.deployableID, Key: a.key, Value: a.value,
		CreatedAt: a.created.Format(isoForm), UpdatedAt: isoTime(a.updated),
		Links: []link{selfLink(base, "attributes", a.uuid)},
	}, nil
}

func (x *exchange) listAttributes() (any, error) {
	deployableID := int64(0)
	if text, ok := x.query["deployable_id"]; ok {
		id, err := pythonInt(text)
		if err != nil {
			return nil, badRequest("Invalid input for field/attribute deployable_id. Value: '%s'. unable to convert to integer. Error: %s", text, asFault(err).text)
		}
		deployableID = id
	}
	s := x.server.store
	s.mu.RLock()
	defer s.mu.RUnlock()
	answer := attributeList{Attributes: []attributeWire{}}
	for a := range s.attributes.all {
		if (deployableID != 0 && int64(a.deployableID) != deployableID) || !x.wants("key", a.key) {
			continue
		}
		wire, err := a.wire(x.base())
		if err != nil {
			return nil, err
		}
		answer.Attributes = append(answer.Attributes, wire)
	}
	return answer, nil
}

func (x *exchange) showAttribute() (any, error) {
	uuid := x.parameters["uuid"]
	if !looksLikeUUID(uuid) {
		return nil, badUUIDArgument("uuid", uuid)
	}
	x.server.store.mu.RLock()
	defer x.server.store.mu.RUnlock()
	a, ok := x.server.store.attributes.get(uuid)
	if !ok {
		return nil, attributeNotFound(uuid)
	}
	return asAnswer(a.wire(x.base()))
}

func attributeNotFound(uuid string) *fault {
	return notFound("Attribute not found with uuid=%s", uuid)
}

func (x *exchange) createAttribute() (any, error) {
	a, err := readAttribute(x.body)
	if err != nil {
		return nil, err
	}
	stored, err := x.server.store.addAttribute(a)
	if err != nil {
		return nil, err
	}
	wire, err := stored.wire(x.base())
	wire.CreatedAt = freshTime(x.server.store.clock.now().UTC())
	return asAnswer(wire, err)
}

// readAttribute reads the body of a creation; what Cyborg does not check fails
// as its objects and its database do.
func readAttribute(body any) (attribute, error) {
	fields, ok := body.(*object)
	if !ok {
		return attribute{}, broken("cyborg.objects.attribute.Attribute() argument after ** must be a mapping, not %s", pythonType(body))
	}
	for _, name := range fields.keys {
		if slices.Contains([]string{"deployable_id", "key", "value"}, name) && fields.values[name] == nil {
			return attribute{}, nullField(name)
		}
	}
	given := fields.values["deployable_id"]
	if given == nil {
		return attribute{}, broken("Cannot load 'deployable_id' in the base class")
	}
	id, err := pythonInt(given)
	if err != nil {
		return attribute{}, err
	}
	if id != int64(int32(id)) { //nolint:gosec // the loss is what is tested
		return attribute{}, outOfRange("deployable_id")
	}
	a := attribute{deployableID: int(id)}
	for _, column := range []struct {
		name string
		into *string
		null bool
	}{{"key", &a.key, false}, {"value", &a.value, false}, {"uuid", &a.uuid, true}} {
		text, err := optionalText(fields.values[column.name], column.name)
		switch {
		case err != nil:
			return attribute{}, err
		case text != nil:
			*column.into = *text
		case !column.null:
			return attribute{}, databaseError(`1048, "Column '%s' cannot be null"`, column.name)
		}
	}
	return a, nil
}

// outOfRange is how a number shows that its column, of 32 bits, cannot hold.
func outOfRange(column string) *fault {
	return broken("(pymysql.err.DataError) (1264, \"Out of range value for column '%s' at row 1\")\n(Background on this error at: https://sqlalche.me/e/20/9h9h)", column)
}

// databaseError is how a constraint of MariaDB shows.
func databaseError(format string, args ...any) *fault {
	return broken("(pymysql.err.IntegrityError) (%s)\n(Background on this error at: https://sqlalche.me/e/20/gkpj)", fmt.Sprintf(format, args...))
}

// addAttribute stores an attribute of an existing deployable.
func (s *store) addAttribute(a attribute) (attribute, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	exists := false
	for d := range s.deployables.all {
		exists = exists || d.id == a.deployableID
	}
	if !exists {
		return attribute{}, databaseError("1452, 'Cannot add or update a child row: a foreign key constraint fails (`cyborg`.`attributes`, CONSTRAINT `attributes_ibfk_1` FOREIGN KEY (`deployable_id`) REFERENCES `deployables` (`id`))'")
	}
	a.made = true
	return a, s.insertAttribute(&a)
}

// insertAttribute gives an attribute its id and time; the caller holds the lock.
func (s *store) insertAttribute(a *attribute) error {
	if a.uuid == "" {
		id, err := s.uuids.next()
		if err != nil {
			return err
		}
		a.uuid = id
	}
	if _, taken := s.attributes.get(a.uuid); taken {
		return databaseError(`1062, "Duplicate entry '%s' for key 'uuid'"`, a.uuid)
	}
	a.created = s.now()
	stored := *a
	s.attributes.add(a.uuid, &stored)
	return nil
}

func (x *exchange) deleteAttribute() (any, error) {
	uuid, ok := x.argument("uuid")
	if !ok {
		return nil, badRequest("Missing argument: \"uuid\"")
	}
	if !x.server.release.AttributeDeletion {
		return nil, broken("'RequestContext' object has no attribute 'dbapi'")
	}
	s := x.server.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.attributes.get(uuid); !ok {
		return nil, attributeNotFound(uuid)
	}
	s.attributes.delete(uuid)
	return nil, nil
}
