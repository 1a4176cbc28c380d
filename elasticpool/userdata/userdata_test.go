package userdata

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

func ExampleFill() {
	spec := elasticpool.ServerSpec{VM: "01M8NGM9CR000RJXQZF30H7RRJ", Queue: "juno", Class: elasticpool.Class{
		Name: "cpu", UserData: "#cloud-config\nhostname: {{.VM}}\ntoken: {{json joinToken}}\n",
	}}
	secret := func(context.Context, elasticpool.ServerSpec) (string, error) { return "example", nil }
	text, err := Fill(context.Background(), "create server", spec, secret)
	fmt.Print(text, err)
	// Output:
	// #cloud-config
	// hostname: 01M8NGM9CR000RJXQZF30H7RRJ
	// token: "example"
	// <nil>
}

func TestFillFails(t *testing.T) {
	t.Parallel()
	secret := func(context.Context, elasticpool.ServerSpec) (string, error) { return "s3cret", nil }
	file := filepath.Join(t.TempDir(), "token")
	for name, test := range map[string]struct {
		text  string
		token Token
		class error
	}{
		"no template":  {"{{", secret, elasticpool.ErrInvalid},
		"no such name": {"{{joinToken}}{{.Nothing}}", secret, elasticpool.ErrInvalid},
		"no token":     {"{{joinToken}}", nil, elasticpool.ErrInvalid},
		"no file":      {"{{joinToken}}", TokenFile(file), elasticpool.ErrTransient},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Fill(t.Context(), "create", elasticpool.ServerSpec{Class: elasticpool.Class{Name: "small", UserData: test.text}}, test.token)
			require.ErrorIs(t, err, test.class)
			assert.NotContains(t, err.Error(), "s3cret")
			assert.Contains(t, err.Error(), "create: ")
		})
	}
}

func TestTokenFileIsReadEachTime(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	token := TokenFile(file)
	for _, want := range []string{"one", "two"} {
		require.NoError(t, os.WriteFile(file, []byte(want+"\n"), 0o600))
		got, err := token(t.Context(), elasticpool.ServerSpec{})
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	require.NoError(t, os.WriteFile(file, []byte(" \n"), 0o600))
	_, err := token(t.Context(), elasticpool.ServerSpec{})
	assert.ErrorContains(t, err, "is empty")
}

func FuzzFill(f *testing.F) {
	for _, seed := range []string{
		"#cloud-config\n", "{{.VM}} {{.Queue}} {{.Expires}}", `{{joinToken | json}} {{"a\nb" | indent 2}}`, "{{", "{{.Nothing}}", `{{template "x"}}`,
		`{{indent -3 "x"}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "range") || strings.Contains(text, "template") || len(text) > 1000 {
			t.Skip("templates are the operator's: one that never ends is no matter of parsing")
		}
		class := elasticpool.Class{Name: "small", UserData: text}
		parsed, err := parse(class, func() (string, error) { return "s3cret", nil })
		if err != nil {
			assert.Contains(t, err.Error(), "class small")
			return
		}
		out := new(strings.Builder)
		if err := parsed.Execute(out, Data{VM: "01J0A"}); err != nil {
			assert.NotContains(t, fmt.Sprint(err), "s3cret")
			return
		}
		if !strings.Contains(text, "{{") {
			assert.Equal(t, text, out.String())
		}
	})
}
