package openstack_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/openstack"
)

func TestUserData(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(file, []byte("first\nline\n"), 0o600))
	cloud, to := newCloud(t)
	provider := newProvider(t, to, openstack.Settings{JoinTokenFile: file})
	spec := smallVM("01J0A")
	spec.Expires = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	spec.Class.UserData = strings.Join([]string{
		"#cloud-config", "vm: {{.VM}}", "name: {{.Name}}", "pool: {{.Pool}}", "queue: {{json .Queue}}", "class: {{.Class}}",
		"generation: {{.Generation}}", `expires: {{.Expires.Format "2006-01-02"}}`, "token: |", "  {{indent 2 joinToken}}", "coded: {{base64 joinToken}}",
	}, "\n")
	mustCreate(t, provider, spec)
	text, err := base64.StdEncoding.DecodeString(cloud.Servers()[0].UserData)
	require.NoError(t, err)
	assert.Equal(t, strings.Join([]string{
		"#cloud-config", "vm: 01J0A", "name: ep-physics-01J0A", "pool: physics", `queue: "juno"`, "class: small",
		"generation: 7", "expires: 2026-12-01", "token: |", "  first", "  line", "coded: Zmlyc3QKbGluZQ==",
	}, "\n"), string(text))
}

// The token is replaced while the pool runs; a file that is away for a moment does not turn the class off.
func TestJoinTokenFileIsReadEachTime(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	cloud, to := newCloud(t)
	provider := newProvider(t, to, openstack.Settings{JoinTokenFile: file})
	spec := smallVM("01J0A")
	spec.Class.UserData = "{{joinToken}}"
	_, err := provider.Create(t.Context(), spec)
	require.ErrorIs(t, err, elasticpool.ErrTransient)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(file, []byte(" \n"), 0o600))
	_, err = provider.Create(t.Context(), spec)
	require.ErrorIs(t, err, elasticpool.ErrTransient)
	require.NoError(t, os.WriteFile(file, []byte("abcd\n"), 0o600))
	mustCreate(t, provider, spec)
	// "abcd" is base64 itself, and is encoded all the same.
	assert.Equal(t, "YWJjZA==", cloud.Servers()[0].UserData)
}

func TestJoinTokenThatNobodyGives(t *testing.T) {
	t.Parallel()
	_, to := newCloud(t)
	provider := newProvider(t, to, openstack.Settings{})
	spec := smallVM("01J0A")
	spec.Class.UserData = "{{joinToken}}"
	_, err := provider.Create(t.Context(), spec)
	require.ErrorIs(t, err, elasticpool.ErrInvalid)
	assert.Contains(t, err.Error(), "no join token")
}

func TestSettings(t *testing.T) {
	t.Parallel()
	_, to := newCloud(t)
	for _, test := range []struct {
		name     string
		settings openstack.Settings
		words    string
	}{
		{"no pool", openstack.Settings{}, "no name"},
		{"negative", openstack.Settings{Pool: pool, ForceDelete: -1}, "force_delete"},
		{"two tokens", openstack.Settings{Pool: pool, JoinTokenFile: "x", JoinToken: noToken}, "both"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := openstack.New(t.Context(), "ihep", test.settings, quick(to)...)
			require.ErrorIs(t, err, elasticpool.ErrInvalid)
			assert.Contains(t, err.Error(), test.words)
			assert.Contains(t, err.Error(), "ihep")
		})
	}
}

func TestCloudWithoutCompute(t *testing.T) {
	t.Parallel()
	_, to := newCloud(t, withoutCompute)
	_, err := openstack.New(t.Context(), "ihep", openstack.Settings{Pool: pool}, quick(to)...)
	require.ErrorIs(t, err, elasticpool.ErrInvalid)
	assert.Contains(t, err.Error(), "compute")
}
