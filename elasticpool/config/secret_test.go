package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool/config"
)

func file(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	require.NoError(t, os.Chmod(path, mode))
	return path
}

// TestSecret: a secret that everybody can read is none, and no error shows one.
func TestSecret(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text, want string
		mode             os.FileMode
	}{
		{"of its owner", " s3cret\n", "", 0o600},
		{"of a group", "s3cret", "", 0o640},
		{"of everybody", "s3cret", "mode 0644: everybody can read or change this file", 0o644},
		{"writable by everybody", "s3cret", "mode 0602: everybody can read or change this file", 0o602},
		{"empty", " \n", "has 2 bytes; it may have 1 to 65536", 0o600},
		{"too long", strings.Repeat("s3cret", 20000), "it may have 1 to 65536", 0o600},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := file(t, test.text, test.mode)
			got, err := config.Secret(path)
			if test.want == "" {
				require.NoError(t, err)
				assert.Equal(t, "s3cret", got)
				return
			}
			require.ErrorContains(t, err, path+": ")
			require.ErrorContains(t, err, test.want)
			assert.NotContains(t, err.Error(), "s3cret")
			assert.Empty(t, got)
		})
	}
	_, err := config.Secret(file(t, "x", 0o666))
	require.ErrorIs(t, err, config.ErrExposed)
	_, err = config.Secret(t.TempDir())
	require.ErrorContains(t, err, "it is a folder")
	_, err = config.Secret("nowhere")
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// TestTLSFiles: files of TLS that cannot be used are told with the place of their key, and no key is shown.
func TestTLSFiles(t *testing.T) {
	t.Parallel()
	key := file(t, "s3cret", 0o600)
	text := strings.NewReplacer(
		"listen: 127.0.0.1:9680", "listen: 127.0.0.1:9680\n  tls: {cert_file: /nowhere, key_file: /nowhere}",
		"  ## listen: 127.0.0.1:27020", "  listen: 127.0.0.1:27020\n  tls: {cert_file: "+key+", key_file: "+key+", client_ca_file: "+key+"}",
	).Replace(config.Example)
	c, err := read(text)
	require.NoError(t, err)
	err = c.CheckFiles()
	require.ErrorContains(t, err, "http.tls.cert_file: open /nowhere")
	require.ErrorContains(t, err, "quota.tls.cert_file: "+key+" with "+key+": tls: ")
	require.ErrorContains(t, err, "quota.tls.client_ca_file: "+key+": no certificate in it")
	assert.NotContains(t, err.Error(), "s3cret")
	c.HTTP.TLS.KeyFile = file(t, "s3cret", 0o644)
	c.HTTP.TLS.CertFile = key
	assert.ErrorIs(t, func() error { _, err := c.HTTP.TLS.Server(nil); return err }(), config.ErrExposed)
}

// TestCheckFiles: each file that is not as it must be is told with the place of its key.
func TestCheckFiles(t *testing.T) {
	t.Parallel()
	open, good := file(t, "x", 0o644), file(t, "A=1\n\n# comment\nB=x=y\n", 0o600)
	text := strings.NewReplacer(
		"## token_file: /etc/elasticpool/token ", "token_file: "+open+" ",
		"join_token_file: /etc/elasticpool/join-token", "join_token_file: "+good,
		"htcondor:\n", "  - name: one\n    opennebula: {endpoint: 'https://one/RPC2', auth_file: /nowhere}\n  - name: other\n    exec: {command: [x], env: [C=2], env_file: "+good+"}\nhtcondor:\n",
	).Replace(config.Example)
	c, err := read(text)
	require.NoError(t, err)
	err = c.CheckFiles()
	require.ErrorContains(t, err, "http.token_file: "+open+": mode 0644")
	require.ErrorContains(t, err, "clouds[1].opennebula.auth_file: open /nowhere")
	lines := strings.Split(err.Error(), "\n")
	assert.Len(t, lines, 2, "the others are good")
	for _, line := range lines {
		assert.Regexp(t, `^pool\.yaml:[1-9]\d+: `, line)
	}
	variables, err := c.Clouds[2].Exec.Environment()
	require.NoError(t, err)
	assert.Equal(t, []string{"C=2", "A=1", "B=x=y"}, variables)

	c.Clouds[2].Exec.EnvFile = file(t, "A=1\ns3cret", 0o600)
	err = c.CheckFiles()
	require.ErrorContains(t, err, "clouds[2].exec.env_file: "+c.Clouds[2].Exec.EnvFile+": each line is NAME=value")
	assert.NotContains(t, err.Error(), "s3cret")
}
