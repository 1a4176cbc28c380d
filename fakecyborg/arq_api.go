package fakecyborg

import (
	"encoding/json"
	"net/http"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// arqWire is an accelerator request on the wire.
// It mirrors cyborg/api/controllers/v2/arqs.py:ARQ.
type arqWire struct {
	UUID         string   `json:"uuid"`
	State        arqState `json:"state"`
	ProfileName  string   `json:"device_profile_name"`
	GroupID      int      `json:"device_profile_group_id"`
	Hostname     *string  `json:"hostname"`
	DeviceRPUUID *string  `json:"device_rp_uuid"`
	InstanceUUID *string  `json:"instance_uuid"`
	// ProjectID and HandleUUID are null, or missing in releases that lack them.
	ProjectID  **string `json:"project_id,omitempty"`
	HandleType string   `json:"attach_handle_type"`
	HandleUUID **string `json:"attach_handle_uuid,omitempty"`
	HandleInfo *object  `json:"attach_handle_info"`
	Links      []link   `json:"links"`
	CreatedAt  *string  `json:"created_at"`
	UpdatedAt  *string  `json:"updated_at"`
}

type arqList struct {
	ARQs []arqWire `json:"arqs"`
}

// wire fails for a request that was bound with ids that are none: it breaks
// every list that it is part of.
func (a *arq) wire(release Release, base string) (arqWire, error) {
	for _, id := range []*string{a.deviceRP, a.instance, a.project} {
		if release.StrictUUIDs && id != nil && !looksLikeUUID(*id) {
			return arqWire{}, notUUID(*id)
		}
	}
	wire := arqWire{
		UUID: a.uuid, State: a.state, ProfileName: a.profile.name, GroupID: a.group,
		Hostname: a.hostname, DeviceRPUUID: a.deviceRP, InstanceUUID: a.instance,
		HandleInfo: newObject(),
		Links:      []link{selfLink(base, "accelerator_requests", a.uuid)},
		CreatedAt:  isoTime(a.created), UpdatedAt: isoTime(a.updated),
	}
	var handleUUID *string
	if a.handle != nil && a.state == stateBound { // a mediated device that could not be made is not shown
		handleUUID = &a.handle.uuid
		wire.HandleType = a.handle.Type
		wire.HandleInfo = orderedText(a.handle.Info)
	}
	if release.ARQProject {
		wire.ProjectID = &a.project
	}
	if release.AttachHandleUUID {
		wire.HandleUUID = &handleUUID
	}
	return wire, nil
}

// orderedText is a JSON object of strings.
func orderedText(pairs []driver.Pair) *object {
	o := newObject()
	for _, pair := range pairs {
		o.set(pair.Key, pair.Value)
	}
	return o
}

func (x *exchange) wireARQs(arqs []arq) (any, error) {
	base := x.base()
	answer := arqList{ARQs: make([]arqWire, 0, len(arqs))}
	for i := range arqs {
		wire, err := arqs[i].wire(x.server.release, base)
		if err != nil {
			return nil, err
		}
		answer.ARQs = append(answer.ARQs, wire)
	}
	return answer, nil
}

func (x *exchange) listARQs() (any, error) {
	instance, hasInstance := x.query["instance"]
	if hasInstance && !looksLikeUUID(instance) {
		return nil, badUUIDArgument("instance", instance)
	}
	onlyResolved, err := x.server.release.bindStateFilter(x.query["bind_state"])
	if err != nil {
		return nil, err
	}
	var arqs []arq
	if hasInstance {
		arqs, err = x.server.store.instanceARQs(x.caller, instance)
	} else {
		arqs, err = x.server.store.listARQs(x.caller)
	}
	if err == nil && onlyResolved {
		return x.resolvedARQs(arqs, hasInstance)
	}
	if err != nil {
		return nil, err
	}
	return x.wireARQs(arqs)
}

func (r Release) bindStateFilter(state string) (onlyResolved bool, err error) {
	switch state {
	case "", "resolved":
		return state != "", nil
	}
	return false, r.badFilter(state)
}

// resolvedARQs filters a general list; a list of one instance is locked as long
// as one of its requests is not resolved. Before there was a lock, the status of
// the locked answer was lost on the way out, and a general list was not filtered.
func (x *exchange) resolvedARQs(arqs []arq, ofInstance bool) (any, error) {
	locks := x.server.release.Locked
	kept := make([]arq, 0, len(arqs))
	for _, a := range arqs {
		switch {
		case a.state.resolved() || (!ofInstance && !locks):
			kept = append(kept, a)
		case ofInstance && locks:
			return nil, &fault{status: http.StatusLocked, kind: fromLock}
		case ofInstance:
			return json.RawMessage("null"), nil
		}
	}
	return x.wireARQs(kept)
}

func (x *exchange) showARQ() (any, error) {
	uuid := x.parameters["uuid"]
	if x.server.release.StrictUUIDs && !looksLikeUUID(uuid) {
		return nil, badUUIDArgument("uuid", uuid)
	}
	a, err := x.server.store.arq(x.caller, uuid)
	if err != nil {
		return nil, err
	}
	return asAnswer(a.wire(x.server.release, x.base()))
}

func (x *exchange) createARQs() (any, error) {
	fields, ok := x.body.(*object)
	if !ok {
		return nil, noAttribute(x.body, "get")
	}
	name := fields.values["device_profile_name"]
	if name == nil {
		return nil, broken("DeviceProfile name needed.")
	}
	text, shown := pythonStr(name), pythonStr(name)
	switch name := name.(type) {
	case *object:
		return nil, broken("dict can not be used as parameter")
	case []any: // SQL's brackets around one text are none
		if len(name) == 1 {
			text = pythonStr(name[0])
		}
	}
	arqs, err := x.server.store.createARQs(x.caller, text, shown)
	if err != nil {
		return nil, err
	}
	return x.wireARQs(arqs)
}

func (x *exchange) deleteARQs() (any, error) {
	list, _ := x.argument("arqs")
	instance, hasInstance := x.argument("instance")
	if hasInstance && !looksLikeUUID(instance) {
		return nil, badUUIDArgument("instance", instance)
	}
	if (list == "") == (instance == "") {
		return nil, broken("Object action delete failed because: Provide either an ARQ uuid list or an instance UUID")
	}
	if instance != "" {
		if err := x.needServiceToken(); err != nil {
			return nil, err
		}
		return nil, x.server.store.deleteInstanceARQs(x.caller, instance)
	}
	return nil, x.server.store.deleteARQs(x.caller, list)
}
