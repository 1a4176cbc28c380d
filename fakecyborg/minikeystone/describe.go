package minikeystone

import (
	"net/http"
	"time"
)

// timeForm is how Keystone writes times.
const timeForm = "2006-01-02T15:04:05.000000Z"

// tokenBody is a token as Keystone describes it.
// It mirrors keystone/common/render_token.py.
type tokenBody struct {
	Methods    []string        `json:"methods"`
	User       userBody        `json:"user"`
	AuditIDs   []string        `json:"audit_ids"`
	ExpiresAt  string          `json:"expires_at"`
	IssuedAt   string          `json:"issued_at"`
	Project    *projectBody    `json:"project,omitempty"`
	IsDomain   *bool           `json:"is_domain,omitempty"`
	System     map[string]bool `json:"system,omitempty"`
	Roles      []named         `json:"roles,omitempty"`
	Catalog    []catalogEntry  `json:"catalog,omitempty"`
	Credential *credentialBody `json:"application_credential,omitempty"`
}

type userBody struct {
	Domain named `json:"domain"`
	named
	PasswordExpires *string `json:"password_expires_at"`
}

type projectBody struct {
	Domain named `json:"domain"`
	named
}

type credentialBody struct {
	named
	Restricted bool `json:"restricted"`
}

// describe is the body of a token; a fixed one seems new at each look.
func (s *Server) describe(t *token, r *http.Request, catalog bool) tokenBody {
	issued, expires := t.issued, t.expires
	if t.fixed() {
		issued = s.time()
		expires = issued.Add(max(s.life, time.Hour))
	}
	body := tokenBody{
		Methods: t.methods, User: userBody{Domain: t.user.domain, named: t.user.named}, AuditIDs: []string{t.audit},
		IssuedAt: issued.Format(timeForm), ExpiresAt: expires.Format(timeForm),
	}
	if t.scope == nil {
		return body
	}
	for _, role := range t.scope.roles {
		body.Roles = append(body.Roles, roleNamed(role))
	}
	if where := t.scope.project; where != nil {
		body.Project, body.IsDomain = &projectBody{where.domain, where.named}, new(bool)
	} else {
		body.System = map[string]bool{"all": true}
	}
	if t.credential != nil {
		body.Credential = &credentialBody{named{t.credential.ID, t.credential.Name}, true}
	}
	if catalog {
		body.Catalog = s.catalog(r)
	}
	return body
}

func roleNamed(role string) named { return named{ID: idOf("role", role), Name: role} }
