package fakecyborg

import (
	"cmp"
	"errors"
	"fmt"
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
// that is an [IdentityService] is served as well. A server has one: there can be one
// of WithAuthenticator, [WithTokens], [WithTokensYAML] and [WithPresetTokens].
func WithAuthenticator(authenticator Authenticator) Option {
	return func(c *config) error {
		if authenticator == nil {
			return errors.New("with authenticator: no authenticator")
		}
		return c.takeAuthenticator("with authenticator", authenticator)
	}
}

// takeAuthenticator takes the authenticator of an option, unless there is one already.
func (c *config) takeAuthenticator(option string, authenticator Authenticator) error {
	if c.identifier != "" {
		return fmt.Errorf("%s: there is an authenticator already, %s: give one of them", option, c.identifier)
	}
	c.identifier, c.authenticator = option, authenticator
	return nil
}

// takeTokens takes a file of tokens.
func (c *config) takeTokens(name string, tokens *Tokens) error {
	fixed, err := newFixedTokens(tokens)
	if err != nil {
		return fmt.Errorf("with tokens %s: %w", name, err)
	}
	c.oddities = tokens.Oddities()
	return c.takeAuthenticator("with tokens "+name, fixed)
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
		return c.takeTokens(path, tokens)
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
		return c.takeTokens(name, tokens)
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

// errNoToken is a file of users who all have to log in somewhere.
var errNoToken = errors.New("no entry has a token, so that nobody can come in: give tokens, or the file to a mini Keystone, where passwords count")

// newFixedTokens takes the entries that have a token; who has none cannot come.
func newFixedTokens(tokens *Tokens) (*fixedTokens, error) {
	fixed := &fixedTokens{keystone: tokens.Keystone, callers: make(map[string]Caller)}
	for _, entry := range tokens.Entries {
		if entry.Token != "" {
			fixed.callers[entry.Token] = Caller{User: cmp.Or(entry.UserID, entry.User), Project: entry.Project, Roles: entry.Roles}
		}
	}
	if len(fixed.callers) == 0 {
		return nil, errNoToken
	}
	return fixed, nil
}
