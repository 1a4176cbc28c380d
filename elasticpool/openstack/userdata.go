package openstack

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"text/template"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// mostUserData is what Nova takes, encoded (nova/api/openstack/compute/schemas/servers.py: user_data, maxLength).
const mostUserData = 65535

// UserData is what a class's template of user data sees, beside the functions joinToken, json, base64 and indent.
type UserData struct {
	VM         string
	Name       string // of the server
	Pool       string
	Queue      string // empty: of the buffer
	Class      string
	Generation int64
	Expires    time.Time // zero: never
}

// errToken marks that the join token could not be had, which passes.
var errToken = errors.New("join token")

// userData fills in the template. No error shows what the template gives: it holds the join token.
func (p *Provider) userData(ctx context.Context, op string, spec elasticpool.ServerSpec) ([]byte, error) {
	if spec.Class.UserData == "" {
		return nil, nil
	}
	parsed, err := parseUserData(spec.Class, func() (string, error) {
		if p.settings.JoinToken == nil {
			return "", errors.New("the provider has no join token: set JoinToken or join_token_file")
		}
		token, err := p.settings.JoinToken(ctx, spec)
		if err != nil {
			return "", errors.Join(errToken, err)
		}
		return token, nil
	})
	if err != nil {
		return nil, invalid(op, "%w", err)
	}
	var out bytes.Buffer
	err = parsed.Execute(&out, UserData{
		VM: spec.VM, Name: spec.Name, Pool: spec.Pool, Queue: spec.Queue, Class: spec.Class.Name,
		Generation: spec.Generation, Expires: spec.Expires,
	})
	switch size := base64.StdEncoding.EncodedLen(out.Len()); {
	case errors.Is(err, errToken):
		return nil, &elasticpool.CloudError{Op: op, Class: elasticpool.ErrTransient, Err: err}
	case err != nil:
		return nil, invalid(op, "%w", err)
	case size > mostUserData:
		return nil, invalid(op, "the user data of class %s is %d bytes long when encoded; Nova takes %d", spec.Class.Name, size, mostUserData)
	}
	return out.Bytes(), nil
}

// parseUserData parses the template of a class. Errors name the class, line and column.
func parseUserData(class elasticpool.Class, joinToken func() (string, error)) (*template.Template, error) {
	return template.New("user_data of class " + class.Name).Option("missingkey=error").Funcs(template.FuncMap{
		"joinToken": joinToken,
		"json":      jsonText,
		"base64":    func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) },
		"indent":    indent,
	}).Parse(class.UserData)
}

// jsonText writes a value as JSON, which YAML reads too.
func jsonText(value any) (string, error) {
	text, err := json.Marshal(value)
	return string(text), err
}

// indent puts blanks before each line but the first.
func indent(blanks int, text string) string {
	return strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", max(blanks, 0)))
}
