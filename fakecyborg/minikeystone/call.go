package minikeystone

import (
	"net/http"

	"github.com/go-chi/chi/v5"
)

// call is a request of somebody who is known by a token.
type call struct {
	*http.Request
	server *Server
	caller *token
	header http.Header
}

// answering asks for a token, then answers with what the function returns: a body,
// or, when that is nil, nothing.
func (s *Server) answering(answer func(*call) (any, *fault)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := &call{Request: r, server: s, caller: s.findToken(r.Header.Get("X-Auth-Token"), false), header: w.Header()}
		if c.caller == nil {
			s.refuse(w, r, unauthorized())
			return
		}
		body, refusal := answer(c)
		switch {
		case refusal != nil:
			s.refuse(w, r, refusal)
		case body == nil:
			w.WriteHeader(http.StatusNoContent)
		default:
			write(w, http.StatusOK, body)
		}
	}
}

// id is the last part of the path that names something.
func (c *call) id() string { return chi.URLParam(c.Request, "id") }

// subject is the token that the call is about.
// It mirrors keystone/api/auth.py:AuthTokenResource and the policy of the action.
func (c *call) subject(action string, allowExpired bool, roles ...string) (*token, *fault) {
	id := c.Header.Get("X-Subject-Token")
	if id == "" {
		return nil, newFault(http.StatusNotFound, "No token in the request")
	}
	found := c.server.findToken(id, allowExpired)
	own := found != nil && found.user == c.caller.user
	switch {
	case !own && !c.caller.has(roles...):
		return nil, forbidden(action)
	case found == nil:
		return nil, newFault(http.StatusNotFound, "Could not recognize Fernet token")
	}
	return found, nil
}

// showToken is GET and HEAD /v3/auth/tokens.
func (c *call) showToken() (any, *fault) {
	query := c.URL.Query()
	allowExpired := query.Get("allow_expired") == "1" || query.Get("allow_expired") == "true"
	found, refusal := c.subject("validate_token", allowExpired, "admin", "service")
	if refusal != nil {
		return nil, refusal
	}
	c.header.Set("X-Subject-Token", c.Header.Get("X-Subject-Token"))
	return map[string]any{"token": c.server.describe(found, c.Request, !query.Has("nocatalog"))}, nil
}

// revokeToken is DELETE /v3/auth/tokens. A fixed token is as it was afterwards.
func (c *call) revokeToken() (any, *fault) {
	if _, refusal := c.subject("revoke_token", false, "admin"); refusal != nil {
		return nil, refusal
	}
	c.server.Revoke(c.Header.Get("X-Subject-Token"))
	return nil, nil //nolint:nilnil // the answer has no body
}
