package minikeystone

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// cloudsFile is a clouds.yaml, with the keys in the order in which people write them.
type cloudsFile struct {
	Clouds yaml.Node `yaml:"clouds"`
}

type cloud struct {
	AuthType string    `yaml:"auth_type,omitempty"`
	Auth     cloudAuth `yaml:"auth"`
	Region   string    `yaml:"region_name"`
	Version  int       `yaml:"identity_api_version"`
	CACert   string    `yaml:"cacert,omitempty"`
}

type cloudAuth struct {
	URL           string `yaml:"auth_url"`
	User          string `yaml:"username,omitempty"`
	Password      string `yaml:"password,omitempty"`
	UserDomain    string `yaml:"user_domain_name,omitempty"`
	Project       string `yaml:"project_name,omitempty"`
	ProjectDomain string `yaml:"project_domain_name,omitempty"`
	System        string `yaml:"system_scope,omitempty"`
	CredentialID  string `yaml:"application_credential_id,omitempty"`
	Secret        string `yaml:"application_credential_secret,omitempty"`
}

// Clouds says what a clouds.yaml of this server is to be like.
type Clouds struct {
	// URL is the address, without path, at which clients reach the server.
	URL string
	// CACert is the file of the CA that clients need to trust, "" for none.
	CACert string
	// WithoutSecrets leaves passwords out.
	WithoutSecrets bool
}

// YAML is a clouds.yaml with a cloud for each user in each of his projects who has
// a password, named as the user (and the project, from the second on), and for each
// application credential, named as its id. The openstack command, openstacksdk and
// gophercloud read it.
func (s *Server) YAML(like Clouds) ([]byte, error) {
	if err := checkURL(like.URL); err != nil {
		return nil, fmt.Errorf("write clouds.yaml: %w", err)
	}
	file := cloudsFile{Clouds: yaml.Node{Kind: yaml.MappingNode}}
	add := func(name string, entry cloud) error {
		entry.Auth.URL, entry.Region, entry.Version, entry.CACert = like.URL+prefix+"/v3", region, 3, like.CACert
		if like.WithoutSecrets {
			entry.Auth.Password, entry.Auth.Secret = "", ""
		}
		return file.add(name, entry)
	}
	for name, entry := range s.clouds() {
		if err := add(name, entry); err != nil {
			return nil, err
		}
	}
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	if err := encoder.Encode(file); err != nil {
		return nil, err
	}
	return text.Bytes(), encoder.Close()
}

// add puts a cloud at the end of the file.
func (f *cloudsFile) add(name string, entry cloud) error {
	key, value := new(yaml.Node), new(yaml.Node)
	if err := value.Encode(entry); err != nil {
		return err
	}
	if err := key.Encode(name); err != nil {
		return err
	}
	f.Clouds.Content = append(f.Clouds.Content, key, value)
	return nil
}

// clouds are the entries by name, in the order of the users. A name that is taken
// gets the project's, or the domain's, behind it.
func (s *Server) clouds() func(yield func(string, cloud) bool) {
	taken := make(map[string]bool)
	free := func(names ...string) string {
		for _, name := range names {
			if !taken[name] {
				taken[name] = true
				return name
			}
		}
		return ""
	}
	return func(yield func(string, cloud) bool) {
		for _, who := range s.directory.users {
			for _, scope := range who.assignments {
				if who.password == "" {
					continue
				}
				where := "system"
				auth := cloudAuth{User: who.Name, Password: who.password, UserDomain: who.domain.Name, System: "all"}
				if scope.project != nil {
					where = scope.project.Name
					auth.System, auth.Project, auth.ProjectDomain = "", where, scope.project.domain.Name
				}
				name := free(who.Name, who.Name+"-"+where, who.Name+"-"+where+"-"+who.domain.Name)
				if name != "" && !yield(name, cloud{Auth: auth}) {
					return
				}
			}
		}
		for _, c := range s.directory.credentials {
			entry := cloud{AuthType: "v3applicationcredential", Auth: cloudAuth{CredentialID: c.ID, Secret: c.Secret}}
			if name := free(c.ID, "credential-"+c.ID); name != "" && !yield(name, entry) {
				return
			}
		}
	}
}
