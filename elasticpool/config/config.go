package config

import (
	"cmp"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/condor"
	"github.com/novacyborg/novacyborg/elasticpool/jsonfeed"
)

// Config is the configuration of a pool.
type Config struct {
	Pool    string              `yaml:"pool"`
	Queues  []elasticpool.Queue `yaml:"queues"`
	Classes []elasticpool.Class `yaml:"classes"`
	Clouds  []Cloud             `yaml:"clouds"`
	Control elasticpool.Control `yaml:"control"`

	HTCondor *condor.Config   `yaml:"htcondor"` // the batch system …
	JSON     *jsonfeed.Config `yaml:"json"`     // … or another one, of which there must be exactly one

	// JoinTokenFile is a file with the secret that workers join the batch system with, for {{joinToken}} in user data. It is
	// read each time a server is made.
	JoinTokenFile string `yaml:"join_token_file"`

	State       string      `yaml:"state"` // directory of journal, leader lock and control socket
	DecisionLog DecisionLog `yaml:"decision_log"`
	HTTP        HTTP        `yaml:"http"`
	Quota       Quota       `yaml:"quota"`

	name string     // of the file
	root *yaml.Node // to find the line of a fault
}

// DecisionLog is where decisions are logged, which can be replayed; no path: nowhere.
type DecisionLog struct {
	Path     string `yaml:"path"`
	MaxBytes int64  `yaml:"max_bytes"` // then a new file is begun, and the old one is kept with .1; 256 MiB
}

// defaultLogBytes is how long a decision log becomes.
const defaultLogBytes = 256 << 20

// HTTP is the server with the page, the API and the metrics; no address: none.
type HTTP struct {
	Listen string `yaml:"listen"` // loopback, unless Expose is set
	Expose bool   `yaml:"expose"`
	// TokenFile is a file with the token that commands (freeze, drain, quota) need. Without it nobody may command here.
	TokenFile string `yaml:"token_file"`
	TLS       *TLS   `yaml:"tls"` // nil: plain HTTP
}

// Quota is the quota service with VCondor's protocol; no address: none.
type Quota struct {
	Listen    string `yaml:"listen"` // TCP: loopback, unless Expose is set
	Expose    bool   `yaml:"expose"` // needs TokenFile, or TLS.ClientCAFile
	Socket    string `yaml:"socket"` // unix
	TokenFile string `yaml:"token_file"`
	TLS       *TLS   `yaml:"tls"` // of Listen; nil: plain TCP
}

// KnowsHTTP says whether the service knows who asks it over HTTP: by a token, or by the client's certificate.
func (c *Config) KnowsHTTP() bool { return c.Quota.TokenFile != "" || c.HTTP.TLS.knowsClients() }

// OrphanGrace returns how long orphans are left alone.
func (c *Config) OrphanGrace() time.Duration {
	return cmp.Or(c.Control.OrphanGrace.D(), 30*time.Minute)
}

// Policy returns the part of the configuration that the controller reads.
func (c *Config) Policy() elasticpool.Policy {
	p := elasticpool.Policy{Pool: c.Pool, Queues: c.Queues, Classes: c.Classes, Control: c.Control}
	for _, cloud := range c.Clouds {
		p.Clouds = append(p.Clouds, cloud.Cloud)
	}
	return p
}
