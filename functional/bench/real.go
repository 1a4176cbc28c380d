package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"go.yaml.in/yaml/v3"
)

// realStackFolder names the variable with the folder of a running cloud of functional/realstack.
const realStackFolder = "NOVACYBORG_BENCH_REALSTACK"

// realPeers are the services of a cloud of functional/realstack.
type realPeers struct {
	folder               string
	cyborg, placement    string // endpoints
	admin, user, service string // tokens
	chroot               string // where the programs are
}

// findReal logs in to the cloud that the environment names; without one it returns nil.
func findReal(ctx context.Context) (*realPeers, error) {
	folder := os.Getenv(realStackFolder)
	if folder == "" {
		return nil, nil //nolint:nilnil // no cloud is no fault
	}
	real := &realPeers{folder: folder, chroot: filepath.Join(folder, "trixie")}
	for cloud, token := range map[string]*string{"admin": &real.admin, "demo": &real.user, "nova": &real.service} {
		provider, err := logIn(ctx, filepath.Join(folder, "clouds.yaml"), cloud)
		if err != nil {
			return nil, err
		}
		*token = provider.TokenID
		for service, endpoint := range map[string]*string{"accelerator": &real.cyborg, "placement": &real.placement} {
			url, err := provider.EndpointLocator(gophercloud.EndpointOpts{Type: service, Availability: gophercloud.AvailabilityPublic})
			if err != nil {
				return nil, fmt.Errorf("endpoint of %s: %w", service, err)
			}
			*endpoint = strings.TrimSuffix(strings.TrimSuffix(url, "/"), "/v2")
		}
	}
	return real, nil
}

// logIn asks Keystone for a token of an account of clouds.yaml.
func logIn(ctx context.Context, file, cloud string) (*gophercloud.ProviderClient, error) {
	text, err := os.ReadFile(file) //nolint:gosec // the folder is the caller's
	if err != nil {
		return nil, err
	}
	var content struct {
		Clouds map[string]struct {
			Auth struct {
				URL      string `yaml:"auth_url"`
				User     string `yaml:"username"`
				Password string `yaml:"password"`
				Project  string `yaml:"project_name"`
			} `yaml:"auth"`
		} `yaml:"clouds"`
	}
	if err := yaml.Unmarshal(text, &content); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	entry, ok := content.Clouds[cloud]
	if !ok {
		return nil, fmt.Errorf("%s: no cloud %s", file, cloud)
	}
	auth := entry.Auth
	return openstack.AuthenticatedClient(ctx, gophercloud.AuthOptions{
		IdentityEndpoint: auth.URL, Username: auth.User, Password: auth.Password, TenantName: auth.Project, DomainName: "Default",
	})
}
