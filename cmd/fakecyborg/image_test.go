package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The image is made with the Go version of the module, and its settings are ones
// that the program knows. .ci/recipes.sh runs its build.
func TestDockerfile(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../Dockerfile")
	require.NoError(t, err)
	dockerfile := string(text)
	module, err := os.ReadFile("../../go.mod")
	require.NoError(t, err)
	version := regexp.MustCompile(`(?m)^go ([0-9]+\.[0-9]+)`).FindStringSubmatch(string(module))
	require.Contains(t, dockerfile, "FROM docker.io/library/golang:"+version[1]+" AS build\n")
	require.Contains(t, dockerfile, "\nFROM scratch\n")
	require.Contains(t, dockerfile, `CMD ["/fakecyborg", "-check", "http://127.0.0.1:6666"]`)

	environ := strings.Fields(regexp.MustCompile(`(?m)^ENV (.*)$`).FindStringSubmatch(dockerfile)[1])
	s, err := parseFlags(nil, environ, nil)
	require.NoError(t, err)
	assert.Equal(t, endpoint{network: "tcp", address: "0.0.0.0:6666"}, s.endpoint)
}

// writePair writes a certificate and its key as PEM.
func writePair(t *testing.T, pair tls.Certificate, cert, key string) {
	t.Helper()
	var chain []byte
	for _, der := range pair.Certificate {
		chain = append(chain, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(cert, chain, 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600))
}
