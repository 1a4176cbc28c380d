// Package userdata fills in the user data of a class of VMs: what cloud-init gets, with the secret by which a worker joins
// the batch system.
//
// The user data of a class is a text/template over [Data], with four functions: joinToken is the worker's secret, json
// writes a value as JSON (which YAML reads too), base64 encodes text, and indent puts blanks before each line but the first:
//
//	#cloud-config
//	write_files:
//	  - path: /etc/condor/tokens.d/pool
//	    permissions: "0600"
//	    content: {{json joinToken}}
//	  - path: /etc/condor/config.d/50-elasticpool
//	    content: |
//	      ElasticVM = {{json .VM}}
package userdata

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/template"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Data is what a template sees.
type Data struct {
	VM         string
	Name       string // of the server
	Pool       string
	Queue      string // empty: of the buffer
	Class      string
	Generation int64
	Expires    time.Time // zero: never
}

// Token gives the secret that a worker joins with. It is asked each time a server is made.
type Token func(ctx context.Context, spec elasticpool.ServerSpec) (string, error)

// TokenFile returns the secret in a file, which is read each time, so that it can be replaced while the pool runs.
func TokenFile(path string) Token {
	return func(context.Context, elasticpool.ServerSpec) (string, error) {
		text, err := os.ReadFile(path) //nolint:gosec // the operator's own file
		if err != nil {
			return "", err
		}
		token := strings.TrimRight(string(text), "\n")
		if strings.TrimSpace(token) == "" {
			return "", fmt.Errorf("%s is empty", path)
		}
		return token, nil
	}
}

// errToken marks that the token could not be had, which passes.
var errToken = errors.New("join token")

// Fill fills in the template of a server's class. The error of a template that is wrong is of class
// elasticpool.ErrInvalid, that of a token that cannot be had now elasticpool.ErrTransient. No error shows what the template
// gives: it holds the token.
func Fill(ctx context.Context, op string, spec elasticpool.ServerSpec, token Token) (string, error) {
	if spec.Class.UserData == "" {
		return "", nil
	}
	parsed, err := parse(spec.Class, func() (string, error) {
		if token == nil {
			return "", errors.New("there is no join token: configure one")
		}
		text, err := token(ctx, spec)
		if err != nil {
			return "", errors.Join(errToken, err)
		}
		return text, nil
	})
	if err != nil {
		return "", &elasticpool.CloudError{Op: op, Class: elasticpool.ErrInvalid, Err: err}
	}
	var out bytes.Buffer
	err = parsed.Execute(&out, Data{
		VM: spec.VM, Name: spec.Name, Pool: spec.Pool, Queue: spec.Queue, Class: spec.Class.Name,
		Generation: spec.Generation, Expires: spec.Expires,
	})
	switch {
	case errors.Is(err, errToken):
		return "", &elasticpool.CloudError{Op: op, Class: elasticpool.ErrTransient, Err: err}
	case err != nil:
		return "", &elasticpool.CloudError{Op: op, Class: elasticpool.ErrInvalid, Err: err}
	}
	return out.String(), nil
}

// Check says what is wrong with the template of a class, as far as it can be seen without a server.
func Check(class elasticpool.Class) error {
	spec := elasticpool.ServerSpec{VM: "01", Name: "name", Pool: "pool", Queue: "queue", Generation: 1, Class: class}
	_, err := Fill(context.Background(), "user data", spec, func(context.Context, elasticpool.ServerSpec) (string, error) { return "token", nil })
	if of, ok := errors.AsType[*elasticpool.CloudError](err); ok {
		return of.Err
	}
	return err
}

// parse parses the template of a class. Errors name the class, line and column.
func parse(class elasticpool.Class, joinToken func() (string, error)) (*template.Template, error) {
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
