package differential_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// clean empties both services, so that a sequence finds what the one before found, and forgets what that one was told.
func (l *lockstep) clean(ctx context.Context) error {
	for _, s := range []*side{l.real, l.fake} {
		if err := s.clean(ctx, l.attributes, l.spoilt); err != nil {
			return err
		}
	}
	l.spoilt = false
	for _, target := range []string{arqsPath, profilesPath, "/v2/devices", "/v2/deployables", "/v2/attributes"} {
		st := step{method: "GET", target: target, user: "admin", header: map[string]string{versionHeader: "2.3"}}
		found, err := l.ask(ctx, st)
		if err != nil {
			return err
		}
		if found != nil {
			return fmt.Errorf("clean services differ:\n%s", found)
		}
	}
	return nil
}

// administer sends a step as admin with a service token; what comes of it is the caller's matter.
func (s *side) administer(ctx context.Context, method, target, body string) (answer, error) {
	st := step{method: method, target: target, user: "admin", service: "nova", body: body, bodied: body != "", header: map[string]string{"Content-Type": "application/json"}}
	a, err := s.send(ctx, st)
	s.told["0"] = nil
	return a, err
}

// object is what clean wants to know of a thing in a list.
type object struct {
	UUID, Name, Key, Value string
	DeployableID           int `json:"deployable_id"`
	Status                 string
	Provider               string `json:"rp_uuid"`
}

// list is a list of things.
func (s *side) list(ctx context.Context, target, key string) ([]object, bool, error) {
	a, err := s.administer(ctx, "GET", target, "")
	if err != nil || a.status != http.StatusOK {
		return nil, false, err
	}
	var body map[string][]object
	err = json.Unmarshal([]byte(a.body), &body)
	return body[key], true, err
}

// clean deletes everything that sequences make, and puts the device back as it was.
func (s *side) clean(ctx context.Context, attributes []object, rebuild bool) error {
	if err := s.cleanARQs(ctx); err != nil {
		return err
	}
	if err := s.cleanProfiles(ctx); err != nil {
		return err
	}
	if err := s.cleanAttributes(ctx, attributes, rebuild); err != nil {
		return err
	}
	if err := s.cleanDevice(ctx); err != nil {
		return err
	}
	s.forget()
	return nil
}

// cleanARQs deletes those in the list; a list that is refused has one that cannot be shown, so those that were told are deleted one by one.
func (s *side) cleanARQs(ctx context.Context) error {
	for range 2 {
		arqs, listed, err := s.list(ctx, arqsPath, "arqs")
		if err != nil {
			return err
		}
		if listed {
			return s.deleteAll(ctx, arqsPath+"?arqs=", arqs, func(o object) string { return o.UUID })
		}
		for _, id := range s.toldBySteps() {
			if _, err := s.administer(ctx, "DELETE", arqsPath+"?arqs="+id, ""); err != nil {
				return err
			}
		}
	}
	return fmt.Errorf("%s: ARQs are left that cannot be shown or deleted", s.base)
}

func (s *side) toldBySteps() []string {
	var ids []string
	for key, list := range s.told {
		if _, err := strconv.Atoi(key); err == nil {
			ids = append(ids, list...)
		}
	}
	return ids
}

func (s *side) deleteAll(ctx context.Context, target string, objects []object, name func(object) string) error {
	if len(objects) == 0 {
		return nil
	}
	names := make([]string, len(objects))
	for i, o := range objects {
		names[i] = name(o)
	}
	a, err := s.administer(ctx, "DELETE", target+strings.Join(names, ","), "")
	if err == nil && a.status != http.StatusNoContent {
		err = fmt.Errorf("clean %s: %d %s", target, a.status, a.body)
	}
	return err
}

func (s *side) cleanProfiles(ctx context.Context) error {
	profiles, _, err := s.list(ctx, profilesPath, "device_profiles")
	if err != nil {
		return err
	}
	for _, profile := range profiles { // by uuid: a name may be another one's uuid
		if err := s.deleteAll(ctx, profilesPath+"/", []object{profile}, func(o object) string { return o.UUID }); err != nil {
			return err
		}
	}
	return nil
}

// cleanAttributes makes the attributes those of a new fake.
func (s *side) cleanAttributes(ctx context.Context, want []object, rebuild bool) error {
	attributes, _, err := s.list(ctx, "/v2/attributes", "attributes")
	if err != nil {
		return err
	}
	s.told["attribute"] = nil
	for _, o := range attributes {
		s.told["attribute"] = append(s.told["attribute"], o.UUID)
	}
	if !rebuild && slices.EqualFunc(attributes, want, func(a, b object) bool { return a.Key == b.Key && a.Value == b.Value }) {
		return nil
	}
	for _, o := range attributes {
		if err := s.deleteAll(ctx, "/v2/attributes/", []object{o}, func(o object) string { return o.UUID }); err != nil {
			return err
		}
	}
	s.told["attribute"] = nil
	for _, o := range want {
		body, err := json.Marshal(map[string]any{"deployable_id": o.DeployableID, "key": o.Key, "value": o.Value})
		if err != nil {
			return err
		}
		a, err := s.administer(ctx, "POST", "/v2/attributes", string(body))
		if err != nil {
			return err
		}
		made := toldForm.FindStringSubmatch(a.body)
		if made == nil {
			return fmt.Errorf("clean attributes: %d %s", a.status, a.body)
		}
		s.told["attribute"] = append(s.told["attribute"], made[1])
	}
	return nil
}

// cleanDevice enables the device. It was switched once in any case, so that it has a time of change.
func (s *side) cleanDevice(ctx context.Context) error {
	a, err := s.send(ctx, step{method: "GET", target: "/v2/devices", user: "admin", header: map[string]string{versionHeader: "2.3"}})
	if err != nil {
		return err
	}
	var body struct{ Devices []object }
	if err := json.Unmarshal([]byte(a.body), &body); err != nil || len(body.Devices) != 1 {
		return fmt.Errorf("clean devices: %d %s: %w", a.status, a.body, err)
	}
	device := body.Devices[0]
	actions := []string{"/enable"}
	switch {
	case !s.switched:
		actions = []string{"/disable", "/enable"}
	case device.Status == "enabled":
		return nil
	}
	s.switched = true
	for _, action := range actions {
		a, err := s.administer(ctx, "POST", "/v2/devices/"+device.UUID+action, "")
		if err != nil || a.status != http.StatusNoContent {
			return fmt.Errorf("clean devices: %d %s: %w", a.status, a.body, err)
		}
	}
	return nil
}
