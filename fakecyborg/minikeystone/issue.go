package minikeystone

import (
	"net/http"
	"slices"
)

// issueToken is POST /v3/auth/tokens.
// It mirrors keystone/api/auth.py:AuthTokenResource.post.
func (s *Server) issueToken(w http.ResponseWriter, r *http.Request) {
	request, refusal := readLogin(r.Body)
	if refusal != nil {
		s.refuse(w, r, refusal)
		return
	}
	made, refusal := s.logIn(request)
	if refusal != nil {
		s.refuse(w, r, refusal)
		return
	}
	w.Header().Set("X-Subject-Token", s.tokens.add(made))
	write(w, http.StatusCreated, map[string]any{"token": s.describe(made, r, !r.URL.Query().Has("nocatalog"))})
}

// logIn checks who it is, then for what.
func (s *Server) logIn(request *login) (*token, *fault) {
	now := s.time()
	made := &token{issued: now, expires: now.Add(s.life), audit: newAuditID()}
	for _, method := range request.Auth.Identity.Methods {
		who, refusal := s.identify(method, request.Auth.Identity, made)
		if refusal != nil {
			return nil, refusal
		}
		if made.user != nil && made.user != who {
			return nil, unauthorized()
		}
		made.user = who
		made.addMethod(method)
	}
	if made.user == nil {
		return nil, unauthorized()
	}
	return made, s.settleScope(made, request.Auth.Scope)
}

// identify says who a login by that method is.
func (s *Server) identify(method string, id *identity, made *token) (*user, *fault) {
	switch {
	case method == "password" && id.Password != nil:
		return s.byPassword(id)
	case method == "token" && id.Token != nil:
		return s.byToken(id.Token.ID, made)
	case method == "application_credential" && id.Credential != nil:
		return s.byCredential(id, made)
	case method == "password" || method == "token" || method == "application_credential":
		return nil, expecting(method, "identity")
	}
	return nil, newFault(http.StatusUnauthorized, "Attempted to authenticate with an unsupported method.")
}

func (s *Server) byPassword(id *identity) (*user, *fault) {
	who := id.Password.User
	if who == nil {
		return nil, expecting("user", "password")
	}
	if refusal := who.complete("user"); refusal != nil {
		return nil, refusal
	}
	if who.Password == nil {
		return nil, expecting("password", "user")
	}
	found := s.findUser(&who.reference)
	if found == nil || !sameSecret(found.password, *who.Password) {
		return nil, unauthorized()
	}
	return found, nil
}

// byToken lets a token be exchanged for one of another scope, which ends when it
// does. One of an application credential may not be.
func (s *Server) byToken(id string, made *token) (*user, *fault) {
	old := s.findToken(id, false)
	if old == nil || old.credential != nil {
		return nil, unauthorized()
	}
	for _, method := range old.methods {
		made.addMethod(method)
	}
	if !old.fixed() {
		made.expires = old.expires
	}
	return old.user, nil
}

func (s *Server) byCredential(id *identity, made *token) (*user, *fault) {
	given := id.Credential
	if given.ID == "" {
		if given.Name == "" {
			return nil, expecting("id or name", "application_credential")
		}
		if given.User == nil {
			return nil, expecting("user", "application_credential")
		}
		if refusal := given.User.complete("user"); refusal != nil {
			return nil, refusal
		}
	}
	found := s.directory.credential(func(c *credential) bool {
		if given.ID != "" {
			return c.ID == given.ID
		}
		return c.Name == given.Name && given.User.is(c.user.named, c.user.domain)
	})
	if found == nil || !sameSecret(found.Secret, given.Secret) {
		return nil, unauthorized()
	}
	made.credential = found
	return found.user, nil
}

func (s *Server) findUser(who *reference) *user {
	for _, known := range s.directory.users {
		if who.is(known.named, known.domain) {
			return known
		}
	}
	return nil
}

// settleScope gives the token the scope that the login asks for.
// It mirrors keystone/api/_shared/authentication.py.
func (s *Server) settleScope(made *token, asked *scope) *fault {
	if made.credential != nil {
		made.scope = &made.credential.scope
		if asked != nil {
			return unauthorized()
		}
		return nil
	}
	if asked == nil {
		return nil
	}
	if refusal := asked.check(); refusal != nil {
		return refusal
	}
	switch {
	case asked.Unscoped != nil:
		return nil
	case asked.Project != nil:
		return s.scopeToProject(made, asked.Project)
	case asked.System != nil && asked.System.All:
		return made.scopeTo(nil)
	}
	return unauthorized()
}

func (s *Server) scopeToProject(made *token, asked *reference) *fault {
	if refusal := asked.complete("project"); refusal != nil {
		return refusal
	}
	for _, known := range s.directory.projects {
		if asked.is(known.named, known.domain) {
			return made.scopeTo(known)
		}
	}
	return unauthorized()
}

// scopeTo gives the token what its user may do there, if anything.
func (t *token) scopeTo(where *project) *fault {
	found, ok := t.user.in(where)
	if !ok {
		return unauthorized()
	}
	t.scope = &found
	return nil
}

// addMethod notes how somebody came, once.
func (t *token) addMethod(method string) {
	if !slices.Contains(t.methods, method) {
		t.methods = append(t.methods, method)
	}
}
