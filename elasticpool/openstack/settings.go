package openstack

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/userdata"
)

// Settings are what a provider needs to know beside the login. All but Pool may be zero.
type Settings struct {
	// Pool is the name of the pool: servers with another one in their tags are foreign.
	Pool string `yaml:"-" json:"-"`
	// Networks are names or ids of networks whose free addresses bound what is made; see Provider.Limits.
	Networks []string `yaml:"networks" json:"networks,omitempty"`
	// Accelerators maps Placement's resource classes to the resources that classes of VMs take. Nil is
	// {FPGA: fpgas, PGPU: gpus, VGPU: vgpus}; classes that are not in it are not limited.
	Accelerators map[string]string `yaml:"accelerators" json:"accelerators,omitempty"`
	// JoinToken gives the secret that a worker joins the batch system with, for {{joinToken}} in user data. It is
	// asked each time a server is made.
	JoinToken userdata.Token `yaml:"-" json:"-"`
	// JoinTokenFile is a file with the secret instead; it is read each time, so that it can be replaced.
	JoinTokenFile string `yaml:"-" json:"-"`
	// ForceDelete is how long a server may stay in deletion before it is deleted by force, which Nova may refuse to
	// users who are not admins; 0: never.
	ForceDelete elasticpool.Duration `yaml:"force_delete" json:"force_delete,omitempty"`
	// DeleteWait is how long Delete waits for the server to be gone, to remove at once what it left; 0: 10 s. What it
	// leaves later is found by Orphans.
	DeleteWait elasticpool.Duration `yaml:"delete_wait" json:"delete_wait,omitempty"`
	// NamesAge is how long it is remembered what a name of a flavor, image or network stands for; 0: 5 min. A request
	// that the cloud refuses is repeated once with names looked up anew.
	NamesAge elasticpool.Duration `yaml:"names_age" json:"names_age,omitempty"`
	// Logger is told what is left behind and why; nil: nobody is.
	Logger *slog.Logger `yaml:"-" json:"-"`
}

const (
	defaultDeleteWait = 10 * time.Second
	defaultNamesAge   = 5 * time.Minute
)

// withDefaults checks the settings and fills in what is not given.
func (s Settings) withDefaults() (Settings, error) {
	if s.Pool == "" {
		return s, errors.New("the pool has no name")
	}
	for name, value := range map[string]elasticpool.Duration{
		"force_delete": s.ForceDelete, "delete_wait": s.DeleteWait, "names_age": s.NamesAge,
	} {
		if value < 0 {
			return s, fmt.Errorf("%s %v is negative", name, value)
		}
	}
	if s.JoinToken != nil && s.JoinTokenFile != "" {
		return s, errors.New("there are both a function and a file for the join token")
	}
	if s.JoinTokenFile != "" {
		s.JoinToken = userdata.TokenFile(s.JoinTokenFile)
	}
	if s.DeleteWait == 0 {
		s.DeleteWait = elasticpool.Duration(defaultDeleteWait)
	}
	if s.NamesAge == 0 {
		s.NamesAge = elasticpool.Duration(defaultNamesAge)
	}
	if s.Logger == nil {
		s.Logger = slog.New(slog.DiscardHandler)
	}
	s.Accelerators = maps.Clone(s.Accelerators)
	if s.Accelerators == nil {
		s.Accelerators = map[string]string{"FPGA": elasticpool.FPGAs, "PGPU": elasticpool.GPUs, "VGPU": "vgpus"}
	}
	return s, nil
}
