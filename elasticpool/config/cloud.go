package config

import (
	"errors"
	"strings"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/opennebula"
	"github.com/novacyborg/novacyborg/elasticpool/openstack"
)

// Cloud is a cloud of the policy and its provider, of which there must be exactly one.
type Cloud struct {
	elasticpool.Cloud `yaml:",inline"`

	OpenStack  *OpenStack  `yaml:"openstack"`
	OpenNebula *OpenNebula `yaml:"opennebula"`
	Exec       *Exec       `yaml:"exec"`
}

// OpenStack is an OpenStack as a cloud.
type OpenStack struct {
	Cloud              string `yaml:"cloud"` // entry of clouds.yaml; empty: the OS_* variables
	Region             string `yaml:"region"`
	openstack.Settings `yaml:",inline"`
}

// OpenNebula is an OpenNebula as a cloud.
type OpenNebula struct {
	Endpoint string `yaml:"endpoint"` // https://host:2633/RPC2
	// AuthFile has user:password, or user:token, as OpenNebula's own tools read it (one_auth).
	AuthFile string               `yaml:"auth_file"`
	Group    bool                 `yaml:"group"`      // VMs of the user's group are listed, not only those of the user
	Plain    bool                 `yaml:"plain_http"` // allow http to hosts that are not loopback
	CAFile   string               `yaml:"ca_file"`    // certificates in PEM; empty: the system's
	Timeout  elasticpool.Duration `yaml:"timeout"`    // of a request; 1 min
}

// Options returns the options that opennebula.New gets, without those for files.
func (c *OpenNebula) Options() []opennebula.Option {
	var options []opennebula.Option
	if c.Group {
		options = append(options, opennebula.WithGroup())
	}
	if c.Plain {
		options = append(options, opennebula.WithPlainHTTP())
	}
	if c.Timeout > 0 {
		options = append(options, opennebula.WithTimeout(c.Timeout.D()))
	}
	return options
}

// Exec is a cloud behind a program that speaks the protocol of package execcloud.
type Exec struct {
	Command []string `yaml:"command"`
	Dir     string   `yaml:"dir"` // where it runs; empty: where the pool runs
	Env     []string `yaml:"env"` // NAME=value, beside the pool's own
	// EnvFile has lines NAME=value with secrets, beside those of Env.
	EnvFile string               `yaml:"env_file"`
	Timeout elasticpool.Duration `yaml:"timeout"` // of an answer; 1 min
}

func (c *Cloud) check(f *faults, at ...any) {
	providers := 0
	for _, set := range []bool{c.OpenStack != nil, c.OpenNebula != nil, c.Exec != nil} {
		if set {
			providers++
		}
	}
	f.that(providers == 1, "name one provider: openstack, opennebula or exec", at...)
	if c.OpenStack != nil {
		c.OpenStack.check(f, under(at, "openstack"))
	}
	if c.OpenNebula != nil {
		c.OpenNebula.check(f, under(at, "opennebula"))
	}
	if c.Exec != nil {
		c.Exec.check(f, under(at, "exec"))
	}
}

func (c *OpenStack) check(f *faults, at []any) {
	for key, d := range map[string]elasticpool.Duration{"force_delete": c.ForceDelete, "delete_wait": c.DeleteWait, "names_age": c.NamesAge} {
		f.that(d >= 0, "a time is not negative", under(at, key)...)
	}
	for class, resource := range c.Accelerators {
		f.that(class != "" && resource != "", "name a resource for each of Placement's classes", under(at, "accelerators", class)...)
	}
}

func (c *OpenNebula) check(f *faults, at []any) {
	f.that(c.AuthFile != "", "name the file with user:password", under(at, "auth_file")...)
	f.that(c.Timeout >= 0, "a time is not negative", under(at, "timeout")...)
	if _, err := opennebula.New(c.Endpoint, "user:password", c.Options()...); err != nil { // it asks nothing
		f.that(false, strings.TrimPrefix(err.Error(), "opennebula: "), under(at, "endpoint")...)
	}
}

func (c *Exec) check(f *faults, at []any) {
	f.that(len(c.Command) > 0 && c.Command[0] != "", "name the program", under(at, "command")...)
	f.that(c.Timeout >= 0, "a time is not negative", under(at, "timeout")...)
	for i, variable := range c.Env {
		f.that(isVariable(variable), "a variable is NAME=value", under(at, "env", i)...)
	}
}

// Environment returns the variables of Env and of EnvFile.
func (c *Exec) Environment() ([]string, error) {
	variables := append([]string{}, c.Env...)
	if c.EnvFile == "" {
		return variables, nil
	}
	text, err := Secret(c.EnvFile)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case !isVariable(line):
			return nil, errors.New(c.EnvFile + ": each line is NAME=value") // and what it is instead may be a secret
		default:
			variables = append(variables, line)
		}
	}
	return variables, nil
}

func isVariable(text string) bool {
	name, _, found := strings.Cut(text, "=")
	return found && name != "" && !strings.ContainsAny(text, "\x00")
}
