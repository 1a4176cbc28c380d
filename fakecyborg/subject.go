package fakecyborg

import (
	"strings"

	faults "github.com/novacyborg/novacyborg/fakecyborg/fault"
)

// subject is what an exchange is about, for rules: what it names, and what that
// belongs to. A body that cannot be read names nothing.
func (x *exchange) subject() faults.Subject {
	s := faults.Subject{Operation: x.operation(), Scope: x.scope}
	parameters, _ := parseQuery(x.URL.RawQuery)
	for _, list := range []string{x.parameters["uuid"], x.parameters["arqs"], parameters["arqs"]} {
		if list != "" {
			s.ARQs = append(s.ARQs, strings.Split(list, ",")...)
		}
	}
	for _, name := range []string{"instance", "hostname"} {
		s = withValue(s, name, parameters[name])
	}
	if body, err := decode(x.sent); err == nil && x.operation() == "arq:update" {
		s = withPatches(s, body)
	}
	return x.server.store.complete(s, x.parameters["uuid"])
}

// withPatches adds what the body of a PATCH of accelerator requests names.
func withPatches(s faults.Subject, body any) faults.Subject {
	byUUID, _ := body.(*object)
	if byUUID == nil {
		return s
	}
	for _, uuid := range byUUID.keys {
		s.ARQs = append(s.ARQs, uuid)
		operations, _ := byUUID.values[uuid].([]any)
		for _, element := range operations {
			operation, ok := element.(*object)
			if !ok {
				continue
			}
			path, _ := operation.values["path"].(string)
			value, _ := operation.values["value"].(string)
			s = withValue(s, strings.TrimLeft(path, "/"), value)
		}
	}
	return s
}

func withValue(s faults.Subject, name, value string) faults.Subject {
	switch {
	case value == "":
	case name == "instance" || name == "instance_uuid":
		s.Instances = append(s.Instances, value)
	case name == "hostname":
		s.Hosts = append(s.Hosts, value)
	}
	return s
}

// complete adds the instance and the host of the accelerator requests, and the
// host of the device or deployable of that id.
func (s *store) complete(subject faults.Subject, id string) faults.Subject {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, uuid := range subject.ARQs {
		if a, ok := s.arqs.get(uuid); ok && a.instance != nil {
			subject.Instances = append(subject.Instances, *a.instance)
			subject.Hosts = append(subject.Hosts, *a.hostname)
		}
	}
	if d, ok := s.devices.get(id); ok {
		subject.Hosts = append(subject.Hosts, d.hostname)
	}
	if place, ok := s.deployables.get(id); ok {
		for d := range s.devices.all {
			if d.id == place.deviceID {
				subject.Hosts = append(subject.Hosts, d.hostname)
			}
		}
	}
	return subject
}
