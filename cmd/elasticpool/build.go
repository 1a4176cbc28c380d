package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"os"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/condor"
	"github.com/novacyborg/novacyborg/elasticpool/config"
	"github.com/novacyborg/novacyborg/elasticpool/execcloud"
	"github.com/novacyborg/novacyborg/elasticpool/opennebula"
	"github.com/novacyborg/novacyborg/elasticpool/openstack"
)

// parts are what a pool is made of, and what ends with it.
type parts struct {
	elasticpool.PoolConfig
	closers []func() error
}

// build makes the batch system and the clouds that a configuration names.
func build(ctx context.Context, c *config.Config, logger *slog.Logger) (*parts, error) {
	p := &parts{PoolConfig: elasticpool.PoolConfig{Policy: c.Policy(), Dir: c.State, Clouds: map[string]elasticpool.Provider{}}}
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
		return openStack(ctx, pool, c, logger)
	case c.OpenNebula != nil:
		return openNebula(c.OpenNebula)
	}
	variables, err := c.Exec.Environment()
	if err != nil {
		return nil, err
	}
	options := []execcloud.Option{execcloud.WithLogger(logger.With("cloud", c.Name)), execcloud.WithEnv(append(os.Environ(), variables...)...)}
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

func openStack(ctx context.Context, pool string, c config.Cloud, logger *slog.Logger) (elasticpool.Provider, error) {
	settings := c.OpenStack.Settings
	settings.Pool, settings.Logger = pool, logger.With("cloud", c.Name)
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

func openNebula(c *config.OpenNebula) (elasticpool.Provider, error) {
	auth, err := readToken(c.AuthFile)
	if err != nil {
		return nil, err
	}
	var options []opennebula.Option
	if c.Group {
		options = append(options, opennebula.WithGroup())
	}
	if c.Plain {
		options = append(options, opennebula.WithPlainHTTP())
	}
	if c.CAFile != "" {
		text, err := os.ReadFile(c.CAFile)
		if err != nil {
			return nil, err
		}
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s: no certificate in it", c.CAFile)
		}
		options = append(options, opennebula.WithTLS(&tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}))
	}
	return opennebula.New(c.Endpoint, auth, options...)
}
