package fakecyborg

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Tokens is what a file of tokens and users says, see [WithTokens]. It prints
// without what is secret.
type Tokens struct {
	// Keystone is the address that a 401 names.
	Keystone string
	// Entries are in the order of the file.
	Entries []TokenEntry

	// oddities are the places of unknown roles, with advice.
	oddities []string
}

// TokenEntry is what a user may do in one project.
type TokenEntry struct {
	// Place is where the entry stands, for errors.
	Place string
	// Token is a fixed token, "" when the user has to log in.
	Token string
	// User is the user's name, UserID the id, "" for one made of the name.
	User, UserID string
	// Domain is the name of the domain of user and project, "" for Default.
	Domain string
	// Password is the user's password, "" for none in this entry.
	Password string
	// Project is the id of the project, "" for the system scope, and ProjectName
	// its name, "" for one that is the id.
	Project, ProjectName string
	// Roles are the roles in the project, with those that they imply.
	Roles []string
	// Credential is an application credential for this project, nil for none.
	Credential *ApplicationCredential
}

// ApplicationCredential lets a program log in in place of a user.
type ApplicationCredential struct {
	// ID and Name tell it, the name only together with its user.
	ID, Name string
	// Secret is its password.
	Secret string
}

// Format prints who the entry is about, and nothing secret, for every verb.
func (e TokenEntry) Format(state fmt.State, _ rune) {
	_, _ = io.WriteString(state, "fakecyborg.TokenEntry{"+e.Place+" "+e.User+"}")
}

// Format prints the id, for every verb.
func (c ApplicationCredential) Format(state fmt.State, _ rune) {
	_, _ = io.WriteString(state, "fakecyborg.ApplicationCredential{"+c.ID+"}")
}

// ReadTokens reads such a file.
func ReadTokens(path string) (*Tokens, error) {
	data, err := os.ReadFile(path) //nolint:gosec // the caller names the file
	if err != nil {
		return nil, fmt.Errorf("read tokens: %w", err)
	}
	return ParseTokens(path, data)
}

// ParseTokens reads the text of such a file; name is what errors, which are of
// type [*SeedError], call it.
func ParseTokens(name string, data []byte) (*Tokens, error) {
	r := newSeedReader(name, len(data))
	r.secret = true
	root, err := readDocument(name, data)
	if err != nil {
		return nil, withoutText(err)
	}
	tokens := new(Tokens)
	if root == nil {
		return nil, &SeedError{Place: r.place(""), Err: errNoEntries}
	}
	known := make(map[string]bool)
	err = r.mapping(root, "", map[string]field{
		"keystone": func(n *yaml.Node, at string) error {
			if err := r.text(&tokens.Keystone)(n, at); err != nil {
				return err
			}
			if err := checkURL(tokens.Keystone); err != nil {
				return r.fail(n, at, "the address of Keystone %w", err)
			}
			return nil
		},
		"tokens": r.list(func(n *yaml.Node, at string) error {
			entry := TokenEntry{Place: r.placeAt(n.Line, at)}
			if err := r.tokenEntry(n, at, &entry); err != nil {
				return err
			}
			if err := r.checkToken(at, entry, known); err != nil {
				return err
			}
			tokens.oddities = append(tokens.oddities, r.oddRoles(at, entry.Roles)...)
			entry.Roles = impliedRoles(entry.Roles)
			tokens.Entries = append(tokens.Entries, entry)
			return nil
		}),
	})
	if err == nil && len(tokens.Entries) == 0 {
		err = &SeedError{Place: r.place("tokens"), Err: errNoEntries}
	}
	if err != nil {
		return nil, err
	}
	return tokens, r.checkWays(tokens.Entries)
}

var errNoEntries = errors.New("there are no tokens, so that nobody could come in: give at least one entry")

// withoutText is an error of YAML without the quotations in it, which may be part of
// a secret.
func withoutText(err error) error {
	wrong, ok := errors.AsType[*SeedError](err)
	if !ok || !strings.Contains(wrong.Err.Error(), "'") {
		return err
	}
	return &SeedError{Place: wrong.Place, Err: errors.New(quotation.ReplaceAllString(wrong.Err.Error(), "(hidden)"))}
}

// quotation is text of the file in an error of YAML.
var quotation = regexp.MustCompile(`'.*'`)

// checkWays refuses entries of users whom nothing in the file lets come that way.
func (r *seedReader) checkWays(entries []TokenEntry) error {
	type owner struct{ domain, user string }
	passwords := make(map[owner]bool)
	for _, entry := range entries {
		if entry.Password != "" {
			passwords[owner{cmp.Or(entry.Domain, "Default"), entry.User}] = true
		}
	}
	for i, entry := range entries {
		if entry.Token == "" && entry.Credential == nil && !passwords[owner{cmp.Or(entry.Domain, "Default"), entry.User}] {
			return &SeedError{
				Place: r.place(fmt.Sprintf("tokens[%d].token", i)),
				Err:   errors.New("a token needs a text, or its user a password or an application_credential"),
			}
		}
	}
	return nil
}

func (r *seedReader) tokenEntry(n *yaml.Node, at string, entry *TokenEntry) error {
	return r.mapping(n, at, map[string]field{
		"token":        r.text(&entry.Token),
		"user":         r.text(&entry.User),
		"user_id":      r.text(&entry.UserID),
		"domain":       r.text(&entry.Domain),
		"password":     r.text(&entry.Password),
		"project":      r.text(&entry.Project),
		"project_name": r.text(&entry.ProjectName),
		"roles": r.list(func(n *yaml.Node, at string) error {
			return grow(&entry.Roles, n, at, func(n *yaml.Node, at string, role *string) error { return r.text(role)(n, at) })
		}),
		"application_credential": func(n *yaml.Node, at string) error {
			entry.Credential = new(ApplicationCredential)
			return r.mapping(n, at, map[string]field{
				"id": r.text(&entry.Credential.ID), "name": r.text(&entry.Credential.Name), "secret": r.text(&entry.Credential.Secret),
			})
		},
	})
}

// checkToken checks an entry. Errors show neither tokens nor passwords.
func (r *seedReader) checkToken(at string, entry TokenEntry, known map[string]bool) error {
	problems := []struct {
		is          bool
		key, reason string
	}{
		{entry.Token != "" && known[entry.Token], "token", "the token is there twice"},
		{entry.User == "", "user", "a token needs a user"},
		{entry.UserID != "" && !looksLikeUUID(entry.UserID), "user_id", "it is not an id of 32 hexadecimal digits"},
		{entry.Project != "" && !looksLikeUUID(entry.Project), "project", "it is not an id of 32 hexadecimal digits"},
		{entry.Project == "" && entry.ProjectName != "", "project_name", "the name of a project needs its id, as project"},
		{entry.Credential != nil && (entry.Credential.ID == "" || entry.Credential.Secret == ""), "application_credential", "it needs an id and a secret"},
		{len(entry.Roles) == 0 && (entry.Token != "" || entry.Project != ""), "roles", "without a role nothing is allowed: give at least one"},
	}
	known[entry.Token] = true
	for _, problem := range problems {
		if problem.is {
			return &SeedError{Place: r.place(at + "." + problem.key), Err: errors.New(problem.reason)}
		}
	}
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
