package minikeystone

import (
	"maps"
	"slices"
)

// object is one element of a list: its properties.
type object map[string]any

// enabled is what all objects that can be switched off say.
var enabled = object{"enabled": true, "options": object{}, "description": ""}

func with(base object, more object) object {
	all := maps.Clone(base)
	maps.Copy(all, more)
	return all
}

func (c *call) self(kind, id string) object {
	return object{"self": c.server.KeystoneURL(c.Request) + "/v3/" + kind + "/" + id}
}

func (c *call) project(p *project) object {
	return with(enabled, object{
		"id": p.ID, "name": p.Name, "domain_id": p.domain.ID, "parent_id": p.domain.ID, "is_domain": false,
		"tags": []string{}, "links": c.self("projects", p.ID),
	})
}

func (c *call) user(u *user) object {
	return with(enabled, object{
		"id": u.ID, "name": u.Name, "domain_id": u.domain.ID, "password_expires_at": nil, "links": c.self("users", u.ID),
	})
}

func (c *call) role(name string) object {
	role := roleNamed(name)
	return object{
		"id": role.ID, "name": role.Name, "domain_id": nil, "description": nil, "options": object{},
		"links": c.self("roles", role.ID),
	}
}

func (c *call) domain(d named) object {
	return with(enabled, object{"id": d.ID, "name": d.Name, "tags": []string{}, "links": c.self("domains", d.ID)})
}

// each turns elements into objects.
func each[T any](elements []T, of func(T) object) []object {
	objects := make([]object, 0, len(elements))
	for _, element := range elements {
		objects = append(objects, of(element))
	}
	return objects
}

// list answers with the objects whose properties are those that the query names.
func (c *call) list(kind string, objects []object) (any, *fault) {
	for _, key := range []string{"name", "domain_id", "type"} {
		if wanted := c.URL.Query()[key]; len(wanted) > 0 {
			objects = slices.DeleteFunc(objects, func(o object) bool { return o[key] != wanted[0] })
		}
	}
	return object{kind: objects, "links": object{"next": nil, "self": c.server.base(c.Request) + c.URL.Path, "previous": nil}}, nil
}

// show answers with the object of the path's id.
func (c *call) show(kind string, objects []object) (any, *fault) {
	for _, o := range objects {
		if o["id"] == c.id() {
			return object{kind: o}, nil
		}
	}
	return nil, missing(kind, c.id())
}

// admins refuses everybody else.
func (c *call) admins(action string) *fault {
	if c.caller.has("admin") {
		return nil
	}
	return forbidden(action)
}

// restricted answers admins only.
func (c *call) restricted(action string, answer func() (any, *fault)) (any, *fault) {
	if refusal := c.admins(action); refusal != nil {
		return nil, refusal
	}
	return answer()
}

func (c *call) ownCatalog() (any, *fault) {
	if c.caller.scope == nil {
		return nil, forbidden("get_auth_catalog")
	}
	return object{"catalog": c.server.catalog(c.Request), "links": object{"self": c.server.base(c.Request) + c.URL.Path}}, nil
}

func (c *call) ownProjects() (any, *fault) {
	return c.list("projects", each(c.caller.user.projects(), c.project))
}

func (c *call) ownSystem() (any, *fault) {
	system := []object{}
	if _, ok := c.caller.user.in(nil); ok {
		system = append(system, object{"all": true})
	}
	return c.list("system", system)
}

func (c *call) ownDomains() (any, *fault) { return c.list("domains", []object{}) }

// projects are those in which the user may do something.
func (u *user) projects() []*project {
	var mine []*project
	for _, known := range u.assignments {
		if known.project != nil {
			mine = append(mine, known.project)
		}
	}
	return mine
}

func (c *call) listProjects() (any, *fault) {
	return c.restricted("list_projects", func() (any, *fault) {
		return c.list("projects", each(c.server.directory.projects, c.project))
	})
}

func (c *call) showProject() (any, *fault) {
	if own := c.caller.project(); own == nil || own.ID != c.id() {
		if refusal := c.admins("get_project"); refusal != nil {
			return nil, refusal
		}
	}
	return c.show("project", each(c.server.directory.projects, c.project))
}

func (c *call) listUsers() (any, *fault) {
	return c.restricted("list_users", func() (any, *fault) {
		return c.list("users", each(c.server.directory.users, c.user))
	})
}

func (c *call) showUser() (any, *fault) {
	if c.caller.user.ID != c.id() {
		if refusal := c.admins("get_user"); refusal != nil {
			return nil, refusal
		}
	}
	return c.show("user", each(c.server.directory.users, c.user))
}

func (c *call) userProjects() (any, *fault) {
	if c.caller.user.ID != c.id() {
		if refusal := c.admins("list_user_projects"); refusal != nil {
			return nil, refusal
		}
	}
	for _, known := range c.server.directory.users {
		if known.ID == c.id() {
			return c.list("projects", each(known.projects(), c.project))
		}
	}
	return nil, missing("user", c.id())
}

func (c *call) listRoles() (any, *fault) {
	return c.restricted("list_roles", func() (any, *fault) {
		return c.list("roles", each(c.server.directory.roles, c.role))
	})
}

func (c *call) showRole() (any, *fault) {
	return c.restricted("get_role", func() (any, *fault) {
		return c.show("role", each(c.server.directory.roles, c.role))
	})
}

func (c *call) listDomains() (any, *fault) {
	return c.restricted("list_domains", func() (any, *fault) {
		return c.list("domains", each(c.server.directory.domains, c.domain))
	})
}

func (c *call) showDomain() (any, *fault) {
	return c.restricted("get_domain", func() (any, *fault) {
		return c.show("domain", each(c.server.directory.domains, c.domain))
	})
}

func (c *call) listServices() (any, *fault) {
	return c.restricted("list_services", func() (any, *fault) {
		return c.list("services", each(c.server.services, func(s service) object {
			return with(enabled, object{"id": s.id(), "type": s.kind, "name": s.name, "links": c.self("services", s.id())})
		}))
	})
}

func (c *call) listEndpoints() (any, *fault) {
	return c.restricted("list_endpoints", func() (any, *fault) {
		endpoints := []object{}
		for _, entry := range c.server.catalog(c.Request) {
			for _, e := range entry.Endpoints {
				endpoints = append(endpoints, object{
					"id": e.ID, "interface": e.Interface, "region": e.Region, "region_id": e.RegionID, "url": e.URL,
					"service_id": entry.ID, "enabled": true, "links": c.self("endpoints", e.ID),
				})
			}
		}
		return c.list("endpoints", endpoints)
	})
}
