package minikeystone

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
)

// maxBody bounds the body of a login in bytes; it is Keystone's own bound.
const maxBody = 114_688

// reference names a domain, a project or a user.
type reference struct {
	ID     string     `json:"id"`
	Name   string     `json:"name"`
	Domain *reference `json:"domain"`
}

// login is the body of POST /v3/auth/tokens.
// It mirrors keystone/auth/schema.py.
type login struct {
	Auth *struct {
		Identity *identity `json:"identity"`
		Scope    *scope    `json:"scope"`
	} `json:"auth"`
}

type identity struct {
	Methods  []string `json:"methods"`
	Password *struct {
		User *struct {
			reference
			Password *string `json:"password"`
		} `json:"user"`
	} `json:"password"`
	Token *struct {
		ID string `json:"id"`
	} `json:"token"`
	Credential *struct {
		reference
		Secret string     `json:"secret"`
		User   *reference `json:"user"`
	} `json:"application_credential"`
}

// scope is what a login asks for; "unscoped" is also a text in some clients.
type scope struct {
	Project  *reference      `json:"project"`
	Domain   *reference      `json:"domain"`
	Trust    *reference      `json:"OS-TRUST:trust"`
	System   *systemScope    `json:"system"`
	Unscoped json.RawMessage `json:"unscoped"`
}

type systemScope struct {
	All bool `json:"all"`
}

// UnmarshalJSON takes the text "unscoped" for an object of that key.
func (s *scope) UnmarshalJSON(data []byte) error {
	if string(data) == `"unscoped"` {
		s.Unscoped = data
		return nil
	}
	type plain scope
	return json.Unmarshal(data, (*plain)(s))
}

// readLogin reads a body and checks what Keystone's schema checks.
func readLogin(body io.Reader) (*login, *fault) {
	data, err := io.ReadAll(io.LimitReader(body, maxBody+1))
	switch {
	case err != nil:
		return nil, newFault(http.StatusBadRequest, "The body did not arrive.")
	case len(data) > maxBody:
		return nil, newFault(http.StatusRequestEntityTooLarge, "Request is too large.")
	}
	return parseLogin(data)
}

func parseLogin(data []byte) (*login, *fault) {
	request := new(login)
	if err := json.Unmarshal(data, request); err != nil {
		return nil, unreadable(err)
	}
	switch {
	case request.Auth == nil:
		return nil, newFault(http.StatusBadRequest, "None is not of type 'object'")
	case request.Auth.Identity == nil:
		return nil, newFault(http.StatusBadRequest, "'identity' is a required property")
	case request.Auth.Identity.Methods == nil:
		return nil, invalidField("identity", "'methods' is a required property")
	}
	return request, nil
}

// unreadable tells a wrong kind of value, with its place, from what is no JSON.
func unreadable(err error) *fault {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !ok:
		return expecting("valid JSON", "request body")
	case wrong.Field == "":
		return expecting("valid JSON object", "request body")
	}
	field := strings.ReplaceAll(strings.TrimPrefix(wrong.Field, "auth."), ".", "/")
	return invalidField(field, "a "+wrong.Value+" is not of the right type")
}

func invalidField(field, problem string) *fault {
	return newFault(http.StatusBadRequest, "Invalid input for field '%s': %s", field, problem)
}

// check refuses a scope that is several at once.
func (s *scope) check() *fault {
	given := []bool{s.Project != nil, s.Domain != nil, s.Trust != nil, s.System != nil, s.Unscoped != nil}
	if len(slices.DeleteFunc(given, func(is bool) bool { return !is })) != 1 {
		return expecting("project, domain, OS-TRUST:trust, system or unscoped", "scope")
	}
	return nil
}

// complete refuses a reference that names nothing, or a name without its domain.
func (r *reference) complete(target string) *fault {
	switch {
	case r.ID != "":
		return nil
	case r.Name == "":
		return expecting("id or name", target)
	case r.Domain == nil:
		return expecting("domain", target)
	case r.Domain.ID == "" && r.Domain.Name == "":
		return expecting("id or name", "domain")
	}
	return nil
}

// is says whether the reference means that object of that domain.
func (r *reference) is(object, domain named) bool {
	if r.ID != "" {
		return r.ID == object.ID
	}
	return r.Name == object.Name && (r.Domain.ID == domain.ID || r.Domain.ID == "" && r.Domain.Name == domain.Name)
}
