package fakecyborg

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
)

// fixedTokens knows callers by tokens from a file.
type fixedTokens struct {
	keystone string
	callers  map[string]Caller
}

// WithAuthenticator asks that authenticator who sends each request; the default
// is that everybody is admin of [NoAuthProject] and brings a service token. One
// that is an [IdentityService] is served as well.
func WithAuthenticator(authenticator Authenticator) Option {
	return func(c *config) error {
		if authenticator == nil {
			return errors.New("with authenticator: no authenticator")
		}
		c.authenticator = authenticator
		return nil
	}
}

// WithTokens knows callers by the tokens in a YAML file, which is strict as that
// of [WithSeedFile]:
//
//	keystone: http://127.0.0.1:5000    # what a 401 names; may be left out
//	tokens:
//	  - {token: secret-1, user: demo, project: 5f0c…, roles: [member]}
//	  - {token: secret-2, user: nova, project: 77aa…, roles: [admin, service]}
//
// A role brings those that Keystone lets it imply: admin brings manager, manager
// brings member, member brings reader. A token without project is one of the
// system scope. A token with the role "service" is good as X-Service-Token. A role
// that no policy knows is logged as a warning.
//
// An entry may also have user_id, domain, password, project_name, and
// application_credential with id, name and secret: what package minikeystone, to
// which the same file can be given, lets users log in with. An entry that has one
// of these may do without a token; here nobody can come by it then.
func WithTokens(path string) Option {
	return func(c *config) error {
		tokens, err := ReadTokens(path)
		if err != nil {
			return err
		}
		c.authenticator, c.oddities = newFixedTokens(tokens), tokens.Oddities()
		return nil
	}
}

// WithTokensYAML is [WithTokens] for a file that was read already, or embedded;
// name is what errors call it.
func WithTokensYAML(name string, data []byte) Option {
	return func(c *config) error {
		tokens, err := ParseTokens(name, data)
		if err != nil {
			return err
		}
		c.authenticator, c.oddities = newFixedTokens(tokens), tokens.Oddities()
		return nil
	}
}

// Authenticate looks the tokens up. A service token needs the role "service".
func (t *fixedTokens) Authenticate(request *http.Request) (Caller, error) {
	who, known := t.callers[request.Header.Get("X-Auth-Token")]
	if !known {
		return Caller{}, ErrUnauthorized
	}
	if token := request.Header.Get("X-Service-Token"); token != "" {
		service, known := t.callers[token]
		if !known || !slices.Contains(service.Roles, "service") {
			return Caller{}, ErrUnauthorized
		}
		who.Service = true
	}
	return who, nil
}

// KeystoneURL is the address in the file.
func (t *fixedTokens) KeystoneURL(*http.Request) string { return t.keystone }

// newFixedTokens takes the entries that have a token; who has none cannot come.
func newFixedTokens(tokens *Tokens) *fixedTokens {
	fixed := &fixedTokens{keystone: tokens.Keystone, callers: make(map[string]Caller)}
	for _, entry := range tokens.Entries {
		if entry.Token != "" {
			fixed.callers[entry.Token] = Caller{User: cmp.Or(entry.UserID, entry.User), Project: entry.Project, Roles: entry.Roles}
		}
	}
	return fixed
}
