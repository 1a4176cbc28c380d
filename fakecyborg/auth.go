package fakecyborg

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
)

// NoAuthProject is the project of every caller while no token is asked for.
const NoAuthProject = "fa4e0c4b0490000000000000000000ad"

// Caller is who sent a request, as its tokens told.
type Caller struct {
	// User is the id of the user.
	User string
	// Project is the id of the token's project, "" for a token without one.
	Project string
	// Roles are the user's roles on it, with those that they imply.
	Roles []string
	// Service says that a service token came along: one of a user with the role
	// "service".
	Service bool
}

// An Authenticator tells who sent a request. It is asked for every path but the
// version documents, and must be safe for concurrent use.
type Authenticator interface {
	// Authenticate reads the tokens in X-Auth-Token and X-Service-Token. An error
	// that is [ErrUnauthorized] makes the answer a 401: no token, an invalid one,
	// or a service token without the role "service". Any other error means that
	// the tokens could not be validated, a 503.
	Authenticate(request *http.Request) (Caller, error)
	// KeystoneURL is the address that the 401 to a request names in its header
	// WWW-Authenticate.
	KeystoneURL(request *http.Request) string
}

// ErrUnauthorized says that the tokens of a request are not good.
var ErrUnauthorized = errors.New("unauthorized")

// noAuth lets everybody be admin with a service token.
type noAuth struct{}

// Authenticate looks at nothing.
func (noAuth) Authenticate(*http.Request) (Caller, error) {
	return Caller{User: "admin", Project: NoAuthProject, Roles: []string{"admin"}, Service: true}, nil
}

// KeystoneURL is never asked for.
func (noAuth) KeystoneURL(*http.Request) string { return "" }

// caller is a Caller as the store sees it.
type caller struct {
	Caller
	// admin names projects at binds and, where projects are kept apart, sees all.
	admin bool
	// all sees the accelerator requests of all projects.
	all bool
	// scope is the value of the header X-Fake-Scope.
	scope string
}

// authenticate settles who the caller is.
// It mirrors cyborg/api/middleware/auth_token.py:AuthTokenMiddleware.
func (x *exchange) authenticate() *fault {
	if x.server.public(x.segments) && !otherForm(x.URL.Path) {
		return nil
	}
	who, err := x.server.authenticator.Authenticate(x.Request)
	switch {
	case errors.Is(err, ErrUnauthorized):
		return &fault{status: http.StatusUnauthorized, kind: fromAuth, text: "The request you have made requires authentication."}
	case err != nil:
		x.server.logger.ErrorContext(x.Context(), "validate token", "error", err)
		return &fault{status: http.StatusServiceUnavailable, kind: fromAuth, text: "The Keystone service is temporarily unavailable."}
	}
	admin := slices.Contains(who.Roles, "admin")
	x.caller = caller{Caller: who, admin: admin, all: admin || !x.server.release.ProjectScope, scope: x.scope}
	return nil
}

// public says whether a path needs no token: the version documents.
func (s *Server) public(segments []string) bool {
	return len(segments) == 0 || len(segments) == 1 && (segments[0] == "v2" || segments[0] == "v1" && s.release.VersionOne)
}

// authorize applies the policy of the operation, before anything else about the
// request is looked at.
// It mirrors cyborg/common/authorize_wsgi.py:authorize_wsgi.
func (x *exchange) authorize() *fault {
	rule, ruled := x.server.policies[x.route.name]
	if !ruled {
		return nil
	}
	roles := slices.Clone(x.caller.Roles)
	if x.server.release.AdministratorRole && slices.Contains(roles, "administrator") {
		roles = append(roles, "admin")
	}
	if x.caller.Project == "" {
		if refusal := x.refuseSystem(); refusal != nil {
			return refusal
		}
		for _, role := range x.caller.Roles {
			roles = append(roles, SystemScope+role)
		}
	}
	if !rule.allows(roles) {
		return denied(x.route.name)
	}
	return nil
}

// refuseSystem refuses a token without project where the release wants one.
func (x *exchange) refuseSystem() *fault {
	release := x.server.release
	if release.ProjectTokensOnly {
		return denied(x.route.name)
	}
	if rule, wanted := release.ProjectOperations[x.route.name]; wanted {
		return &fault{status: http.StatusForbidden, kind: fromScope, text: fmt.Sprintf(
			"%q: %q requires a scope of ['project'], request was made with system scope.", "cyborg:"+x.route.name, rule)}
	}
	return nil
}

func denied(operation string) *fault {
	return faultf(http.StatusForbidden, "Access was denied to the following resource: cyborg:%s", operation)
}

// needServiceToken refuses what only Nova may do, in releases that ask for it.
// It mirrors cyborg/api/controllers/v2/arqs.py:_require_service_token.
func (x *exchange) needServiceToken() error {
	if x.server.release.ServiceTokens && !x.caller.Service {
		return faultf(http.StatusForbidden, "This operation requires a service token. Use the Compute API to manage instance accelerators.")
	}
	return nil
}

// sees says whether an accelerator request exists for the caller.
func (c caller) sees(a *arq) bool {
	return c.all || (a.project != nil && *a.project == c.Project)
}
