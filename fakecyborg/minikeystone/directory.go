package minikeystone

import (
	"cmp"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

// named is what Keystone tells by id and name: a domain or a role.
type named struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type project struct {
	named
	domain named
}

// assignment is what a user may do in a project, or, when that is nil, in the
// whole system.
type assignment struct {
	project *project
	roles   []string
}

type user struct {
	named
	domain      named
	password    string
	assignments []assignment
}

type credential struct {
	fakecyborg.ApplicationCredential
	user  *user
	scope assignment
}

// directory is everybody and everything that the file named, in its order. It
// does not change.
type directory struct {
	domains     []named
	users       []*user
	projects    []*project
	roles       []string
	credentials []*credential
	fixed       map[string]*token
}

// defaultDomain is the domain of entries that name none.
var defaultDomain = named{ID: "default", Name: "Default"}

func newDirectory(file *fakecyborg.Tokens) (*directory, error) {
	d := &directory{
		domains: []named{defaultDomain}, roles: []string{"admin", "manager", "member", "reader", "service"},
		fixed: make(map[string]*token),
	}
	for _, entry := range file.Entries {
		if err := d.add(entry); err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Place, err)
		}
	}
	return d, nil
}

// add puts one entry of the file to what is there.
func (d *directory) add(entry fakecyborg.TokenEntry) error {
	domain := d.domain(entry.Domain)
	who, err := d.user(entry, domain)
	if err != nil {
		return err
	}
	scope := assignment{roles: entry.Roles}
	if scope.project, err = d.project(entry, domain); err != nil {
		return err
	}
	if _, twice := who.in(scope.project); twice {
		return errors.New("the user has an entry for that project already")
	}
	who.assignments = append(who.assignments, scope)
	for _, role := range entry.Roles {
		if !slices.Contains(d.roles, role) {
			d.roles = append(d.roles, role)
		}
	}
	if entry.Token != "" {
		d.fixed[entry.Token] = &token{user: who, scope: &scope, methods: []string{"password"}, audit: newAuditID()}
	}
	if entry.Credential == nil {
		return nil
	}
	if d.credential(func(c *credential) bool { return c.ID == entry.Credential.ID }) != nil {
		return errors.New("the id of the application credential is there twice")
	}
	d.credentials = append(d.credentials, &credential{*entry.Credential, who, scope})
	return nil
}

func (d *directory) domain(name string) named {
	name = cmp.Or(name, defaultDomain.Name)
	for _, known := range d.domains {
		if known.Name == name {
			return known
		}
	}
	added := named{ID: idOf("domain", name), Name: name}
	d.domains = append(d.domains, added)
	return added
}

func (d *directory) user(entry fakecyborg.TokenEntry, domain named) (*user, error) {
	id := cmp.Or(entry.UserID, idOf("user", domain.ID, entry.User))
	for _, known := range d.users {
		sameName := known.Name == entry.User && known.domain == domain
		switch {
		case known.ID != id && sameName && entry.UserID != "":
			return nil, fmt.Errorf("user %s has the id %s in another entry", entry.User, known.ID)
		case known.ID == id && !sameName:
			return nil, fmt.Errorf("the id of user %s is that of user %s", entry.User, known.Name)
		case !sameName:
			continue
		case known.password != "" && entry.Password != "" && known.password != entry.Password:
			return nil, fmt.Errorf("user %s has another password in another entry", entry.User)
		}
		known.password = cmp.Or(known.password, entry.Password)
		return known, nil
	}
	added := &user{named: named{ID: id, Name: entry.User}, domain: domain, password: entry.Password}
	d.users = append(d.users, added)
	return added, nil
}

func (d *directory) project(entry fakecyborg.TokenEntry, domain named) (*project, error) {
	if entry.Project == "" {
		return nil, nil //nolint:nilnil // the system scope has no project
	}
	id, name := plainID(entry.Project), cmp.Or(entry.ProjectName, entry.Project)
	for _, known := range d.projects {
		switch {
		case known.ID == id && (entry.ProjectName == "" || known.Name == name) && known.domain == domain:
			return known, nil
		case known.ID == id:
			return nil, fmt.Errorf("project %s has another name or domain in another entry", id)
		case known.Name == name && known.domain == domain:
			return nil, fmt.Errorf("project %s has another id in another entry", name)
		}
	}
	added := &project{named: named{ID: id, Name: name}, domain: domain}
	d.projects = append(d.projects, added)
	return added, nil
}

func (d *directory) credential(is func(*credential) bool) *credential {
	if i := slices.IndexFunc(d.credentials, is); i >= 0 {
		return d.credentials[i]
	}
	return nil
}

// in is what the user may do in a project, or, when that is nil, in the system.
func (u *user) in(where *project) (assignment, bool) {
	for _, known := range u.assignments {
		if known.project == where {
			return known, true
		}
	}
	return assignment{}, false
}

// UserID is the id of the user of that name in the domain of that name, "" for
// none.
func (s *Server) UserID(name, domain string) string {
	for _, known := range s.directory.users {
		if known.Name == name && known.domain.Name == domain {
			return known.ID
		}
	}
	return ""
}

// sameSecret compares in constant time. Nobody has the empty secret.
func sameSecret(want, got string) bool {
	return want != "" && subtle.ConstantTimeCompare([]byte(want), []byte(got)) == 1
}

// idOf makes the id of what has only a name, the same in each run.
func idOf(parts ...string) string {
	space := uuid.NameSpaceURL
	for _, part := range parts {
		space = uuid.NewSHA1(space, []byte(part))
	}
	return hex.EncodeToString(space[:])
}

// plainID is an id without dashes, the form that Keystone has.
func plainID(id string) string {
	if parsed, err := uuid.Parse(id); err == nil {
		return hex.EncodeToString(parsed[:])
	}
	return id
}
