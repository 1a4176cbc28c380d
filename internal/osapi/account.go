package osapi

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
)

// account is one entry of clouds.yaml, or the same from the environment.
type account struct {
	source    string // where it was read, for error texts
	auth      gophercloud.AuthOptions
	search    gophercloud.EndpointOpts
	tls       *tls.Config       // nil when the entry says nothing about it
	anonymous bool              // no Keystone: auth_type none or admin_token
	endpoint  string            // auth.endpoint of an anonymous account
	overrides map[string]string // service type, with underscores, to endpoint
}

const overrideSuffix = "_endpoint_override"

// newAccount reads an entry whose secrets and profile are merged in. It is done
// here and not by gophercloud's openstack/config/clouds, which drops endpoint
// overrides, the list of regions and allow_reauth, and crashes without an auth
// section.
func newAccount(source string, entry cloudEntry) (*account, error) {
	a := &account{
		source:    source,
		auth:      entry.authOptions(),
		search:    entry.endpointOpts(),
		endpoint:  entry.auth().text("endpoint"),
		overrides: make(map[string]string),
	}
	for key := range entry {
		if service, ok := strings.CutSuffix(key, overrideSuffix); ok {
			a.overrides[service] = entry.text(key)
		}
	}
	var err error
	if a.tls, err = entry.tlsConfig(); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	switch kind := entry.text("auth_type"); kind {
	case "none", "noauth", "admin_token":
		a.anonymous = true
		return a, nil
	case "", "password", "v2password", "v3password", "token", "v2token", "v3token", "v3applicationcredential":
	default:
		return nil, fmt.Errorf("%s: auth_type %q is not supported", source, kind)
	}
	if a.auth.IdentityEndpoint == "" {
		return nil, fmt.Errorf("%s: auth_url is missing", source)
	}
	return a, checkURL(source+": auth_url", a.auth.IdentityEndpoint)
}

func (e cloudEntry) authOptions() gophercloud.AuthOptions {
	auth := e.auth()
	opts := gophercloud.AuthOptions{
		IdentityEndpoint:            auth.text("auth_url"),
		Username:                    auth.text("username"),
		UserID:                      auth.text("user_id"),
		Password:                    auth.text("password"),
		TokenID:                     auth.text("token"),
		DomainID:                    auth.text("user_domain_id", "domain_id"),
		DomainName:                  auth.text("user_domain_name", "domain_name"),
		TenantID:                    auth.text("project_id"),
		TenantName:                  auth.text("project_name"),
		ApplicationCredentialID:     auth.text("application_credential_id"),
		ApplicationCredentialName:   auth.text("application_credential_name"),
		ApplicationCredentialSecret: auth.text("application_credential_secret"),
		Scope:                       auth.scope(),
	}
	if opts.Username != "" && opts.DomainID == "" && opts.DomainName == "" {
		opts.DomainID = auth.text("default_domain")
	}
	// A token cannot renew itself; everything else can, and without that a
	// token that expires is the end of a long-running program.
	opts.AllowReauth = opts.TokenID == "" && !isFalse(e.text("allow_reauth"), auth.text("allow_reauth"))
	return opts
}

// isFalse says whether one of the values is a word for no.
func isFalse(values ...string) bool {
	for _, value := range values {
		if yes, ok := truth(value); ok && !yes {
			return true
		}
	}
	return false
}

// scope says what the token shall be good for; the auth section is its
// receiver. An application credential has its scope in itself.
func (e cloudEntry) scope() *gophercloud.AuthScope {
	switch {
	case e.text("application_credential_id", "application_credential_name") != "":
		return nil
	case e.text("trust_id") != "":
		return &gophercloud.AuthScope{TrustID: e.text("trust_id")}
	case e.text("system_scope") == "all":
		return &gophercloud.AuthScope{System: true}
	case e.text("project_id") != "":
		return &gophercloud.AuthScope{ProjectID: e.text("project_id")}
	case e.text("project_name") != "":
		scope := &gophercloud.AuthScope{ProjectName: e.text("project_name"), DomainID: e.text("project_domain_id", "domain_id")}
		if scope.DomainID == "" {
			scope.DomainName = e.text("project_domain_name", "domain_name")
		}
		if scope.DomainID == "" && scope.DomainName == "" {
			scope.DomainID = e.text("default_domain")
		}
		return scope
	case e.text("domain_id") != "":
		return &gophercloud.AuthScope{DomainID: e.text("domain_id")}
	case e.text("domain_name") != "":
		return &gophercloud.AuthScope{DomainName: e.text("domain_name")}
	}
	return nil
}

func (e cloudEntry) endpointOpts() gophercloud.EndpointOpts {
	iface := strings.TrimSuffix(e.text("endpoint_type", "interface"), "URL")
	return gophercloud.EndpointOpts{
		Region:       cmp.Or(e.text("region_name"), e.firstRegion()),
		Availability: gophercloud.Availability(iface),
	}
}
