package minikeystone

import (
	"os"
	"path/filepath"
)

// FolderTB is the part of [testing.TB] that [Server.CloudsFile] needs.
type FolderTB interface {
	TB
	TempDir() string
}

// CloudsFile writes the clouds.yaml of [Server.YAML] into a folder of the test and
// returns its path, for the variable OS_CLIENT_CONFIG_FILE, from which gophercloud,
// openstacksdk and the openstack command take it. The address is that of the fake
// Cyborg, without path. It ends the test when it cannot.
func (s *Server) CloudsFile(tb FolderTB, url string) string {
	tb.Helper()
	text, err := s.YAML(Clouds{URL: url})
	if err != nil {
		tb.Fatalf("%v", err)
	}
	path := filepath.Join(tb.TempDir(), "clouds.yaml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		tb.Fatalf("write clouds.yaml: %v", err)
	}
	return path
}
