package fakecyborg

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"

	"go.yaml.in/yaml/v3"
)

// fixedTokens knows callers by tokens from a file.
type fixedTokens struct {
	keystone string
	callers  map[string]Caller
}

// WithAuthenticator asks that authenticator who sends each request; the default
// is that everybody is admin of [NoAuthProject] and brings a service token.
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
// system scope. A token with the role "service" is good as X-Service-Token.
func WithTokens(path string) Option {
	return func(c *config) error {
		data, err := os.ReadFile(path) //nolint:gosec // the caller names the file
		if err != nil {
			return fmt.Errorf("read tokens: %w", err)
		}
		return WithTokensYAML(path, data)(c)
	}
}

// WithTokensYAML is [WithTokens] for a file that was read already, or embedded;
// name is what errors call it.
func WithTokensYAML(name string, data []byte) Option {
	return func(c *config) error {
		tokens, err := parseTokens(name, data)
		if err != nil {
			return err
		}
		c.authenticator = tokens
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
func (t *fixedTokens) KeystoneURL() string { return t.keystone }

// fixedToken is one entry of the file.
type fixedToken struct {
	token, user, project string
	roles                []string
}

func parseTokens(file string, data []byte) (*fixedTokens, error) {
	r := newSeedReader(file, len(data))
	root, err := readDocument(file, data)
	if err != nil {
		return nil, err
	}
	tokens := &fixedTokens{callers: make(map[string]Caller)}
	if root == nil {
		return tokens, nil
	}
	return tokens, r.mapping(root, "", map[string]field{
		"keystone": r.text(&tokens.keystone),
		"tokens": r.list(func(n *yaml.Node, at string) error {
			var entry fixedToken
			if err := r.token(n, at, &entry); err != nil {
				return err
			}
			return tokens.add(r, at, entry)
		}),
	})
}

func (r *seedReader) token(n *yaml.Node, at string, entry *fixedToken) error {
	return r.mapping(n, at, map[string]field{
		"token":   r.text(&entry.token),
		"user":    r.text(&entry.user),
		"project": r.text(&entry.project),
		"roles": r.list(func(n *yaml.Node, at string) error {
			return grow(&entry.roles, n, at, func(n *yaml.Node, at string, role *string) error { return r.text(role)(n, at) })
		}),
	})
}

// add checks an entry. Errors do not show the token.
func (t *fixedTokens) add(r *seedReader, at string, entry fixedToken) error {
	fail := func(key, reason string) error {
		return &SeedError{Place: r.place(at + "." + key), Err: errors.New(reason)}
	}
	_, taken := t.callers[entry.token]
	switch {
	case entry.token == "":
		return fail("token", "a token needs a text")
	case taken:
		return fail("token", "the token is there twice")
	case entry.user == "":
		return fail("user", "a token needs a user")
	case entry.project != "" && !looksLikeUUID(entry.project):
		return fail("project", fmt.Sprintf("%q is not an id of 32 hexadecimal digits", entry.project))
	}
	t.callers[entry.token] = Caller{User: entry.user, Project: entry.project, Roles: impliedRoles(entry.roles)}
	return nil
}

// impliedRoles adds what Keystone's default roles imply.
func impliedRoles(roles []string) []string {
	order := []string{"admin", "manager", "member", "reader"}
	all := slices.Clone(roles)
	for i, role := range order {
		if slices.Contains(roles, role) {
			all = append(all, order[i+1:]...)
			break
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
