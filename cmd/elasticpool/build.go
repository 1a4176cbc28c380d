package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/condor"
	"github.com/novacyborg/novacyborg/elasticpool/config"
	"github.com/novacyborg/novacyborg/elasticpool/execcloud"
	"github.com/novacyborg/novacyborg/elasticpool/jsonfeed"
	"github.com/novacyborg/novacyborg/elasticpool/opennebula"
	"github.com/novacyborg/novacyborg/elasticpool/openstack"
	"github.com/novacyborg/novacyborg/elasticpool/userdata"
)

// parts are what a pool is made of, and what ends with it.
type parts struct {
	elasticpool.PoolConfig
	token   userdata.Token // that workers join with; nil: none
	dry     bool           // nothing is changed
	closers []func() error
}

// build makes the batch system and the clouds that a configuration names. For a dry run there may be a pool at work beside.
func build(ctx context.Context, c *config.Config, logger *slog.Logger, dry bool) (*parts, error) {
	if err := c.CheckFiles(); err != nil {
		return nil, err
	}
	p := &parts{dry: dry, PoolConfig: elasticpool.PoolConfig{Policy: c.Policy(), Dir: c.State, Clouds: map[string]elasticpool.Provider{}}}
	if c.JoinTokenFile != "" {
		p.token = userdata.TokenFile(c.JoinTokenFile)
	}
	if err := p.batch(c); err != nil {
		return nil, err
	}
	for _, cloud := range c.Clouds {
		provider, err := p.cloud(ctx, c.Pool, cloud, logger)
		if err != nil {
			p.close()
			return nil, fmt.Errorf("cloud %s: %w", cloud.Name, err)
		}
		p.Clouds[cloud.Name] = provider
	}
	return p, nil
}

func (p *parts) close() {
	for _, closer := range p.closers {
		if err := closer(); err != nil {
			slog.Warn("closing", "error", err)
		}
	}
}

func (p *parts) batch(c *config.Config) error {
	if c.JSON != nil {
		feed, err := jsonfeed.New(*c.JSON)
		p.Batch = feed
		return err
	}
	pool, err := condor.New(*c.HTCondor)
	if err != nil {
		return err
	}
	p.Batch, p.Jobs = pool, pool.Sources()
	return nil
}

func (p *parts) cloud(ctx context.Context, pool string, c config.Cloud, logger *slog.Logger) (elasticpool.Provider, error) {
	switch {
	case c.OpenStack != nil:
		return p.openStack(ctx, pool, c, logger)
	case c.OpenNebula != nil:
		return p.openNebula(c.OpenNebula)
	}
	return p.plugin(c, logger)
}

// userData fills in the user data of a server.
func (p *parts) userData(ctx context.Context, spec elasticpool.ServerSpec) (string, error) {
	return userdata.Fill(ctx, "create server "+spec.Name, spec, p.token)
}

func (p *parts) plugin(c config.Cloud, logger *slog.Logger) (elasticpool.Provider, error) {
	options := []execcloud.Option{execcloud.WithLogger(logger.With("cloud", c.Name)), execcloud.WithDir(c.Exec.Dir), execcloud.WithUserData(p.userData)}
	variables, err := c.Exec.Environment()
	if err != nil {
		return nil, err
	}
	options = append(options, execcloud.WithEnv(append(os.Environ(), variables...)...))
	if p.dry {
		options = append(options, execcloud.WithReadOnly())
	}
	if c.Exec.Timeout > 0 {
		options = append(options, execcloud.WithTimeout(c.Exec.Timeout.D()))
	}
	plugin, err := execcloud.New(c.Exec.Command, options...)
	if err != nil {
		return nil, err
	}
	p.closers = append(p.closers, plugin.Close)
	return plugin, nil
}

func (p *parts) openStack(ctx context.Context, pool string, c config.Cloud, logger *slog.Logger) (elasticpool.Provider, error) {
	settings := c.OpenStack.Settings
	settings.Pool, settings.JoinToken, settings.Logger = pool, p.token, logger.With("cloud", c.Name)
	login := cyborgclient.WithEnv()
	if c.OpenStack.Cloud != "" {
		login = cyborgclient.WithCloud(c.OpenStack.Cloud)
	}
	options := []openstack.Option{login}
	if c.OpenStack.Region != "" {
		options = append(options, cyborgclient.WithRegion(c.OpenStack.Region))
	}
	return openstack.New(ctx, c.Name, settings, options...)
}

func (p *parts) openNebula(c *config.OpenNebula) (elasticpool.Provider, error) {
	auth, err := readToken(c.AuthFile)
	if err != nil {
		return nil, err
	}
	options := append(c.Options(), opennebula.WithUserData(p.userData))
	if c.CAFile != "" {
		roots, err := config.Certificates(c.CAFile)
		if err != nil {
			return nil, err
		}
		options = append(options, opennebula.WithTLS(&tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}))
	}
	return opennebula.New(c.Endpoint, auth, options...)
}
